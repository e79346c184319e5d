import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { readArticles } from './articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/**
 * The listed articles posted in [fromMs, untilMs), the newest first, `most` at most. The work grows with
 * the posts of that time, not with what was posted since.
 */
export async function postedBetween(
  ranking: Ranking,
  guild: Snowflake,
  { fromMs, untilMs, most }: { fromMs: number; untilMs: number; most: number },
): Promise<Article[]> {
  const { time } = guildKeys(ranking, guild);
  const [min, max] = [Math.ceil(fromMs / 1000), `(${Math.ceil(untilMs / 1000)}`];
  const ids = await ranking.redis.zrevrangebyscore(time, max, min, 'LIMIT', 0, most);
  const articles = await readArticles(ranking, guild, ids);
  return articles.filter((article) => article !== null);
}
