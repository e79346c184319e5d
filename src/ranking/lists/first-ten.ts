import { readOutcomes } from '../outcomes.ts';
import { byTime } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

const FIRST = 10;

/**
 * Of a guild's best, in the order of their scores: those that stand among the first ten, and the newest of those that
 * did, at most `most` together, the newest first. It stood there if a reader saw it there, or, since nobody may have
 * looked, if fewer than ten older ones have a higher score. What nobody votes for, or more against than for, has only
 * passed by.
 */
export async function reachedFirstTen(
  ranking: Ranking,
  guild: Snowflake,
  { best, most }: { best: readonly Article[]; most: number },
): Promise<Article[]> {
  const others = best.flatMap((article, at) => {
    const { up, down, postedAtMs } = article;
    if (at < FIRST || up + down < 2 || up <= down) return [];
    const above = best.slice(0, at).filter((one) => one.postedAtMs < postedAtMs).length;
    return [{ article, above }];
  });
  const ids = others.map(({ article }) => article.id);
  const outcomes = await readOutcomes(ranking, guild, ids);
  const reached = others.flatMap(({ article, above }, at) => {
    const seenAt = outcomes[at]!.best ?? Number.POSITIVE_INFINITY;
    return seenAt <= FIRST || above < FIRST ? [article] : [];
  });
  const left = reached.sort(byTime).slice(0, most - FIRST);
  return [...best.slice(0, FIRST), ...left].sort(byTime);
}
