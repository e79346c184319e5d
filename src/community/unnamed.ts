import { readSet } from '../redis/scan.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** Members whom the guild's web page does not name, though it names others. */
export async function readUnnamed(store: Store, guild: Snowflake): Promise<Set<string>> {
  return readSet(store.redis, storeKeys(store, guild).unnamed);
}

export async function isUnnamed(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<boolean> {
  return (await store.redis.sismember(storeKeys(store, guild).unnamed, member)) === 1;
}

/** Those of these members who want to be unnamed, or who opted out of Frontpage there. */
export async function unnamedAmong(
  { redis, ...store }: Store,
  guild: Snowflake,
  members: readonly Snowflake[],
): Promise<Set<Snowflake>> {
  if (members.length === 0) return new Set();
  const { unnamed, optedOut } = storeKeys(store, guild);
  const [hidden, out] = await Promise.all([
    redis.smismember(unnamed, ...members),
    redis.smismember(optedOut, ...members),
  ]);
  return new Set(members.filter((_, at) => hidden[at] === 1 || out[at] === 1));
}

export async function setUnnamed(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  isHidden: boolean,
): Promise<void> {
  const { unnamed } = storeKeys(store, guild);
  if (isHidden) await store.redis.sadd(unnamed, member);
  else await store.redis.srem(unnamed, member);
}
