import { DAY_MS } from '../../runtime/clock.ts';
import { LOOKED_THROUGH, walkNewest } from '../lists/ranked.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import type { Article } from './articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** The mark goes by the articles that closed in the last 30 days. */
const CLOSED_WITHIN_MS = 30 * DAY_MS;

/** An article as the fitting of mark and span looks at it. */
export type Sampled = Pick<Article, 'postedAtMs' | 'closesAtMs' | 'up' | 'down'>;

/** The listed articles that closed in the last 30 days, and all newer ones: at most the newest 10 000. */
export async function readSample(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<Sampled[]> {
  const sample: Sampled[] = [];
  const sinceMs = now - VOTING_OPEN_MS - CLOSED_WITHIN_MS;
  for await (const articles of walkNewest(ranking, { guild }, sinceMs, LOOKED_THROUGH)) {
    for (const { postedAtMs, closesAtMs, up, down } of articles) {
      sample.push({ postedAtMs, closesAtMs, up, down });
    }
  }
  return sample;
}

/** The up votes of those whose voting has ended. */
export function closedUps(sample: readonly Sampled[], now: number): number[] {
  return sample.filter(({ closesAtMs }) => closesAtMs <= now).map(({ up }) => up);
}
