import { storeKeys } from './keys.ts';
import type { Store } from './store.ts';

/** The members of a guild who do not want to be counted or named any more. */
export async function readOptedOut(store: Store, guild: string): Promise<ReadonlySet<string>> {
  const { optedOut } = storeKeys(store.applicationId, guild);
  return new Set(await store.redis.smembers(optedOut));
}

export async function hasOptedOut(store: Store, guild: string, member: string): Promise<boolean> {
  const { optedOut } = storeKeys(store.applicationId, guild);
  return (await store.redis.sismember(optedOut, member)) === 1;
}

export async function setOptedOut(
  store: Store,
  guild: string,
  member: string,
  out: boolean,
): Promise<void> {
  const { optedOut } = storeKeys(store.applicationId, guild);
  if (out) await store.redis.sadd(optedOut, member);
  else await store.redis.srem(optedOut, member);
}
