import { z } from 'zod';
import { storeKeys } from '../../redis/store-keys.ts';
import { readHash, readSet } from '../../redis/scan.ts';
import { cursorsAmong } from './history-cursors.ts';
import { holdLease, type Lease, LeaseLost } from '../../redis/lease.ts';
import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** The progress of a guild's rebuild. Another process can continue from it. */
export type Progress = {
  /** When it was begun, in ms. */
  sinceMs: number;
  /** Only these groups are read; null: all. */
  only: string[] | null;
  /** Articles recognised so far. */
  articles: number;
  /** Channel or thread to the oldest message that was read there, or `END`. */
  cursors: Map<string, string>;
};

/**
 * `complete`: the ranking was complete once, and none of its keys was lost since. `begun`: a rebuild was
 * begun and is not finished.
 */
export async function readRebuildState(
  store: Store,
  guild: Snowflake,
): Promise<{ complete: boolean; begun: boolean }> {
  const { complete, rebuild } = storeKeys(store, guild);
  const [isComplete, isBegun] = await Promise.all([
    store.redis.exists(complete),
    store.redis.exists(rebuild),
  ]);
  return { complete: isComplete === 1, begun: isBegun === 1 };
}

/** Begins a rebuild of these groups, or of all, or continues one that is not finished with its own groups. */
export async function beginRebuild(
  store: Store,
  guild: Snowflake,
  now: number,
  only: readonly string[] | null,
): Promise<Progress> {
  const { rebuild } = storeKeys(store, guild);
  const since = await store.redis.hsetnx(rebuild, 'since', now);
  if (since === 1 && only) await store.redis.hset(rebuild, 'only', only.join());
  const fresh = { sinceMs: now, only: only && [...only], articles: 0, cursors: new Map() };
  return (await readProgress(store, guild)) ?? fresh;
}

const zCount = z.coerce.number().pipe(z.int());

export async function readProgress(store: Store, guild: Snowflake): Promise<Progress | null> {
  const stored = Object.fromEntries(await readHash(store.redis, storeKeys(store, guild).rebuild));
  const { since, only, articles } = stored;
  const sinceMs = zCount.safeParse(since).data;
  if (sinceMs === undefined) return null;
  return {
    sinceMs,
    only: only?.split(',') ?? null,
    articles: zCount.safeParse(articles).data ?? 0,
    cursors: cursorsAmong(stored),
  };
}

/** Notes that a page of a channel was read, and renews the lease. Throws `LeaseLost`. */
export async function noteProgress(
  store: Store,
  guild: Snowflake,
  lease: Lease,
  now: number,
  page: { channel: Snowflake; cursor: string; articles: number },
): Promise<void> {
  const { rebuild } = storeKeys(store, guild);
  const { channel, cursor, articles } = page;
  const note = { [channel]: cursor, articles };
  const { status } = await holdLease(store, lease, now, note, rebuild);
  if (status === 'lost') throw new LeaseLost('The rebuild went to another process.');
}

/**
 * Writes since when the ranking is complete, unless it was complete before. Throws `LeaseLost` if another
 * process has the lease, or Redis was emptied.
 */
export async function finishRebuild(
  store: Store,
  guild: Snowflake,
  lease: Lease,
  now: number,
  sinceMs: number,
): Promise<void> {
  const { rebuild, complete } = storeKeys(store, guild);
  const { status } = await holdLease(store, lease, now);
  if (status === 'lost') throw new LeaseLost('The rebuild went to another process.');
  await store.redis.multi().setnx(complete, sinceMs).del(rebuild).exec();
}

/** Causes a rebuild of the guild from its beginning, because its ranking lacks articles. */
export async function declareIncomplete(store: Store, guild: Snowflake): Promise<void> {
  const { complete, rebuild } = storeKeys(store, guild);
  await store.redis.del(complete, rebuild);
}

/** The channels, threads and lists of threads that a rebuild could not read. */
export async function readUnread(store: Store, guild: Snowflake): Promise<string[]> {
  return [...(await readSet(store.redis, storeKeys(store, guild).unread))];
}

export async function writeUnread(
  store: Store,
  guild: Snowflake,
  unread: readonly string[],
): Promise<void> {
  const key = storeKeys(store, guild).unread;
  const write = store.redis.multi().del(key);
  if (unread.length > 0) write.sadd(key, ...unread);
  await write.exec();
}

/** The time (ms) until which messages were searched for articles that were not committed; null: none. */
export async function readScanned(store: Store, guild: Snowflake): Promise<number | null> {
  const scanned = await store.redis.get(storeKeys(store, guild).scanned);
  return zCount.safeParse(scanned ?? undefined).data ?? null;
}

export async function writeScanned(store: Store, guild: Snowflake, untilMs: number): Promise<void> {
  await store.redis.set(storeKeys(store, guild).scanned, untilMs);
}

/** Has the messages since this time searched again. */
export async function rescanFrom(store: Store, guild: Snowflake, fromMs: number): Promise<void> {
  const scanned = await readScanned(store, guild);
  if (scanned === null || scanned > fromMs) await writeScanned(store, guild, fromMs);
}

/** The date of the last night whose refresh is finished. */
export async function readRefreshed(store: Store, guild: Snowflake): Promise<string | null> {
  return store.redis.get(storeKeys(store, guild).refreshed);
}

export async function writeRefreshed(store: Store, guild: Snowflake, night: string): Promise<void> {
  await store.redis.set(storeKeys(store, guild).refreshed, night);
}
