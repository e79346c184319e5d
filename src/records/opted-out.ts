import { storeKeys } from '../redis/keys.ts';
import type { Store } from '../redis/store.ts';

/** The members whom a guild's data leaves out. */
export type OptedOut = {
  /** Members who do not want to be counted or named any more. */
  optedOut: ReadonlySet<string>;
  /** Members who had what is theirs erased, and when (ms). What Discord or a file holds of before is left out. */
  erased: ReadonlyMap<string, number>;
};

export async function readOptedOut(store: Store, guild: string): Promise<OptedOut> {
  const keys = storeKeys(store.applicationId, guild);
  const [optedOut, erased] = await Promise.all([
    store.redis.smembers(keys.optedOut),
    store.redis.hgetall(keys.erased),
  ]);
  return {
    optedOut: new Set(optedOut),
    erased: new Map(Object.entries(erased).map(([member, atMs]) => [member, Number(atMs)])),
  };
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

/**
 * Records that a member's data was erased. The record stays, because an older backup would bring
 * the data back.
 */
export async function noteErased(
  store: Store,
  guild: string,
  member: string,
  now: number,
): Promise<void> {
  await store.redis.hset(storeKeys(store.applicationId, guild).erased, member, now);
}

/** Messages of erased articles that are still to be deleted: article to channel. */
export async function readErasing(store: Store, guild: string): Promise<Map<string, string>> {
  const { erasing } = storeKeys(store.applicationId, guild);
  return new Map(Object.entries(await store.redis.hgetall(erasing)));
}

export async function noteErasing(
  store: Store,
  guild: string,
  article: { id: string; channel: string },
): Promise<void> {
  const { erasing } = storeKeys(store.applicationId, guild);
  await store.redis.hset(erasing, article.id, article.channel);
}

export async function noteDeleted(store: Store, guild: string, article: string): Promise<void> {
  const { erasing } = storeKeys(store.applicationId, guild);
  await store.redis.hdel(erasing, article);
}
