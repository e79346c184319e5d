import type { z } from 'zod';

/** A value that is stored as JSON. Null if the text is no JSON, or if the schema refuses the value. */
export function parseStored<T>(schema: z.ZodType<T>, json: string): T | null {
  try {
    return schema.parse(JSON.parse(json));
  } catch {
    return null;
  }
}
