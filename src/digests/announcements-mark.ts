import { z } from 'zod';
import { stored } from '../redis/stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

const storedMark = stored('announcing', z.int());

/** The mark at the last search for interesting articles; null: nothing is announced yet. */
export async function readAnnouncing(store: Store, guild: Snowflake): Promise<number | null> {
  return storedMark.read(await store.redis.get(storeKeys(store, guild).announcing));
}

/** Null: nothing is announced any more. */
export async function writeAnnouncing(
  store: Store,
  guild: Snowflake,
  mark: number | null,
): Promise<void> {
  const key = storeKeys(store, guild).announcing;
  if (mark === null) await store.redis.del(key);
  else await store.redis.set(key, storedMark.write(mark));
}
