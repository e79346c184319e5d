import { DAY_MS } from '../../runtime/clock.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Span, SPANS } from '../rules.ts';
import type { Of } from '../lists/ranked.ts';

/** The span is the time in which a guild posts so many: three pages of ten. */
const ARTICLES_OF_SPAN = 30;
/** The sample: articles posted in the last 30 days. */
const POSTED_WITHIN_MS = 30 * DAY_MS;
/**
 * The span moves only when the time is nearer to another step by this ratio, so that a chance quiet week
 * does not move it. The number of articles in 30 days varies by 3 % at 30 a day, and by 8 % at six.
 */
const MARGIN = 1.08;

/** How often a guild posts, from its last 30 days, or from its beginning if that is later. */
export type Posting = { articles: number; days: number };

/**
 * The next span, in days: the step that is nearest, as a ratio, to the time in which the guild posts 30
 * articles, so that votes decide the order and not the hour. `before`: the span so far, null if there is none.
 *
 * The nearest step and not the next longer one: `bench/readers.ts` shows that at 22 a day two days keep old
 * articles on the page.
 */
export function fittedSpan(before: Span | null, { articles, days }: Posting): Span {
  const wantedDays = articles === 0 ? Infinity : (ARTICLES_OF_SPAN * days) / articles;
  const fitting = nearestSpan(wantedDays);
  if (before === null || fitting === before) return fitting;
  const isClearly = nearestSpan(fitting > before ? wantedDays / MARGIN : wantedDays * MARGIN);
  return isClearly === before ? before : fitting;
}

/** Between two steps, the boundary is where the time has the same ratio to both. */
function nearestSpan(days: number): Span {
  const next = SPANS.findIndex((span) => span >= days);
  if (next <= 0) return next < 0 ? SPANS.at(-1)! : 1;
  const [shorter, longer] = [SPANS[next - 1]!, SPANS[next]!];
  return days * days < shorter * longer ? shorter : longer;
}

/** How often articles are posted that the guild's list shows, or a group's. One round trip. */
export async function readPosting(
  ranking: Ranking,
  { guild, group }: Of,
  now: number,
): Promise<Posting> {
  const keys = guildKeys(ranking, guild);
  const time = group ? keys.ofGroup('time', group) : keys.time;
  const fromMs = now - POSTED_WITHIN_MS;
  const [articles, [, oldest]] = await Promise.all([
    ranking.redis.zcount(time, Math.ceil(fromMs / 1000), '+inf'),
    ranking.redis.zrange(time, '0', '0', 'WITHSCORES'),
  ]);
  const sinceMs = Math.max(fromMs, Number(oldest ?? 0) * 1000);
  return { articles, days: Math.max(1, (now - sinceMs) / DAY_MS) };
}
