import { type StoreKeys, storeKeys } from '../redis/keys.ts';
import type { Store } from '../redis/store.ts';

/** The type of each key that can stay for long, as in `keys.ts`. */
const types: Record<string, readonly (keyof StoreKeys)[]> = {
  hash: ['digests', 'runs', 'rebuild', 'import', 'imported', 'settings', 'blocks', 'erased'],
  set: ['unread', 'channels', 'restoring', 'optedOut'],
  zset: ['auditLog'],
  string: ['born', 'refreshed', 'scanned', 'announcing'],
};

/**
 * Renames the keys of a guild that are of a wrong type, so that their readers find nothing instead of
 * failing. Returns their old names and new keys.
 */
export async function setAsideWrongTypes(
  { redis, applicationId }: Store,
  guild: string,
): Promise<Record<string, string>> {
  const keys = storeKeys(applicationId, guild);
  const moved: Record<string, string> = {};
  for (const [type, names] of Object.entries(types)) {
    for (const name of names) {
      const key = keys[name] as string;
      const found = await redis.type(key);
      if (found === 'none' || found === type) continue;
      const aside = `${key}:damaged`;
      await redis.rename(key, aside);
      moved[name] = aside;
    }
  }
  return moved;
}
