import { type $ZodType, type $ZodTypes, safeParse } from 'zod/v4/core';

/** A value that does not fit: where, and why. */
type Fault = { path: string; why: string };

/**
 * Compares JSON with a schema and names every field that does not fit.
 * zod alone lets unknown keys pass, and says of a union only that no member fits.
 */
export function compare(schema: $ZodType, value: unknown, path = ''): Fault[] {
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

function compareObject(shape: Record<string, $ZodType>, value: unknown, path: string): Fault[] {
  if (!isObject(value)) return [wrong(path, 'an object', value)];
  const faults = Object.entries(shape).flatMap(([key, inner]) =>
    compare(inner, value[key], `${path}.${key}`),
  );
  for (const key of Object.keys(value)) {
    if (Object.hasOwn(shape, key) || value[key] === undefined) continue;
    faults.push({ path: `${path}.${key}`, why: 'the specification knows no such field' });
  }
  return faults;
}

function compareArray(schema: $ZodType, element: $ZodType, value: unknown, path: string): Fault[] {
  if (!Array.isArray(value)) return [wrong(path, 'an array', value)];
  const faults = value.flatMap((inner, index) => compare(element, inner, `${path}[${index}]`));
  for (const check of schema._zod.def.checks ?? []) {
    const { minimum = 0, maximum = Infinity } = check._zod.def as {
      minimum?: number;
      maximum?: number;
    };
    if (value.length >= minimum && value.length <= maximum) continue;
    const why = `has ${value.length} entries, not ${minimum} to ${maximum}`;
    faults.push({ path, why });
  }
  return faults;
}

/** The faults of the member that was meant: whose `type` fits, and then that with the fewest. */
function compareUnion(members: readonly $ZodType[], value: unknown, path: string): Fault[] {
  let nearest: { faults: Fault[]; weight: number } | undefined;
  for (const member of members) {
    const faults = compare(member, value, path);
    if (faults.length === 0) return [];
    const otherType = faults.some((fault) => fault.path === `${path}.type`);
    const weight = faults.length + (otherType ? 1000 : 0);
    if (nearest === undefined || weight < nearest.weight) nearest = { faults, weight };
  }
  return nearest?.faults ?? [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wrong(path: string, expected: string, value: unknown): Fault {
  return { path, why: `must be ${expected}, but is ${shown(value)}` };
}

function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
