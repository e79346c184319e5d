import { guildKeys } from '../keys.ts';
import { PERIODS, type Period } from './by-votes.ts';
import { readList } from './read-list.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { VOTES_SIZE } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';

/** A place, from 1, and the number of places; null if the article is not in the order. */
export type Rank = { place: number; of: number } | null;

export type Places = {
  /** In the guild; null for an article that is not listed. */
  score: Rank;
  time: Rank;
  front: Rank;
  /** By net votes among the articles posted in the period; null beyond the order's length. */
  votes: Record<Period, Rank>;
  /** By score in each of its groups. */
  groups: { group: Snowflake; score: Rank }[];
};

/** An article's place in every order, best first. */
export async function readPositions(
  ranking: Ranking,
  guild: Snowflake,
  article: Article,
  now: number,
): Promise<Places> {
  const keys = guildKeys(ranking.applicationId, guild);
  const { id, groups } = article;
  const placeIn = async (order: 'front' | 'votes', period: Period = 'ever'): Promise<Rank> => {
    if (!article.listed) return null;
    const list = { guild, order, period, page: 1, pageSize: VOTES_SIZE };
    return placeAmong((await readList(ranking, list, now)).articles, id);
  };
  const [score, time, inFront, votes, inGroups] = await Promise.all([
    rankIn(ranking, keys.score, id),
    rankIn(ranking, keys.time, id),
    placeIn('front'),
    Promise.all(PERIODS.map(async (period) => [period, await placeIn('votes', period)])),
    Promise.all(
      groups.map(async (group) => ({
        group,
        score: await rankIn(ranking, keys.scoreOf(group), id),
      })),
    ),
  ]);
  return {
    score,
    time,
    front: inFront,
    votes: Object.fromEntries(votes) as Record<Period, Rank>,
    groups: inGroups,
  };
}

async function rankIn({ redis }: Ranking, key: string, id: Snowflake): Promise<Rank> {
  const [rank, of] = await Promise.all([redis.zrevrank(key, id), redis.zcard(key)]);
  return rank === null ? null : { place: rank + 1, of };
}

function placeAmong(articles: readonly Article[], id: Snowflake): Rank {
  const index = articles.findIndex((article) => article.id === id);
  return index < 0 ? null : { place: index + 1, of: articles.length };
}
