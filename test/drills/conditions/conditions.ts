import { parseAst } from 'vitest/node';

/** One that decides something: a test of `if`, `while` or `?:`, a side of `&&` or `||`, what stands before `??`. */
export interface Condition {
  /** Characters from the beginning of its file. */
  start: number;
  end: number;
  line: number;
  text: string;
  /** What stands before `??` is true where there is a value. */
  isOfValue: boolean;
}

/** What a condition was in the tests. */
export const TRUE = 1;
export const FALSE = 2;

export const isTrue = (value: unknown, isOfValue: boolean): boolean =>
  isOfValue ? value !== undefined && value !== null : Boolean(value);

/** What the code of a test says of each condition, by its file and its place in `conditionsOf`. */
export interface Saw {
  sawCondition: <Value>(file: string, index: number, value: Value, isOfValue: boolean) => Value;
}

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) yield* nodesIn(child);
    }
  }
}

function* decidedBy(node: Node): Generator<[condition: unknown, isOfValue: boolean]> {
  if (node.type === 'LogicalExpression') {
    yield [node['left'], node['operator'] === '??'];
    if (node['operator'] !== '??') yield [node['right'], false];
  } else if (
    ['IfStatement', 'WhileStatement', 'DoWhileStatement', 'ConditionalExpression'].includes(
      node.type,
    )
  ) {
    yield [node['test'], false];
  }
}

/** The conditions of a file in TypeScript, as they stand there. A condition that decides twice is one. */
export function conditionsOf(text: string): Condition[] {
  const found = new Map<string, Condition>();
  for (const node of nodesIn(parseAst(text, { lang: 'ts' }) as unknown as Node)) {
    for (const [condition, isOfValue] of decidedBy(node)) {
      if (!isNode(condition)) continue;
      const { start, end } = condition;
      const line = text.slice(0, start).split('\n').length;
      const key = `${start}-${end}`;
      if (!found.has(key)) {
        found.set(key, { start, end, line, text: text.slice(start, end), isOfValue });
      }
    }
  }
  return [...found.values()].toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** The same file, which calls `sawCondition` with each of its conditions. */
export function watched(text: string, file: string): string {
  const inserted: { at: number; isEnd: boolean; of: number; what: string }[] = [];
  for (const [index, { start, end, isOfValue }] of conditionsOf(text).entries()) {
    const before = `globalThis.sawCondition(${JSON.stringify(file)}, ${index}, (`;
    inserted.push({ at: start, isEnd: false, of: index, what: before });
    inserted.push({ at: end, isEnd: true, of: index, what: `), ${isOfValue})` });
  }
  // One within another ends before it; the outer of two that begin together begins first.
  inserted.sort(
    (a, b) =>
      a.at - b.at || Number(b.isEnd) - Number(a.isEnd) || (a.isEnd ? b.of - a.of : a.of - b.of),
  );
  let at = 0;
  let out = '';
  for (const { at: next, what } of inserted) {
    out += text.slice(at, next) + what;
    at = next;
  }
  return out + text.slice(at);
}
