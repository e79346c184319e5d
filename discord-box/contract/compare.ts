import { type $ZodType, type $ZodTypes, safeParse } from 'zod/v4/core';

/** A value that does not fit: where, and why. */
type Violation = { path: string; why: string };

/**
 * Compares JSON with a schema and names every field that does not fit.
 * zod alone lets unknown keys pass, and says of a union only that no member fits.
 */
export function compare(schema: $ZodType, value: unknown, path = ''): Violation[] {
  const { def } = (schema as $ZodTypes)._zod;
  switch (def.type) {
    case 'lazy':
      return compare(def.getter(), value, path);
    case 'optional':
      return value === undefined ? [] : compare(def.innerType, value, path);
    case 'nullable':
      return value === null ? [] : compare(def.innerType, value, path);
    case 'object':
      return compareObject(def.shape, value, path);
    case 'array':
      return compareArray(schema, def.element, value, path);
    case 'record':
      if (!isObject(value)) return [wrong(path, 'an object', value)];
      return Object.entries(value).flatMap(([key, inner]) =>
        compare(def.valueType, inner, `${path}.${key}`),
      );
    case 'union':
      return compareUnion(def.options, value, path);
    default: {
      const { error } = safeParse(schema, value);
      return (error?.issues ?? []).map(({ message }) => ({
        path: [path, ...(error?.issues[0]?.path ?? [])].join('.'),
        why: `${message}, but is ${shown(value)}`,
      }));
    }
  }
}

function compareObject(shape: Record<string, $ZodType>, value: unknown, path: string): Violation[] {
  if (!isObject(value)) return [wrong(path, 'an object', value)];
  const violations = Object.entries(shape).flatMap(([key, inner]) =>
    compare(inner, value[key], `${path}.${key}`),
  );
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key) || value[key] === undefined) continue;
    violations.push({ path: `${path}.${key}`, why: 'the specification knows no such field' });
  }
  return violations;
}

function compareArray(
  schema: $ZodType,
  element: $ZodType,
  value: unknown,
  path: string,
): Violation[] {
  if (!Array.isArray(value)) return [wrong(path, 'an array', value)];
  const violations = value.flatMap((inner, index) => compare(element, inner, `${path}[${index}]`));
  for (const check of schema._zod.def.checks ?? []) {
    const { minimum = 0, maximum = Infinity } = check._zod.def as {
      minimum?: number;
      maximum?: number;
    };
    if (value.length >= minimum && value.length <= maximum) continue;
    const why = `has ${value.length} entries, not ${minimum} to ${maximum}`;
    violations.push({ path, why });
  }
  return violations;
}

/** The violations of the member that was meant: whose `type` fits, and then that with the fewest. */
function compareUnion(members: readonly $ZodType[], value: unknown, path: string): Violation[] {
  let nearest: { violations: Violation[]; weight: number } | undefined;
  for (const member of members) {
    const violations = compare(member, value, path);
    if (violations.length === 0) return [];
    const otherType = violations.some((violation) => violation.path === `${path}.type`);
    const weight = violations.length + (otherType ? 1000 : 0);
    if (nearest === undefined || weight < nearest.weight) nearest = { violations, weight };
  }
  return nearest?.violations ?? [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, expected: string, value: unknown): Violation {
  return { path, why: `must be ${expected}, but is ${shown(value)}` };
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
