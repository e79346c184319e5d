import { CannotStart } from '../../runtime/cannot-start.ts';
import { sharedKeys } from '../store-keys.ts';
import { isFaultOfRedis } from '../errors.ts';
import type { Store } from '../store.ts';

/** The version of all that is stored. Raise it with a step that upgrades what was released before. */
export const SCHEMA_VERSION = 3;

/** Throws `CannotStart` if the stored data is of another version. An empty database gets this one. */
export async function checkSchema(store: Store): Promise<void> {
  const { redis } = store;
  const key = sharedKeys(store).schema;
  await redis.setnx(key, SCHEMA_VERSION);
  const stored = await redis.get(key).catch((error: unknown) => {
    if (isFaultOfRedis(error)) return null;
    throw error;
  });
  const version = Number(stored);
  if (version === SCHEMA_VERSION) return;
  if (stored === null || !Number.isInteger(version)) {
    throw new CannotStart(
      `The key ${key} in Redis, the version of the data, was changed from outside: if only this Frontpage used this Redis, set it right in redis-cli with  SET ${key} ${SCHEMA_VERSION}  and start again; else restore a backup.`,
      'config',
    );
  }
  throw new CannotStart(
    `The stored data is of another Frontpage (version ${version}, and this one reads ${SCHEMA_VERSION}): start that one again, or restore a backup that this one made.`,
    'config',
  );
}
