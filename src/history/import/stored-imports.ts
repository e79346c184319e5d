import { z } from 'zod';
import { DAY_MS } from '../../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import { stored } from '../../redis/stored.ts';
import type { HeldLease } from '../../redis/lease.ts';
import { readHash, scanSet } from '../../redis/scan.ts';
import { openScript } from '../../redis/script.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import type { Store } from '../../redis/store.ts';
import { type Cursors, readWalk } from '../walk/stored-walk.ts';

/** All channels of a plan must fit into the message that keeps it. */
export const CHANNELS_AT_MOST = 60;

/** What an admin asked for. */
export const zPlan = z.object({
  /** Groups, each with its threads and posts. */
  channels: z.array(zSnowflake).min(1).max(CHANNELS_AT_MOST),
  fromMs: z.int(),
  /** Exclusive. */
  untilMs: z.int(),
});
export type Plan = z.infer<typeof zPlan>;

/** What an import makes of a message. */
export const FATES = [
  /** Its link is an article: of this message, or of an earlier one with the same link. */
  'linked',
  /** It was an article already, or the message of one. */
  'known',
  /** The link has an article that no import made, or one of an earlier message that another import made. */
  'duplicate',
  'bot',
  'linkless',
  /** None of its links can be posted. */
  'refused',
  /** The guild has blocked the member or the link, or the member wants to be left out. */
  'unwanted',
  /** It was imported once, and removed or erased since. */
  'removed',
  /** It was deleted or its reactions were cleared while it was read; another import tries again. */
  'unreadable',
] as const;
export type Fate = (typeof FATES)[number];

const zCount = z.int().nonnegative().default(0);
const zCounts = z.object({
  messages: zCount,
  /** The links after the first one of messages that became articles: an article has its message's id. */
  further: zCount,
  ...(Object.fromEntries(FATES.map((fate) => [fate, zCount])) as Record<Fate, typeof zCount>),
});
export type Counts = z.infer<typeof zCounts>;

/**
 * `paused`: until somebody resumes it. `stopping`: somebody ended it in the middle, which is not reported
 * yet; what came in by then stays. `undoing`: its articles are being taken out again. The last three are over.
 */
export const PHASES = [
  'running',
  'paused',
  'stopping',
  'undoing',
  'finished',
  'stopped',
  'undone',
] as const;
export type Phase = (typeof PHASES)[number];
const zPhase = z.enum(PHASES);

const zState = z.object({
  plan: zPlan,
  counts: zCounts,
  /** Channels and threads that may not be read. */
  unread: z.array(z.string()),
  /** The member who began it. */
  by: zSnowflake,
  /** Where its message is, and the message if it was sent. */
  report: z.object({ channel: zSnowflake, message: zSnowflake.nullable() }),
  begunAtMs: z.int(),
  /** Null: it goes on. */
  endedAtMs: z.int().nullable(),
  /** Since when Discord fails to show some of its channels; null: it does not. */
  failingSinceMs: z.int().nullable().default(null),
  /** The messages in its channels by Discord's search, without threads; null: not known. */
  expected: z.int().nullable(),
});

const storedState = stored('import.state', zState);

export type ImportState = z.infer<typeof zState> & {
  phase: Phase;
  /** Each channel and thread with the oldest message that was read: the newest are read first. */
  cursors: Cursors;
};

/** The guild's last import. Null for none, and, with a warning, for one that cannot be read. */
export async function readImport(store: Store, guild: Snowflake): Promise<ImportState | null> {
  const { import: key } = storeKeys(store, guild);
  const stored = await store.redis.hget(key, 'phase');
  if (stored === null) return null;
  const phase = zPhase.safeParse(stored).data;
  const walk = await readWalk(store, key, storedState);
  if (phase && walk) return { ...walk, phase };
  store.log.warn({ guild }, 'The import that is stored cannot be read; it is left alone.');
  return null;
}

/** Whether the import is over, so that another can begin. */
export function isOver(phase: Phase): boolean {
  return phase === 'finished' || phase === 'stopped' || phase === 'undone';
}

/** The time in which an import can be undone. */
const UNDONE_WITHIN_MS = DAY_MS;

export function mayUndo({ phase, endedAtMs }: ImportState, now: number): boolean {
  const hasArticles = phase === 'finished' || phase === 'stopped';
  return hasArticles && endedAtMs !== null && now < endedAtMs + UNDONE_WITHIN_MS;
}

/** Begins an import in place of an earlier one, which cannot be undone any more. */
export async function beginImport(
  store: Store,
  guild: Snowflake,
  begun: { plan: Plan; by: Snowflake; channel: Snowflake; now: number },
): Promise<void> {
  const keys = storeKeys(store, guild);
  const state: z.infer<typeof zState> = {
    plan: zPlan.parse(begun.plan),
    counts: zCounts.parse({}),
    unread: [],
    by: begun.by,
    report: { channel: begun.channel, message: null },
    begunAtMs: begun.now,
    endedAtMs: null,
    failingSinceMs: null,
    expected: null,
  };
  await store.redis
    .multi()
    .del(keys.import, keys.importMade, keys.importLost)
    .hset(keys.import, { phase: 'running' satisfies Phase, state: storedState.write(state) })
    .exec();
}

