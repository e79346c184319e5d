import { DAY_MS } from '../../runtime/clock.ts';
import { readFields, scanHash } from '../../redis/scan.ts';
import { changeArticle } from './edit.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle, listingOf } from '../row.ts';
import { type Scale, VOTING_OPEN_MS } from '../rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { forgetOutcomes } from '../outcomes.ts';
import { scripts } from '../scripts.ts';
import { readScale } from './mark.ts';

/** An article that a moderator or its poster removed, in its last state. */
export type Removed = {
  article: Article;
  atMs: number;
  /** Its poster removed it, not a moderator. */
  own: boolean;
};

/** A removed article can be restored for 90 days. */
const KEPT_MS = 90 * DAY_MS;

/**
 * Removes an article from all rankings and frees its link, for a moderator or the poster. The removal
 * can be undone; `deleteArticle` cannot. One round trip; idempotent.
 */
export function removeArticle(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
  atMs: number,
  own = false,
) {
  const removal = `${atMs}${own ? 'p' : ''}`;
  return changeArticle(ranking, guild, id, scripts.removeArticle, 'removed', removal);
}

/**
 * Restores a removed article with its votes. `listed`: whether its home channel is listed now. If its link
 * was posted again, `detail` is the other article.
 */
export function restoreArticle(ranking: Ranking, guild: Snowflake, id: Snowflake, listed: boolean) {
  const listing = listingOf(listed);
  return changeArticle(ranking, guild, id, scripts.restoreArticle, 'restored', listing);
}

export async function readRemoved(
  ranking: Ranking,
  guild: Snowflake,
  id: Snowflake,
): Promise<Removed | null> {
  const [removed] = await readRemovedOf(ranking, guild, [id]);
  return removed ?? null;
}

/** Removed articles in the order of `ids`, null for any other. In bounded steps. */
export async function readRemovedOf(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<(Removed | null)[]> {
  const [stored, scale] = await Promise.all([
    readFields(ranking.redis, guildKeys(ranking, guild).removed, ids),
    readScale(ranking, guild),
  ]);
  return ids.map((id) => decode(id, stored.get(id), scale));
}

/** All removed articles, in no order. In bounded steps; an article may come twice. */
export async function* walkRemoved(ranking: Ranking, guild: Snowflake): AsyncGenerator<Removed> {
  const keys = guildKeys(ranking, guild);
  const scale = await readScale(ranking, guild);
  for await (const [id, stored] of scanHash(ranking.redis, keys.removed)) {
    const removed = decode(id, stored, scale);
    if (removed) yield removed;
  }
}

/**
 * Deletes articles that were removed 90 days ago or earlier, and the voters of removed articles whose
 * voting is over; the tally of those stays in the row.
 */
export async function sweepRemoved(ranking: Ranking, guild: Snowflake, now: number): Promise<void> {
  const keys = guildKeys(ranking, guild);
  for await (const { article, atMs } of walkRemoved(ranking, guild)) {
    const { id } = article;
    if (now < snowflakeTimeMs(id) + VOTING_OPEN_MS) continue;
    await ranking.redis.unlink(keys.voters(id), keys.older(id));
    if (now < atMs + KEPT_MS) continue;
    await ranking.redis.hdel(keys.previews, id);
    await ranking.redis.hdel(keys.replies, id);
    await forgetOutcomes(ranking, guild, id);
    await ranking.redis.hdel(keys.removed, id);
  }
}

/** As `removed.include.lua` writes it. Null if it cannot be read. */
function decode(id: Snowflake, stored: string | undefined, scale: Scale): Removed | null {
  const [, atMs, own, row, text] = /^(\d+)(p?) (.*)\n([^]*)$/.exec(stored ?? '') ?? [];
  const article = decodeArticle(id, row, text, scale);
  return article && { article, atMs: Number(atMs), own: own === 'p' };
}
