import { LENGTH_MS, type Period } from '../lists/by-votes.ts';
import { type Order, type Page, pageOf } from '../lists/ranked.ts';
import { LOOKED_THROUGH, walkNewest } from '../lists/walk-lists.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';
import { readVotesOf } from '../ballots/voters.ts';

/**
 * The articles on which a member can vote and has not voted: the guild's listed articles or those of a
 * group, among the newest 10 000 open ones. The front order is that of the scores here.
 */
export async function listUnvoted(
  ranking: Ranking,
  list: {
    guild: Snowflake;
    group?: Snowflake;
    member: Snowflake;
    order: Order | 'front' | 'votes';
    /** Only `votes` uses it: the articles posted in it. */
    period?: Period;
    page: number;
    pageSize: number;
  },
  now: number,
): Promise<Page> {
  const { guild, member, order, period = 'ever' } = list;
  const openMs = order === 'votes' ? Math.min(LENGTH_MS[period], VOTING_OPEN_MS) : VOTING_OPEN_MS;
  const unvoted: Article[] = [];
  for await (const articles of walkNewest(ranking, list, now - openMs, LOOKED_THROUGH)) {
    const votable = articles.filter((article) => isVotable(article, member, now));
    const ids = votable.map(({ id }) => id);
    const votes = await readVotesOf(ranking, guild, member, ids);
    unvoted.push(...votable.filter((_, n) => votes[n] === 'none'));
  }
  const wanted =
    order === 'interesting' ? unvoted.filter(({ interesting }) => interesting) : unvoted;
  wanted.sort((a, b) => compare(order, a, b) || (a.id < b.id ? 1 : -1));
  return pageOf(wanted, list);
}

function compare(order: Order | 'front' | 'votes', a: Article, b: Article): number {
  switch (order) {
    case 'score-asc':
      return a.score - b.score;
    case 'time-asc':
      return a.postedAtMs - b.postedAtMs;
    case 'time-desc':
    case 'interesting':
      return b.postedAtMs - a.postedAtMs;
    case 'votes':
      return b.up - b.down - (a.up - a.down);
    default:
      return b.score - a.score;
  }
}

function isVotable(article: Article, member: Snowflake, now: number): boolean {
  const { closed, locked, poster, closesAtMs } = article;
  return !closed && !locked && poster !== member && now < closesAtMs;
}
