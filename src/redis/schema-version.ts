import { deployedKey, schemaKey } from './keys.ts';
import { schemaVersion } from './migrations.ts';
import type { Store } from './store.ts';

/**
 * For work by hand, which upgrades nothing since the bot may be running: null where the stored data
 * is of this program's version, else a sentence that says what to do.
 */
export async function otherSchema(store: Store): Promise<string | null> {
  const { redis, applicationId } = store;
  const current = schemaVersion();
  const [stored, deployed] = await Promise.all([
    redis.get(schemaKey(applicationId)),
    redis.exists(deployedKey(applicationId)),
  ]);
  const version = stored === null ? (deployed === 1 ? 1 : current) : Number(stored);
  if (version === current) return null;
  return version < current
    ? `The stored data is of an older Frontpage (version ${version}, and this one reads ${current}): start this Frontpage once, which upgrades it.`
    : `The stored data is of a newer Frontpage (version ${version}, and this one reads ${current}): use that one.`;
}
