import type { Rule } from './tree.ts';

/** A key or argument: `KEYS[2]` is ['KEYS', '2'], and `ARGV[5..]` is all from the fifth on. */
type Slot = { slot: string; name: string };

/** A script's body names a slot as `name = KEYS[1]` or in a list; a tail as `unpack(ARGV, 5)`. */
const mention = /\b(KEYS|ARGV)\b(?:\[(\d+)\])?/g;

export const luaHeadersMatchTheirBodies: Rule = (tree) =>
  [...tree].flatMap(([path, text]) => {
    if (!/^src\/.*\/lua\/.*\.lua$/.test(path)) return [];
    return headerFaults(text, path.endsWith('.include.lua'), tree, path).map(
      (fault) => `${path} ${fault}`,
    );
  });

function headerFaults(
  text: string,
  included: boolean,
  tree: ReadonlyMap<string, string>,
  path: string,
): string[] {
  const lines = text.split('\n');
  const code = lines.map((line) => line.replace(/--.*$/, '').trim()).filter(Boolean);
  const missing = [...text.matchAll(/^ *-- include (\S+)$/gm)].flatMap(([, name]) => {
    const around = path
      .split('/')
      .slice(0, -2)
      .map((_, n, folders) => folders.slice(0, n + 1));
    const found = around.some((room) => tree.has(`${room.join('/')}/lua/${name}.include.lua`));
    return found ? [] : [`includes ${name}, which does not exist.`];
  });
  if (included) {
    return code.some((line) => /\b(KEYS|ARGV)\b/.test(line))
      ? [...missing, 'is included, so that it cannot know what KEYS and ARGV are.']
      : missing;
  }
  const end = lines.findIndex((line) => !line.startsWith('--'));
  const header = end === -1 ? lines : lines.slice(0, end);
  const faults: string[] = [];
  if (!/^-- [A-Z]/.test(header[0] ?? '')) faults.push('does not begin with what it does.');
  if (!header.some((line) => line.startsWith("-- Returns {'") || borrows(line, tree, path))) {
    faults.push("has no line `-- Returns {'…'}`.");
  }
  return [...missing, ...faults, ...slotFaults(documented(header), named(code))];
}

/** What another script answers is documented there. */
function borrows(line: string, tree: ReadonlyMap<string, string>, path: string): boolean {
  const [, script] = /^-- Returns what `([a-z-]+)` does/.exec(line) ?? [];
  return script !== undefined && tree.has(path.replace(/[^/]+$/, `${script}.lua`));
}

function documented(header: string[]): Slot[] {
  return header.flatMap((line) => {
    const [, slot, name] = /^-- ((?:KEYS|ARGV)\[\d+(?:\.\.)?\])\s+(\w+)/.exec(line) ?? [];
    return slot === undefined || name === undefined ? [] : [{ slot, name }];
  });
}

/** The slots that the first lines name; later or unclear mentions come back as faults. */
function named(code: string[]): { slots: Slot[]; faults: string[] } {
  const slots: Slot[] = [];
  const faults: string[] = [];
  let naming = true;
  for (const line of code) {
    if (!/\b(KEYS|ARGV)\b/.test(line)) {
      naming = false;
      continue;
    }
    if (!naming) faults.push(`uses KEYS or ARGV below its first lines: ${line}`);
    if (!line.startsWith('local ')) faults.push(`does not name what it uses: ${line}`);
    slots.push(...namedIn(line));
  }
  return { slots, faults };
}

function namedIn(line: string): Slot[] {
  const [, left = '', right = ''] = /^(?:local )?([^=]*?)=(.*)$/.exec(line) ?? [];
  const names = left.split(',').map((name) => name.trim());
  // A table names its fields itself; in a list, the n-th value has the n-th name.
  const values = splitList(right);
  const nameAt = (value: string, index: number) =>
    value.trim().startsWith('{') ? undefined : names[index];
  return values.flatMap((value, index) =>
    [...value.matchAll(mention)].map((match) => {
      const [, table, number] = match;
      const rest = value.slice(match.index);
      const before = value.slice(0, match.index);
      const tail = /^\w+\s*,\s*(\d+)/.exec(rest)?.[1] ?? '?';
      const field = /(\w+)\s*=\s*(?:tonumber\()?$/.exec(before)?.[1];
      return {
        slot: number === undefined ? `${table}[${tail}..]` : `${table}[${number}]`,
        name: field ?? nameAt(value, index) ?? '',
      };
    }),
  );
}

/** Splits at the commas that are in no bracket. */
function splitList(list: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of list) {
    if ('({['.includes(character)) depth++;
    if (')}]'.includes(character)) depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts;
}

const luaWords = new Set([
  'and',
  'end',
  'for',
  'from',
  'in',
  'not',
  'or',
  'repeat',
  'then',
  'until',
]);

function slotFaults(header: Slot[], body: { slots: Slot[]; faults: string[] }): string[] {
  const faults = [...body.faults];
  for (const { slot } of header) {
    const uses = body.slots.filter((use) => use.slot === slot).length;
    if (uses === 0) faults.push(`documents ${slot}, which it does not name.`);
    if (uses > 1) faults.push(`names ${slot} more than once.`);
    if (header.filter((other) => other.slot === slot).length > 1)
      faults.push(`documents ${slot} twice.`);
  }
  for (const { slot, name } of body.slots) {
    const line = header.find((documentedSlot) => documentedSlot.slot === slot);
    if (line === undefined) {
      faults.push(`names ${slot}, which it does not document.`);
    } else if (line.name !== name && !slot.includes('..') && !luaWords.has(line.name)) {
      faults.push(`calls ${slot} ${line.name} in its header and ${name} in its body.`);
    }
  }
  return faults;
}
