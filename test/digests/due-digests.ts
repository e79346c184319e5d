import { isUnanswered } from '../../src/discord/api-errors.ts';
import type { DigestContext } from '../../src/digests/posting/posting-context.ts';
import { digestKinds, duePosts } from '../../src/digests/run-due.ts';
import { ANNOUNCE, digestRow } from '../../src/digests/stored-digests.ts';
import { type Due, openDue } from '../../src/due/due.ts';
import { pairs } from '../../src/redis/scan.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { Store } from '../../src/redis/store.ts';
import type { Snowflake } from '../../src/runtime/snowflake.ts';

/** What is due of digests and announcements, in a process of its own that looks when it is told to. */
export function openDueDigests(
  context: DigestContext,
  stopping = new AbortController().signal,
): Due {
  const { store, clock, log, client } = context;
  const guilds = () => client.guilds.cache.filter(({ available }) => available).keys();
  const due = openDue({ store, clock, log, stopping, guilds, isUnanswered, follows: false });
  for (const kind of digestKinds(context)) due.handle(kind);
  return due;
}

/** Posts what is due. */
export async function runDueDigests(context: DigestContext, signal?: AbortSignal): Promise<void> {
  await openDueDigests(context, signal).look();
}

/** What the guild has due by its own data is planned, as at its arrival. */
export async function planFromData({ store }: DigestContext, guild: Snowflake): Promise<void> {
  for (const { row, atMs } of await duePosts(store, guild)) {
    await store.redis.zadd(storeKeys(store, guild).due, 'LT', atMs, row);
  }
}

export async function planDigest(
  store: Store,
  guild: Snowflake,
  name: string,
  atMs: number,
): Promise<void> {
  await store.redis.zadd(storeKeys(store, guild).due, atMs, digestRow(name));
}

/** As when the setting `announcements` is changed. */
export async function announceFromNow(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.zadd(storeKeys(store, guild).due, 0, ANNOUNCE);
}

/** The rows of digests and announcements that are due by then, the first due first. */
export async function readDue(
  store: Store,
  guild: Snowflake,
  untilMs: number,
): Promise<{ row: string; atMs: number }[]> {
  const { due } = storeKeys(store, guild);
  const found = pairs(await store.redis.zrangebyscore(due, '-inf', untilMs, 'WITHSCORES'));
  return found
    .filter(([row]) => row === ANNOUNCE || row.startsWith('digest:'))
    .map(([row, score]) => ({ row, atMs: Number(score) }));
}
