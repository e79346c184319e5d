import { LENGTH_MS } from '../lists/by-votes.ts';
import type { Page } from '../lists/ranked.ts';
import { type List, orderIn, orders, pageOf } from '../lists/read-list.ts';
import { LOOKED_THROUGH, walkNewest } from '../lists/walk-lists.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';
import { readVotesOf } from '../ballots/voters.ts';

/**
 * The articles on which a member can vote and has not voted: the guild's listed articles or those of a
 * group, among the newest 10 000 open ones.
 */
export async function listUnvoted(
  ranking: Ranking,
  list: Omit<List, 'accept'> & { member: Snowflake },
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
  return pageOf(orders[orderIn(list)].sort(unvoted), list);
}

function isVotable(article: Article, member: Snowflake, now: number): boolean {
  const { closed, locked, poster, closesAtMs } = article;
  return !closed && !locked && poster !== member && now < closesAtMs;
}
