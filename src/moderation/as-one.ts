/** Articles that are removed as one act: what a process that ends meanwhile leaves, another one removes. */

import { setTimeout as pause } from 'node:timers/promises';
import type { GuildMember } from 'discord.js';
import { z } from 'zod';
import { isApiError } from '../discord/api-errors.ts';
import type { Held, Kind, Next } from '../due/kind.ts';
import { isPlanned } from '../due/kind.ts';
import { readArticles } from '../ranking/articles/articles.ts';
import { readRemovedOf, removeArticle } from '../ranking/articles/removed.ts';
import type { Article } from '../ranking/row.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { MINUTE_MS, zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import { logMany } from './log-many.ts';
import { mayModerate, mayModerateServer } from './may-moderate.ts';
import { answerReports } from './reports.ts';
import type { SweepNeeds } from './sweep.ts';

export interface RemoveAsOneNeeds extends SweepNeeds, LogChannelNeeds {}

/** The row of an act of this time (ms). Its notes say who removes what, and why. */
const rowOf = (atMs: number): string => `sweep:${atMs}`;
const zRow = z.coerce.number().pipe(zTimeMs);
const zNotes = z.object({
  by: zSnowflake,
  reason: z.string(),
  articles: z
    .string()
    .transform((ids) => ids.split(' '))
    .pipe(z.array(zSnowflake)),
  /** How many of them an earlier holder had done. */
  done: z.coerce.number().pipe(z.int().min(0)).catch(0),
});

/** A moderator can wait for so long: an interaction is answered within a quarter of an hour. */
const WAIT_MS = 10 * MINUTE_MS;
const LOOK_MS = 200;

/** When an act is that begins now (ms): no other removal of several articles is of the same time. */
export async function timeOfAct(
  { store, clock }: Pick<RemoveAsOneNeeds, 'store' | 'clock'>,
  guild: Snowflake,
): Promise<number> {
  let atMs = clock.now();
  while (await isPlanned(store, guild, rowOf(atMs))) atMs += 1;
  return atMs;
}

/**
 * Removes articles as one act of this time (ms), by which they are restored, and says so in the log channel. What was
 * removed by it before is of it too. Resolves with those that stood until then.
 */
export async function removeAsOne(
  needs: RemoveAsOneNeeds,
  by: GuildMember,
  articles: readonly Article[],
  { atMs, reason }: { atMs: number; reason: string },
): Promise<Article[]> {
  const { due } = needs;
  const guild = by.guild.id;
  const ids = articles.map(({ id }) => id);
  const row = rowOf(atMs);
  const notes = { by: by.id, reason, articles: ids.join(' ') };
  const isEnded = (await due.now(guild, row, notes)) === null;
  if (!isEnded) await untilRemoved(needs, guild, ids, row);
  return removedBy(needs, guild, ids, atMs);
}

/** Whoever removes them, this process or another one. The log channel may have to wait, which nobody waits for here. */
async function untilRemoved(
  { ranking, store }: Pick<RemoveAsOneNeeds, 'ranking' | 'store'>,
  guild: Snowflake,
  ids: readonly Snowflake[],
  row: string,
): Promise<void> {
  const untilMs = performance.now() + WAIT_MS;
  while (performance.now() < untilMs) {
    if (!(await isPlanned(store, guild, row))) return;
    // They are removed in this order.
    const [last] = await readArticles(ranking, guild, ids.slice(-1));
    if (!last) return;
    await pause(LOOK_MS, undefined, { ref: false });
  }
}

/** Ends an act that is under way, for whoever undoes it: its moderator, or one of the whole server. */
export async function endRemoval(
  { store, due }: Pick<RemoveAsOneNeeds, 'store' | 'due'>,
  by: GuildMember,
  atMs: number,
): Promise<void> {
  const guild = by.guild.id;
  const row = rowOf(atMs);
  const lease = storeKeys(store, guild).lease(row);
  const owners = await store.redis.hmget(lease, 'by', 'next:by');
  if (owners.includes(by.id) || mayModerateServer(by)) await due.planAt(guild, row, null);
}

/** How the rest is removed of what somebody began to remove. */
export function removalKind(needs: RemoveAsOneNeeds): Kind {
  return { name: 'sweep', sideBySide: 4, run: (held) => goOn(needs, held) };
}

async function goOn(needs: RemoveAsOneNeeds, held: Held): Promise<Next> {
  const { guild } = held;
  const atMs = zRow.parse(held.id);
  const notes = zNotes.safeParse(Object.fromEntries(held.notes)).data;
  const by = notes && (await memberOf(needs, guild, notes.by));
  if (!by) return { atMs: null };
  const { articles: ids, reason } = notes;
  for (const [at, id] of [...ids.entries()].slice(notes.done)) {
    // A bot that ends leaves the rest to the next.
    held.signal.throwIfAborted();
    const [article] = await readArticles(needs.ranking, guild, [id]);
    // They may have lost their rights since, or the article has gone elsewhere.
    if (!article || !mayModerate(by, article)) continue;
    await needs.messageUpdates.giveReason(guild, id, reason);
    await held.write({ done: at });
    // Somebody undid it meanwhile, and what is removed by now is said.
    if (!(await isPlanned(needs.store, guild, held.row))) break;
    await removeArticle(needs.ranking, guild, id, atMs);
  }
  const removed = await removedBy(needs, guild, ids, atMs);
  await answerReports(
    needs,
    guild,
    removed.map(({ id }) => id),
  );
  if (removed.length > 0) await logMany(needs, removed, { by, reason }, 'removed', held.row);
  return { atMs: null };
}

/** Null: the moderator is no member any more. */
async function memberOf(
  { client }: Pick<RemoveAsOneNeeds, 'client'>,
  guild: Snowflake,
  id: Snowflake,
): Promise<GuildMember | null> {
  try {
    return (await client.guilds.cache.get(guild)?.members.fetch(id)) ?? null;
  } catch (error) {
    if (isApiError(error, 'UnknownMember', 'UnknownUser')) return null;
    throw error;
  }
}

/** What of these a moderator removed at that time (ms). */
async function removedBy(
  { ranking }: Pick<RemoveAsOneNeeds, 'ranking'>,
  guild: Snowflake,
  ids: readonly Snowflake[],
  atMs: number,
): Promise<Article[]> {
  const removed = await readRemovedOf(ranking, guild, ids);
  return removed.flatMap((one) =>
    one !== null && one.atMs === atMs && !one.own ? [one.article] : [],
  );
}
