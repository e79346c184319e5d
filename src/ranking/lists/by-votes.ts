import { DAY_MS } from '../../runtime/clock.ts';
import { amongEquals, listArticles, type Of, LOOKED_THROUGH, topPostedBetween } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { FINAL_AFTER_MS, VOTES_SIZE } from '../rules.ts';

/** The length of each period, which ends now; a month has 30 days. Each has a text `top.period.<period>`. */
export const LENGTH_MS = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  ever: Number.POSITIVE_INFINITY,
} as const satisfies Record<string, number>;
export type Period = keyof typeof LENGTH_MS;

/** Every period, in the order in which they are offered. */
export const PERIODS = Object.keys(LENGTH_MS) as [Period, ...Period[]];

/**
 * The articles posted in a period by net votes, best first, ties newest first; at most 1 000, among the
 * newest 10 000 of the period. The list of all time has all: its closed articles are in a ranking, and
 * the posts whose tally is not final are added here, so that a vote has no extra work.
 */
export async function bestByVotes(
  ranking: Ranking,
  of: Of & { period: Period },
  now: number,
): Promise<Article[]> {
  const { period } = of;
  const isEver = period === 'ever';
  const posted = await topPostedBetween(ranking, {
    ...of,
    fromMs: now - (isEver ? FINAL_AFTER_MS : LENGTH_MS[period]),
    untilMs: Infinity,
    most: LOOKED_THROUGH,
    count: VOTES_SIZE,
    compare: byNetVotes,
  });
  if (!isEver) return posted;
  const list = { ...of, order: 'votes', page: 1, pageSize: VOTES_SIZE } as const;
  const closed = await listArticles(ranking, list);
  // An article that was closed in the last day is in both.
  const byId = new Map([...posted, ...closed.articles].map((article) => [article.id, article]));
  return [...byId.values()].sort(byNetVotes).slice(0, VOTES_SIZE);
}

/** Best first. */
export function byNetVotes(a: Article, b: Article): number {
  return b.up - b.down - (a.up - a.down) || amongEquals(a, b);
}
