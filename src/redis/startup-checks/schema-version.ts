import { CannotStart } from '../../runtime/cannot-start.ts';
import { sharedKeys } from '../store-keys.ts';
import { isFaultOfRedis } from '../errors.ts';
import type { Store } from '../store.ts';

/**
 * The version of all that is stored, so that an older program refuses newer data. Raise it with each shape that
 * changes, and give `Upgrades` a way from the one before: `test/drills/stored-data` holds both.
 */
export const SCHEMA_VERSION = 4;

/** The way from each version to the next. It may be begun again, and by two processes at once. */
export type Upgrades = Readonly<Record<number, (store: Store) => Promise<void>>>;

/** An empty database gets this version, and older data is upgraded. Throws `CannotStart` for any other. */
export async function checkSchema(store: Store, upgrades: Upgrades): Promise<void> {
  const { redis, log } = store;
  const key = sharedKeys(store).schema;
  await redis.setnx(key, SCHEMA_VERSION);
  const stored = await redis.get(key).catch((error: unknown) => {
    if (isFaultOfRedis(error)) return null;
    throw error;
  });
  const version = Number(stored);
  if (stored === null || !Number.isInteger(version)) {
    throw new CannotStart(
      `The key ${key} in Redis, the version of the data, was changed from outside: if only this Frontpage used this Redis, set it right in redis-cli with  SET ${key} ${SCHEMA_VERSION}  and start again; else restore a backup.`,
      'config',
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new CannotStart(
      `A newer Frontpage wrote the data in Redis (version ${version} of the data, and this one knows version ${SCHEMA_VERSION}), so nothing is read or changed: install the newer one again.`,
      'config',
    );
  }
  for (let at = version; at < SCHEMA_VERSION; at += 1) {
    const upgrade = upgrades[at];
    if (upgrade === undefined) {
      throw new CannotStart(
        `The data in Redis is of an older Frontpage (version ${version} of the data) than any that this one can read: start that one again. If this Redis is emptied, articles and votes come from Discord again, and the rest from a backup.`,
        'config',
      );
    }
    await upgrade(store);
    // A newer process may have gone further meanwhile.
    if ((await redis.get(key)) === String(at)) await redis.set(key, at + 1);
    log.info({ from: at, to: at + 1 }, 'The data is upgraded.');
  }
}
