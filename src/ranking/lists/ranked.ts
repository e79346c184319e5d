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
 * A page of a list with complete articles, in one round trip; the cost does not grow with the guild.
 * A page beyond the end is empty. Ties are in the order of the ids.
 */
export async function listArticles(
  ranking: Ranking,
  list: Of & { order: RankedOrder; page: number; pageSize: number },
): Promise<Page> {
  const { page, pageSize } = list;
  if (page < 1 || pageSize < 1) return { articles: [], total: 0 };
  const start = (page - 1) * pageSize;
  return readRanked(ranking, list, start, start + pageSize - 1);
}

/** The guild's newest 50 interesting articles, or those of them that are in the group. */
export async function newestInteresting(
  ranking: Ranking,
  { guild, group }: Of,
): Promise<Article[]> {
  const { interesting } = guildKeys(ranking, guild);
  const { articles } = await readRanks(ranking, guild, interesting, 'desc', 0, 49);
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

/** The articles of a list at the ranks `start` to `stop`, from 0. */
export async function readRanked(
  ranking: Ranking,
  { guild, group, order }: Of & { order: RankedOrder },
  start: number,
  stop: number,
): Promise<RankedPage> {
  const keys = guildKeys(ranking, guild);
  const by = order.startsWith('score') ? 'score' : 'time';
  const key = group ? keys[`${by}Of`](group) : keys[by];
  const direction = order.endsWith('-asc') ? 'asc' : 'desc';
  return readRanks(ranking, guild, key, direction, start, stop);
}

export type RankedPage = {
  articles: Article[];
  /** Articles in the whole ranking. */
  total: number;
  /** The guild's version at the time of the read. */
  version: number;
};

/** The readable articles at the ranks `start` to `stop`, from 0, of a guild's ranking. One round trip. */
export async function readRanks(
  ranking: Ranking,
  guild: Snowflake,
  key: string,
  direction: 'desc' | 'asc',
  start: number,
  stop: number,
): Promise<RankedPage> {
  const { articles: rows, texts } = guildKeys(ranking, guild);
  const reply = await scripts.readPage(ranking.redis, key, rows, texts, direction, start, stop);
  const [, total, stored, version] = reply;
  const mark = markOf(String(stored));
  const articles: Article[] = [];
  for (let i = 4; i < reply.length; i += 3) {
    const [id, row, text] = reply.slice(i, i + 3) as (string | null)[];
    const article = id && row && text ? decodeArticle(id, row, text, mark) : null;
    if (article) articles.push(article);
    else if (row || text) ranking.suspects.add(guild);
  }
  return { articles, total: Number(total), version: Number(version) };
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
