import { listFront } from './fair-front.ts';
import type { Order, Page } from './ranked.ts';
import { listByVotes, type Period } from './by-votes.ts';
import { LOOKED_THROUGH, walkList } from './walk-lists.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { FRONT_SIZE, VOTES_SIZE } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';

type Filtered = {
  guild: Snowflake;
  group?: Snowflake;
  page: number;
  pageSize: number;
  /** Only `votes` uses the period: the articles posted in it. */
  order: Order | 'front' | 'votes';
  period?: Period;
  accept: (article: Article) => boolean;
};

/** A page of the accepted articles among the first 10 000 of a list, in the list's order. */
export async function listFiltered(ranking: Ranking, list: Filtered, now: number): Promise<Page> {
  const { page, pageSize, accept } = list;
  if (page < 1 || pageSize < 1) return { articles: [], total: 0 };
  const accepted: Article[] = [];
  let total = 0;
  for await (const articles of stepsOf(ranking, list, now)) {
    for (const article of articles) {
      if (!accept(article)) continue;
      total += 1;
      if (total > (page - 1) * pageSize && accepted.length < pageSize) accepted.push(article);
    }
  }
  return { articles: accepted, total };
}

async function* stepsOf(ranking: Ranking, list: Filtered, now: number): AsyncGenerator<Article[]> {
  const { guild, order, period = 'ever' } = list;
  if (order === 'votes') {
    const all = { ...list, period, page: 1, pageSize: VOTES_SIZE };
    yield (await listByVotes(ranking, all, now)).articles;
  } else if (order === 'front') {
    yield (await listFront(ranking, { guild, page: 1, pageSize: FRONT_SIZE })).articles;
  } else yield* walkList(ranking, { ...list, order }, LOOKED_THROUGH);
}
