import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Ranking } from '../ranking.ts';
import { walkList } from './ranked.ts';

/** Who posted nothing among so many of the newest is shown as someone new. */
const LOOKED_THROUGH = 3000;

/** Whether an article of the member is among the newest of these lists; null is the guild's. */
export async function hasPosted(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  groups: readonly (Snowflake | null)[],
): Promise<boolean> {
  for (const group of groups) {
    const list = { guild, group, order: 'time' } as const;
    for await (const articles of walkList(ranking, list, LOOKED_THROUGH)) {
      if (articles.some(({ poster }) => poster === member)) return true;
    }
  }
  return false;
}
