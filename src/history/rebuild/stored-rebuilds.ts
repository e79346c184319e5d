import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import type { HeldLease } from '../../redis/lease.ts';
import { readSet } from '../../redis/scan.ts';
import { openScript } from '../../redis/script.ts';
import { stored } from '../../redis/stored.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import type { UnreadChannel } from '../walk/channels.ts';
import { type Cursors, readWalk } from '../walk/stored-walk.ts';

const zProgress = z.object({
  /** When it was begun. */
  sinceMs: z.int(),
  /** Only these groups are read; null: all. */
  only: z.array(zSnowflake).nullable(),
  /** Articles recognised so far. */
  articles: z.int(),
});

const storedProgress = stored('rebuild.state', zProgress);
const storedScanned = stored('scanned', z.int());

/** The progress of a guild's rebuild, which reads the newest messages first. */
export type Progress = z.infer<typeof zProgress> & { cursors: Cursors };

/** How far a running rebuild is. */
export type RebuildStep = {
  phase: 'recent' | 'older';
  /** The channels and threads already read in this phase; `channels` is their total number. */
  done: number;
  channels: number;
  /** Articles recognised since the rebuild began, by all processes. */
  articles: number;
};

/**
 * `complete`: the ranking was complete once, and none of its keys was lost since. `begun`: a rebuild was
 * begun and is not finished.
 */
export async function readRebuildState(
  store: Store,
  guild: Snowflake,
): Promise<{ complete: boolean; begun: boolean }> {
  const keys = storeKeys(store, guild);
  const asked = [keys.complete, keys.rebuild].map((key) => store.redis.exists(key));
  const [complete, begun] = await Promise.all(asked);
  return { complete: complete === 1, begun: begun === 1 };
}

/** Begins a rebuild of these groups, or of all, or continues one that is not finished with its own groups. */
export async function beginRebuild(
  store: Store,
  guild: Snowflake,
  sinceMs: number,
  only: readonly string[] | null,
): Promise<Progress> {
  const fresh = { sinceMs, only: only && [...only], articles: 0 };
  await store.redis.hsetnx(storeKeys(store, guild).rebuild, 'state', storedProgress.write(fresh));
  return (await readProgress(store, guild)) ?? { ...fresh, cursors: new Map() };
}

export async function readProgress(store: Store, guild: Snowflake): Promise<Progress | null> {
  return readWalk(store, storeKeys(store, guild).rebuild, storedProgress);
}

export async function noteProgress(
  store: Store,
  guild: Snowflake,
  { write }: HeldLease,
  { sinceMs, only, articles }: Progress,
  cursor?: Record<Snowflake, string>,
): Promise<void> {
  const { rebuild } = storeKeys(store, guild);
  await write(rebuild, { state: storedProgress.write({ sinceMs, only, articles }), ...cursor });
}

/** Writes since when the ranking is complete, unless it was complete before. */
export async function finishRebuild(
  store: Store,
  guild: Snowflake,
  held: HeldLease,
  progress: Progress,
): Promise<void> {
  const { rebuild, complete, due } = storeKeys(store, guild);
  // Redis may have been emptied meanwhile, and the lease with it.
  await noteProgress(store, guild, held, progress);
  const whole = store.redis.multi().setnx(complete, progress.sinceMs).del(rebuild);
  // What becomes interesting from now on is announced.
  await whole.zadd(due, 0, 'announce').exec();
}

/** Causes a rebuild of the guild from its beginning, because its ranking lacks articles. What it finds is no news. */
export async function declareIncomplete(store: Store, guild: Snowflake): Promise<void> {
  const { complete, rebuild, announcing } = storeKeys(store, guild);
  await store.redis.del(complete, rebuild, announcing);
}

/** The channels, threads and lists of threads that a rebuild could not read. */
export async function readUnread(store: Store, guild: Snowflake): Promise<string[]> {
  return [...(await readSet(store.redis, storeKeys(store, guild).unread))];
}

/** Has a channel or thread read once more, whoever begins with the guild next. False if it is noted already. */
export async function noteUnread(
  store: Store,
  guild: Snowflake,
  unread: UnreadChannel,
): Promise<boolean> {
  return (await store.redis.sadd(storeKeys(store, guild).unread, unread)) === 1;
}

export async function forgetUnread(
  store: Store,
  guild: Snowflake,
  unread: UnreadChannel,
): Promise<void> {
  await store.redis.srem(storeKeys(store, guild).unread, unread);
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
  return storedScanned.read(await store.redis.get(storeKeys(store, guild).scanned));
}

export async function writeScanned(store: Store, guild: Snowflake, untilMs: number): Promise<void> {
  await store.redis.set(storeKeys(store, guild).scanned, storedScanned.write(untilMs));
}

const noteScanned = openScript<['noted' | 'changed']>(import.meta.dirname, 'note-scanned');

/** Notes until when a scan has read (ms) that began from `before`, unless an earlier time was wanted meanwhile. */
export async function endScan(
  store: Store,
  guild: Snowflake,
  { before, untilMs }: { before: number | null; untilMs: number },
): Promise<void> {
  const { scanned } = storeKeys(store, guild);
  const known = before === null ? '' : storedScanned.write(before);
  await noteScanned(store.redis, scanned, known, storedScanned.write(untilMs));
}

/** Has the messages since this time searched again. */
export async function rescanFrom(store: Store, guild: Snowflake, fromMs: number): Promise<void> {
  const scanned = await readScanned(store, guild);
  if (scanned === null || scanned > fromMs) await writeScanned(store, guild, fromMs);
}
