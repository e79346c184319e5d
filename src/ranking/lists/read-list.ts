import { bestByVotes, type Period } from './by-votes.ts';
import { frontOf } from './fair-front.ts';
import {
  listArticles,
  newestInteresting,
  type Of,
  type Page,
  LOOKED_THROUGH,
  walkList,
} from './ranked.ts';
import { isOfGroups, isRanked, type Order } from './orders.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';

export type List = Of & {
  order: Order;
  /** Only an order that has periods uses it: the articles posted in it. Absent: all. */
  period?: Period;
  /** From 1. */
  page: number;
  pageSize: number;
  /** Those of some articles that the list shows. Absent: every article. */
  accept?: (articles: readonly Article[]) => Article[] | Promise<Article[]>;
  /** With `accept`: these come before the others, each part in the list's order. Default: no such part. */
  prefer?: (article: Article) => boolean;
};

/**
 * A page of a list; one beyond the end is empty. With `accept`, a page of the accepted articles among
 * the first 10 000; without, a ranking's page is one round trip.
 */
export async function readList(ranking: Ranking, list: List, now: number): Promise<Page> {
  const { accept, prefer, page, pageSize } = list;
  const order = orderIn(list);
  if (isRanked(order) && !accept) return listArticles(ranking, { ...list, order });
  const all: Article[] = [];
  for await (const articles of stepsOf(ranking, { ...list, order }, now)) {
    all.push(...(accept ? await accept(articles) : articles));
  }
  const sorted = prefer ? preferredFirst(all, prefer) : all;
  return { articles: sorted.slice((page - 1) * pageSize, page * pageSize), total: all.length };
}

function preferredFirst(all: readonly Article[], prefer: (article: Article) => boolean): Article[] {
  const preferred: Article[] = [];
  const others: Article[] = [];
  for (const article of all) (prefer(article) ? preferred : others).push(article);
  return [...preferred, ...others];
}

/** The front order is fair between groups. A single group is in the order of its scores. */
export function orderIn({ group, order }: Pick<List, 'group' | 'order'>): Order {
  return group && !isOfGroups(order) ? 'score' : order;
}

/** A list's articles in their order, in steps. */
function stepsOf(
  ranking: Ranking,
  { order, period = 'ever', ...of }: List,
  now: number,
): AsyncIterable<Article[]> | Promise<Article[]>[] {
  if (isRanked(order)) return walkList(ranking, { ...of, order }, LOOKED_THROUGH);
  switch (order) {
    case 'interesting':
      return [newestInteresting(ranking, of)];
    case 'front':
      return [frontOf(ranking, of.guild)];
    case 'votes':
      return [bestByVotes(ranking, { ...of, period }, now)];
    default:
      // A new order does not compile until its list is made here.
      return order satisfies never;
  }
}
