import type { Snowflake } from '../../runtime/snowflake.ts';
import { readHash } from '../../redis/scan.ts';
import type { Store } from '../../redis/store.ts';
import type { Stored } from '../../redis/stored.ts';

/** Channel or thread to the last message that was read there, or `END`. */
export type Cursors = Map<Snowflake, string>;

/** Instead of a message: the channel or thread is read to its end. */
export const END = 'end';

/** A walk over a guild's history, from which another process can continue. Null if it cannot be read. */
export async function readWalk<T>(
  { redis }: Store,
  key: string,
  stored: Pick<Stored<T>, 'read'>,
): Promise<(T & { cursors: Cursors }) | null> {
  const cursors = await readHash(redis, key);
  const state = stored.read(cursors.get('state'));
  return state && { ...state, cursors };
}