/** Stores the progress, and returns the phase: somebody may have paused or stopped the import. */
export async function noteImport(
  store: Store,
  guild: Snowflake,
  { write }: HeldLease,
  state: ImportState,
  cursor?: Record<Snowflake, string>,
): Promise<Phase> {
  const { import: key } = storeKeys(store, guild);
  await write(key, { state: storedState.write(state), ...cursor });
  return zPhase.parse(await store.redis.hget(key, 'phase'));
}

const changePhase = openScript<['changed' | 'stale']>(import.meta.dirname, 'change-phase');

/** Changes the phase from one of these. The process that runs the import notices it at its next page. */
export async function setPhase(
  store: Store,
  guild: Snowflake,
  from: readonly Phase[],
  phase: Phase,
): Promise<{ status: 'changed' | 'stale' }> {
  const { import: key } = storeKeys(store, guild);
  const [status] = await changePhase(store.redis, key, phase, ...from);
  return { status };
}

export async function readPhase(store: Store, guild: Snowflake): Promise<Phase | null> {
  const stored = await store.redis.hget(storeKeys(store, guild).import, 'phase');
  return zPhase.safeParse(stored).data ?? null;
}

/** Whether an import in this phase has something to do. */
export function isUnderWay(phase: Phase | null): boolean {
  return phase === 'running' || phase === 'stopping' || phase === 'undoing';
}

/** Whether the guild's last import made this article. */
export async function isMade(store: Store, guild: Snowflake, article: Snowflake): Promise<boolean> {
  return (await store.redis.sismember(storeKeys(store, guild).importMade, article)) === 1;
}

/**
 * Records that the import makes an article, in place of one that an import made of a later message. Call it
 * before the article is put: a process that dies in between is followed by one that puts it.
 */
export async function noteMade(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
  instead: Snowflake | null,
): Promise<void> {
  const { imported, importMade } = storeKeys(store, guild);
  const write = store.redis.multi().sadd(imported, article).sadd(importMade, article);
  if (instead !== null) write.srem(importMade, instead);
  await write.exec();
}

/** Takes back the record of an article that is not there, or is to be imported again one day. */
export async function forgetMade(
  store: Store,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<void> {
  if (articles.length === 0) return;
  const { imported, importMade, importVotes } = storeKeys(store, guild);
  await store.redis
    .multi()
    .srem(imported, ...articles)
    .srem(importMade, ...articles)
    .zrem(importVotes, ...articles)
    .exec();
}

/** The number of articles that the last import made. */
export function countMade(store: Store, guild: Snowflake): Promise<number> {
  return store.redis.scard(storeKeys(store, guild).importMade);
}

/** The articles that the last import made, in bounded steps; one may come twice. */
export function walkMade(store: Store, guild: Snowflake): AsyncIterable<string[]> {
  return scanSet(store.redis, storeKeys(store, guild).importMade);
}

/** Has the lists of who reacted read, those with the greatest urgency first. */
export async function wantVotes(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
  urgency: number,
): Promise<void> {
  await store.redis.zadd(storeKeys(store, guild).importVotes, urgency, article);
}

/** The articles whose lists are to be read next, and how urgently. */
export async function nextVotes(
  store: Store,
  guild: Snowflake,
  most: number,
): Promise<{ article: Snowflake; urgency: number }[]> {
  const { importVotes } = storeKeys(store, guild);
  const found = await store.redis.zrevrange(importVotes, 0, most - 1, 'WITHSCORES');
  return Array.from({ length: found.length / 2 }, (_, n) => {
    return { article: found[2 * n]!, urgency: Number(found[2 * n + 1]) };
  });
}

/** Those of these articles whose lists are still to be read. */
export async function waitingVotes(
  store: Store,
  guild: Snowflake,
  articles: readonly Snowflake[],
): Promise<Snowflake[]> {
  if (articles.length === 0) return [];
  const found = await store.redis.zmscore(storeKeys(store, guild).importVotes, ...articles);
  return articles.filter((_, i) => found[i] !== null);
}

export async function forgetVotes(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<void> {
  await store.redis.zrem(storeKeys(store, guild).importVotes, article);
}

/** The number of articles whose lists are still to be read. */
export function countVotes(store: Store, guild: Snowflake): Promise<number> {
  return store.redis.zcard(storeKeys(store, guild).importVotes);
}

/** Imports of which only the report is left, since Redis lost their articles: report to its channel and plan. */
const zLost = zPlan.extend({ report: zSnowflake });
export type LostImport = z.infer<typeof zLost>;
const storedLost = stored('import-lost', zLost);

export async function noteLost(
  store: Store,
  guild: Snowflake,
  message: Snowflake,
  lost: LostImport,
): Promise<void> {
  const { importLost } = storeKeys(store, guild);
  await store.redis.hset(importLost, message, storedLost.write(lost));
}

/** The newest first. */
export async function readLost(store: Store, guild: Snowflake): Promise<LostImport[]> {
  const all = await readHash(store.redis, storeKeys(store, guild).importLost);
  return [...all]
    .sort(([a], [b]) => b.length - a.length || (a < b ? 1 : -1))
    .flatMap(([, json]) => storedLost.read(json) ?? []);
}
