import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** A position, from 1, and the number of positions; null if the article is not in the order. */
export type Rank = { position: number; of: number } | null;

export type Positions = {
  /** In the guild; null for an article that is not listed. */
  score: Rank;
  time: Rank;
  /** By score in each of its groups. */
  groups: { group: Snowflake; score: Rank }[];
};

/** An article's positions in the orders that are kept, best first. */
export async function readPositions(
  ranking: Ranking,
  guild: Snowflake,
  { id, groups }: Pick<Article, 'id' | 'groups'>,
): Promise<Positions> {
  const keys = guildKeys(ranking, guild);
  const [score, time, inGroups] = await Promise.all([
    rankIn(ranking, keys.score, id),
    rankIn(ranking, keys.time, id),
    Promise.all(
      groups.map(async (group) => ({
        group,
        score: await rankIn(ranking, keys.scoreOf(group), id),
      })),
    ),
  ]);
  return { score, time, groups: inGroups };
}

async function rankIn({ redis }: Ranking, key: string, id: Snowflake): Promise<Rank> {
  const [rank, of] = await Promise.all([redis.zrevrank(key, id), redis.zcard(key)]);
  return rank === null ? null : { position: rank + 1, of };
}
