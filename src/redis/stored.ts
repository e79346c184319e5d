import type { z } from 'zod';

/** A value that Redis holds as JSON. What writes it is what reads it, so nothing is stored that no reader takes. */
export interface Stored<T, Written = T> {
  /** Null if there is none, or one that the schema refuses. */
  read(json: string | null | undefined): T | null;
  /** Throws if the schema refuses the value: then nothing is written, and the log has the fault. */
  write(value: Written): string;
}

/**
 * The schema of each stored value by its place in Redis: the key without its guild, and the field after a dot
 * where not all fields of the hash are alike. A test holds their shapes to the version of the data.
 */
export const storedSchemas = new Map<string, z.ZodType>();

export function stored<S extends z.ZodType>(
  place: string,
  schema: S,
): Stored<z.output<S>, z.input<S>> {
  storedSchemas.set(place, schema);
  return {
    read: (json) => readPart(schema, json),
    write: (value) => JSON.stringify(schema.parse(value)),
  };
}

/** What a schema takes of a stored value, such as a few fields of many that cost more to read. Null as above. */
export function readPart<S extends z.ZodType>(
  schema: S,
  json: string | null | undefined,
): z.output<S> | null {
  if (json == null) return null;
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
