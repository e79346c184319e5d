import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle } from '../row.ts';
import { markOf } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';
import { scripts } from '../scripts.ts';

/** The orders in which Redis keeps a guild's and each group's articles. */
const RANKED_ORDERS = ['score', 'score-asc', 'time', 'time-asc'] as const;
export type RankedOrder = (typeof RANKED_ORDERS)[number];

export function isRanked(order: string): order is RankedOrder {
  return RANKED_ORDERS.some((ranked) => ranked === order);
}

/** A group's list; without a group the guild's list, which holds the listed articles. */
export type Of = { guild: Snowflake; group?: Snowflake | null };

export type Page = {
  articles: Article[];
  /** Articles in the whole list. */
  total: number;
};

/**
 * A page of the readable articles of a list, in one round trip; the cost does not grow with the guild.
 * A page beyond the end is empty. Ties are in the order of the ids. `votes`: the closed articles;
 * `interesting`: the guild's, newest first; both without a period. `version`: the guild's at that time.
 */
export async function listArticles(
  ranking: Ranking,
  list: Of & { order: RankedOrder | 'votes' | 'interesting'; page: number; pageSize: number },
): Promise<Page & { version: number }> {
  const { guild, order, page, pageSize } = list;
  const keys = guildKeys(ranking, guild);
  const [by, direction = 'desc'] = order.split('-') as [ListKey, 'asc'?];
  const start = (page - 1) * pageSize;
  const given = [direction, start, start + pageSize - 1] as const;
  const key = keyOf(ranking, list, by);
  const reply = await scripts.readPage(ranking.redis, key, keys.articles, keys.texts, ...given);
  const [, total, stored, version] = reply;
  const mark = markOf(String(stored));
  const articles: Article[] = [];
  for (let i = 4; i < reply.length; i += 3) {
    const [id, row, text] = reply.slice(i, i + 3) as [Snowflake, string | null, string | null];
    const article = decodeArticle(id, row, text, mark);
    if (article) articles.push(article);
    else if (row || text) ranking.suspects.add(guild);
  }
  return { articles, total: Number(total), version: Number(version) };
}

type ListKey = 'score' | 'time' | 'votes' | 'interesting';

function keyOf(ranking: Ranking, { guild, group }: Of, by: ListKey): string {
  const key = guildKeys(ranking, guild)[by];
  return group ? `${key}:${group}` : key;
}

/** An article's position in a list, from 1, and their number; null if it is not in the list. */
export async function readPosition(
  ranking: Ranking,
  { order, ...of }: Of & { order: 'score' | 'time' },
  id: Snowflake,
): Promise<{ position: number; of: number } | null> {
  const key = keyOf(ranking, of, order);
  const [rank, count] = await Promise.all([
    ranking.redis.zrevrank(key, id),
    ranking.redis.zcard(key),
  ]);
  return rank === null ? null : { position: rank + 1, of: count };
}

/** The guild's newest 50 interesting articles, or those of them that are in the group. */
export async function newestInteresting(
  ranking: Ranking,
  { guild, group }: Of,
): Promise<Article[]> {
  const list = { guild, order: 'interesting', page: 1, pageSize: 50 } as const;
  const { articles } = await listArticles(ranking, list);
  return group ? articles.filter(({ groups }) => groups.includes(group)) : articles;
}

/** The listed interesting articles posted since `fromMs`, oldest first. */
export async function interestingSince(
  ranking: Ranking,
  guild: Snowflake,
  fromMs: number,
): Promise<Snowflake[]> {
  const { interesting } = guildKeys(ranking, guild);
  return ranking.redis.zrangebyscore(interesting, Math.floor(fromMs / 1000), '+inf');
}

/** Best first. */
export function byScore(a: Article, b: Article): number {
  return b.score - a.score || amongEquals(a, b);
}

/** Newest first. */
export function byTime(a: Article, b: Article): number {
  return b.postedAtMs - a.postedAtMs || amongEquals(a, b);
}

/** The greater id first, as in Redis in descending order. */
export function amongEquals(a: Article, b: Article): number {
  return a.id < b.id ? 1 : -1;
}
