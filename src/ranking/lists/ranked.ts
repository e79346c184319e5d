import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Ranks, readRanks } from './read-range.ts';
import type { Article } from '../row.ts';
import { INTERESTING_SHOWN } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';

export const ORDERS = ['score-desc', 'score-asc', 'time-desc', 'time-asc', 'interesting'] as const;
export type Order = (typeof ORDERS)[number];

export type List = {
  guild: Snowflake;
  /** A group's list; absent: the guild's list, which holds the listed articles. */
  group?: Snowflake;
  order: Order;
  /** From 1. */
  page: number;
  pageSize: number;
};

export type Page = {
  articles: Article[];
  /** Articles in the whole list. */
  total: number;
};

/** A page of a list that is in memory. */
export function pageOf(
  all: readonly Article[],
  { page, pageSize }: Pick<List, 'page' | 'pageSize'>,
): Page {
  return { articles: all.slice((page - 1) * pageSize, page * pageSize), total: all.length };
}

/**
 * A page of a list with complete articles, in one round trip; the cost does not grow with the guild.
 * A page beyond the end is empty. Ties are in the order of the ids.
 * A group's interesting articles are those among the guild's newest 50.
 */
export async function listArticles(ranking: Ranking, list: List): Promise<Page> {
  const { order, page, pageSize } = list;
  if (page < 1 || pageSize < 1) return { articles: [], total: 0 };
  if (order === 'interesting') return listInteresting(ranking, list);
  const start = (page - 1) * pageSize;
  return readList(ranking, { ...list, order }, start, start + pageSize - 1);
}

async function listInteresting(ranking: Ranking, list: List): Promise<Page> {
  const { interesting } = guildKeys(ranking.applicationId, list.guild);
  const newest = await readRanks(
    ranking,
    list.guild,
    interesting,
    'desc',
    0,
    INTERESTING_SHOWN - 1,
  );
  const { group } = list;
  const shown = group
    ? newest.articles.filter((article) => article.groups.includes(group))
    : newest.articles;
  return pageOf(shown, list);
}

/** The listed interesting articles posted since `fromMs`, oldest first. */
export async function interestingSince(
  ranking: Ranking,
  guild: Snowflake,
  fromMs: number,
): Promise<Snowflake[]> {
  const { interesting } = guildKeys(ranking.applicationId, guild);
  return ranking.redis.zrangebyscore(interesting, Math.floor(fromMs / 1000), '+inf');
}

/** The articles of a list at the ranks `start` to `stop`, from 0. */
export async function readList(
  ranking: Ranking,
  list: Pick<List, 'guild' | 'group'> & { order: Exclude<Order, 'interesting'> },
  start: number,
  stop: number,
): Promise<Ranks> {
  const { guild, group, order } = list;
  const keys = guildKeys(ranking.applicationId, guild);
  const by = order.startsWith('score') ? 'score' : 'time';
  const key = group ? keys[`${by}Of`](group) : keys[by];
  const direction = order.endsWith('-desc') ? 'desc' : 'asc';
  return readRanks(ranking, guild, key, direction, start, stop);
}
