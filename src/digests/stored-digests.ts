import { type Digest, NO_RUN, type Run, zDigest, zRun } from './digest-settings.ts';
import { pairs, readFields } from '../redis/scan.ts';
import { sharedKeys, storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { expectDeletion } from '../community/lost-records.ts';
import { parseStored } from '../redis/parse-stored.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

export type StoredDigest = { name: string; digest: Digest; run: Run };

/**
 * The guild's digests, `DIGESTS_PER_GUILD` at most, or those with these names. One whose settings cannot
 * be read is left out, and a run that cannot be read begins anew, both with a warning.
 */
export async function readDigests(
  { redis, log, ...store }: Store,
  guild: Snowflake,
  only?: readonly string[],
): Promise<StoredDigest[]> {
  const keys = storeKeys(store, guild);
  const names = only ?? (await redis.hkeys(keys.digests)).sort();
  const [digests, runs] = await Promise.all([
    readFields(redis, keys.digests, names),
    readFields(redis, keys.runs, names),
  ]);
  return names.flatMap((name) => {
    const json = digests.get(name);
    if (json === undefined) return [];
    const digest = parseStored(zDigest, json);
    const run = parseStored(zRun, runs.get(name) ?? '{}');
    const about = { guild, digest: name };
    if (!run) log.warn(about, 'What a digest has posted so far cannot be read.');
    if (!digest) log.warn(about, 'The settings of a digest cannot be read; it is not posted.');
    return digest ? [{ name, digest, run: run ?? NO_RUN }] : [];
  });
}

export async function readDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<StoredDigest | null> {
  return (await readDigests(store, guild, [name]))[0] ?? null;
}

/** Replaces the settings; what happened so far stays. */
export async function saveDigest(
  store: Store,
  guild: Snowflake,
  name: string,
  digest: Digest,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).digests, name, JSON.stringify(digest));
}

export async function deleteDigest(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<{ status: 'deleted' | 'unknown' }> {
  const { digests, runs } = storeKeys(store, guild);
  const [deleted] = await Promise.all([
    store.redis.hdel(digests, name),
    store.redis.hdel(runs, name),
    expectDeletion(store, guild),
  ]);
  return { status: deleted === 1 ? 'deleted' : 'unknown' };
}

/** An edition that was under way when its digest was deleted has written the run once more. */
export async function forgetRunOfDeleted(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<void> {
  const { digests, runs } = storeKeys(store, guild);
  // Settings that cannot be read may be repaired.
  if ((await store.redis.hexists(digests, name)) === 0) await store.redis.hdel(runs, name);
}

/** For a run from a file; otherwise only the process with the claim writes it. */
export async function repairRun(
  store: Store,
  guild: Snowflake,
  name: string,
  run: Run,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).runs, name, JSON.stringify(run));
}

/** Stands where a digest's name does, and is none: a guild's announcements of interesting articles. */
export const ANNOUNCEMENTS = '!interesting';

export type Due = { guild: Snowflake; digest: string; atMs: number };

/** Digests to look at by now, the longest due first: one read, however many guilds there are. */
export async function readDue(store: Store, now: number): Promise<Due[]> {
  const { due } = sharedKeys(store);
  const found = await store.redis.zrangebyscore(due, '-inf', now, 'WITHSCORES');
  return pairs(found).map(([member, score]) => {
    const [guild = '', ...name] = member.split(':');
    return { guild, digest: name.join(':'), atMs: Number(score) };
  });
}

/** When to look at a digest next; null: not at all. */
export async function setDue(
  store: Store,
  guild: Snowflake,
  digest: string,
  atMs: number | null,
): Promise<void> {
  const { due } = sharedKeys(store);
  const member = `${guild}:${digest}`;
  if (atMs === null) await store.redis.zrem(due, member);
  else await store.redis.zadd(due, atMs, member);
}

/**
 * Call it when a guild's setting `announcements` was changed. The next tick records the articles that are
 * already interesting, so that only later ones are announced.
 */
export async function announceFromNow(store: Store, guild: Snowflake): Promise<void> {
  await setDue(store, guild, ANNOUNCEMENTS, 0);
}
