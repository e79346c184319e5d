import { readSet } from '../redis/scan.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { expectDeletion } from './lost-records.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** Members of one command. */
const STEP = 1000;

/** The members who do not want to be counted or named any more. */
export async function readOptedOut(store: Store, guild: Snowflake): Promise<Set<string>> {
  return readSet(store.redis, storeKeys(store, guild).optedOut);
}

/** Those of these members who opted out, in bounded steps. */
export async function optedOutAmong(
  { redis, ...store }: Store,
  guild: Snowflake,
  members: readonly Snowflake[],
): Promise<Set<Snowflake>> {
  const { optedOut } = storeKeys(store, guild);
  const found = new Set<Snowflake>();
  for (let i = 0; i < members.length; i += STEP) {
    const some = members.slice(i, i + STEP);
    const isOut = await redis.smismember(optedOut, ...some);
    for (const [j, member] of some.entries()) if (isOut[j] === 1) found.add(member);
  }
  return found;
}

export async function isOptedOut(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<boolean> {
  return (await store.redis.sismember(storeKeys(store, guild).optedOut, member)) === 1;
}

export async function setOptedOut(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  out: boolean,
): Promise<void> {
  const { optedOut } = storeKeys(store, guild);
  if (out) await store.redis.sadd(optedOut, member);
  else await Promise.all([store.redis.srem(optedOut, member), expectDeletion(store, guild)]);
}
