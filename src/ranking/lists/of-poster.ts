import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { byTime, LOOKED_THROUGH, walkList } from './ranked.ts';

/**
 * A member's articles in these lists, the newest first; null is the guild's. Each list is looked through as far as
 * a search is, and all together no further than ten of them.
 */
export async function articlesOf(
  ranking: Ranking,
  guild: Snowflake,
  poster: Snowflake,
  groups: readonly (Snowflake | null)[],
): Promise<Article[]> {
  const found = new Map<Snowflake, Article>();
  let left = LOOKED_THROUGH * 10;
  for (const group of groups) {
    const most = Math.min(left, LOOKED_THROUGH);
    if (most <= 0) break;
    for await (const articles of walkList(ranking, { guild, group, order: 'time' }, most)) {
      left -= articles.length;
      for (const one of articles) if (one.poster === poster) found.set(one.id, one);
    }
  }
  return [...found.values()].sort(byTime);
}
