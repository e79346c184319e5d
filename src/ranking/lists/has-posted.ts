import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Ranking } from '../ranking.ts';
import { walkNewest } from './ranked.ts';

/** Who posted nothing among so many of the newest is shown as someone new. */
const LOOKED_THROUGH = 3000;

/**
 * Whether an article of the member is among the newest of these lists; null is the guild's. Nobody posts before they
 * join (`sinceMs`), so that little is read of the guild for who has just come.
 */
export async function hasPosted(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  groups: readonly (Snowflake | null)[],
  sinceMs: number,
): Promise<boolean> {
  for (const group of groups) {
    for await (const articles of walkNewest(ranking, { guild, group }, sinceMs, LOOKED_THROUGH)) {
      if (articles.some(({ poster }) => poster === member)) return true;
    }
  }
  return false;
}
