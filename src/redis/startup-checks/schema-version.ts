import { sharedKeys } from '../store-keys.ts';
import { isFaultOfRedis } from '../errors.ts';
import type { Store } from '../store.ts';

/** The version of all that is stored. Raise it with a step that upgrades what was released before. */
export const SCHEMA_VERSION = 3;

/**
 * Null if the stored data has this program's version. An empty database gets this version and is
 * null too. Otherwise a whole sentence for the person who hosts the bot.
 */
export async function otherSchema(store: Store): Promise<string | null> {
  const { redis } = store;
  const key = sharedKeys(store).schema;
  await redis.setnx(key, SCHEMA_VERSION);
  const stored = await redis.get(key).catch((error: unknown) => {
    if (isFaultOfRedis(error)) return null;
    throw error;
  });
  const version = Number(stored);
  if (version === SCHEMA_VERSION) return null;
  if (stored === null || !Number.isInteger(version)) {
    return `The key ${key} in Redis, the version of the data, was changed from outside: if only this Frontpage used this Redis, set it right in redis-cli with  SET ${key} ${SCHEMA_VERSION}  and start again; else restore a backup.`;
  }
  return `The stored data is of another Frontpage (version ${version}, and this one reads ${SCHEMA_VERSION}): start that one again, or restore a backup that this one made.`;
}
