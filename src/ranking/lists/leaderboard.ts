import { walkNewest } from './walk-lists.ts';
import { LENGTH_MS, type Period } from './by-votes.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/** A member with the number and net votes of the articles that the member posted in a period. */
type Poster = { member: Snowflake; articles: number; net: number };

/** At most this many articles are counted, the newest. */
const ADDED_UP = 100_000;

/**
 * The posters of a guild's listed articles by the net votes on their articles of a period, best first.
 * The poster's own vote on an article does not count. Posters without net votes are left out.
 */
export async function readLeaderboard(
  ranking: Ranking,
  guild: Snowflake,
  period: Period,
  now: number,
): Promise<Poster[]> {
  const posters = new Map<Snowflake, Poster>();
  for await (const articles of walkNewest(ranking, { guild }, now - LENGTH_MS[period], ADDED_UP)) {
    for (const { poster: member, up, down } of articles) {
      const sum = posters.get(member) ?? { member, articles: 0, net: 0 };
      sum.articles += 1;
      sum.net += up - 1 - down;
      posters.set(member, sum);
    }
  }
  return [...posters.values()]
    .filter(({ net }) => net > 0)
    .sort((a, b) => b.net - a.net || b.articles - a.articles || (a.member < b.member ? -1 : 1));
}
