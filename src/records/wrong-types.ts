import { findWrongTypes, storeKeys, storeKeyTypes } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/**
 * Renames the keys of a guild that are of a wrong type, so that their readers find nothing instead of
 * failing. Returns their old names and new keys.
 */
export async function setAsideWrongTypes(
  store: Store,
  guild: Snowflake,
): Promise<Record<string, string>> {
  const keys = storeKeys(store, guild);
  const moved: Record<string, string> = {};
  for (const name of await findWrongTypes(store.redis, keys, storeKeyTypes)) {
    moved[name] = `${keys[name]}:damaged`;
    await store.redis.rename(keys[name], moved[name]);
  }
  return moved;
}
