import type { z } from 'zod';

/** A value that is stored as JSON. Null if there is none, or one that the schema refuses. */
export function parseStored<T>(schema: z.ZodType<T>, json: string | null): T | null {
  if (json === null) return null;
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
