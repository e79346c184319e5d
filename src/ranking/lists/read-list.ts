import { bestByVotes, byNetVotes, type Period } from './by-votes.ts';
import { frontOf, inFrontOrder } from './fair-front.ts';
import {
  byScore,
  byTime,
  isRanked,
  listArticles,
  newestInteresting,
  type Of,
  type Page,
  type RankedOrder,
} from './ranked.ts';
import { LOOKED_THROUGH, walkList } from './walk-lists.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';

type OrderOf = {
  /** A list's articles in this order, in steps. */
  read(
    ranking: Ranking,
    of: Of & { period: Period },
    now: number,
  ): AsyncIterable<Article[]> | Promise<Article[]>[];
  /** Those of some articles that such a list holds, in this order. */
  sort(articles: readonly Article[]): Article[];
};

const table = {
  score: { read: ranked('score'), sort: (articles) => articles.toSorted(byScore) },
  'score-asc': {
    read: ranked('score-asc'),
    sort: (articles) => articles.toSorted(byScore).toReversed(),
  },
  time: { read: ranked('time'), sort: (articles) => articles.toSorted(byTime) },
  'time-asc': {
    read: ranked('time-asc'),
    sort: (articles) => articles.toSorted(byTime).toReversed(),
  },
  interesting: {
    read: (ranking, of) => [newestInteresting(ranking, of)],
    sort: (articles) => articles.filter(({ interesting }) => interesting).toSorted(byTime),
  },
  front: { read: (ranking, { guild }) => [frontOf(ranking, guild)], sort: inFrontOrder },
  votes: {
    read: (ranking, of, now) => [bestByVotes(ranking, of, now)],
    sort: (articles) => articles.toSorted(byNetVotes),
  },
} satisfies Record<string, OrderOf>;

export type Order = keyof typeof table;

/** Every order of lists, as `/top` offers them; each has a text `top.order.<order>`. */
export const orders: Record<Order, OrderOf> = table;
export const ORDERS = Object.keys(table) as Order[];

export type List = Of & {
  order: Order;
  /** Only the order `votes` uses it: the articles posted in it. Absent: all. */
  period?: Period;
  /** From 1. */
  page: number;
  pageSize: number;
  /** Absent: every article. */
  accept?: (article: Article) => boolean;
};

/**
 * A page of a list; one beyond the end is empty. With `accept`, a page of the accepted articles among
 * the first 10 000; without, a ranking's page is one round trip.
 */
export async function readList(ranking: Ranking, list: List, now: number): Promise<Page> {
  const { period = 'ever', accept = () => true } = list;
  const order = orderIn(list);
  if (isRanked(order) && !list.accept) return listArticles(ranking, { ...list, order });
  const found: Article[] = [];
  for await (const articles of orders[order].read(ranking, { ...list, period }, now)) {
    found.push(...articles.filter(accept));
  }
  return pageOf(found, list);
}

/** The front order is fair between groups. A single group is in the order of its scores. */
export function orderIn({ group, order }: Pick<List, 'group' | 'order'>): Order {
  return order === 'front' && group ? 'score' : order;
}

/** A page of a list that is in memory. */
export function pageOf(
  all: readonly Article[],
  { page, pageSize }: Pick<List, 'page' | 'pageSize'>,
): Page {
  return { articles: all.slice((page - 1) * pageSize, page * pageSize), total: all.length };
}

function ranked(order: RankedOrder): OrderOf['read'] {
  return (ranking, of) => walkList(ranking, { ...of, order }, LOOKED_THROUGH);
}
