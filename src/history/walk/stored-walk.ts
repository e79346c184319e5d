import type { z } from 'zod';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import { readHash } from '../../redis/scan.ts';
import type { Store } from '../../redis/store.ts';

/** Channel or thread to the last message that was read there, or `END`. */
export type Cursors = Map<Snowflake, string>;

/** Instead of a message: the channel or thread is read to its end. */
export const END = 'end';

/** A walk over a guild's history, from which another process can continue. Null if it cannot be read. */
export async function readWalk<T>(
  { redis }: Store,
  key: string,
  schema: z.ZodType<T>,
): Promise<(T & { cursors: Cursors }) | null> {
  const cursors = await readHash(redis, key);
  const state = parseStored(schema, cursors.get('state') ?? null);
  return state && { ...state, cursors };
}
