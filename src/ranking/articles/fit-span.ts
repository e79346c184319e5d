import { DAY_MS } from '../../runtime/clock.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { scoreOf, type Span, SPANS } from '../rules.ts';
import type { Sampled } from './fit-sample.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Where few articles are posted, the span is the time in which a guild posts so many: three pages of ten. */
const ARTICLES_OF_SPAN = 30;
/** The sample: articles posted in the last 30 days. */
const POSTED_WITHIN_MS = 30 * DAY_MS;
/**
 * The span moves only when the time is nearer to another step by this ratio, so that a chance quiet week
 * does not move it. The number of articles in 30 days varies by 3 % at 30 a day, and by 8 % at six.
 */
const MARGIN = 1.08;

/** How often a guild posts, from its last 30 days, or from its beginning if that is later. */
type Posting = { articles: number; days: number };

/** How many articles the first page has, and how old they shall be on average. */
const PAGE = 10;
const WANTED_AGE_DAYS = 1;
/** The pages of so many nights are looked at, since one page tells little. */
const NIGHTS = 7;
/** The span stays while the age is not wrong by more than this ratio. */
const AGE_MARGIN = 1.5;

/** What the age of a guild's first page follows from. */
type Pages = { sample: readonly Sampled[]; mark: number; now: number };

/**
 * The next span, in days. `before`: the span so far, null if there is none.
 *
 * Where few articles are posted: the step that is nearest, as a ratio, to the time in which the guild posts
 * 30 articles, so that votes decide the order and not the hour. The nearest step and not the next longer one:
 * `bench/readers.ts` shows that at 22 a day two days keep old articles on the page, and who comes every 8
 * hours gains 0.53 of the best possible, not 0.78.
 *
 * Where that is a day, it is a day or less: the step with which the ten articles of the first page are about
 * a day old. What stands on the page is voted on, so the best get several times the mark; with a span of a
 * day, a guild of 250 articles a day has ten that are two weeks old, and who comes daily gains 0.09 to 0.13 of
 * the best possible, not 0.47 to 0.60.
 */
export function fittedSpan(before: Span | null, posting: Posting, pages: Pages): Span {
  const days = spanByPosting(before === null || before > 1 ? before : 1, posting);
  return days > 1 ? days : spanByAge(before === null || before > 1 ? 1 : before, pages);
}

function spanByPosting(before: Span | null, { articles, days }: Posting): Span {
  const wantedDays = articles === 0 ? Infinity : (ARTICLES_OF_SPAN * days) / articles;
  const fitting = nearestSpan(wantedDays);
  if (before === null || fitting === before) return fitting;
  const isClearly = nearestSpan(fitting > before ? wantedDays / MARGIN : wantedDays * MARGIN);
  return isClearly === before ? before : fitting;
}

function spanByAge(before: Span, pages: Pages): Span {
  const offBy = (span: Span) => {
    const age = ageOfPage(span, pages);
    return age === null ? 0 : Math.log(age / WANTED_AGE_DAYS);
  };
  const off = offBy(before);
  if (Math.abs(off) <= Math.log(AGE_MARGIN)) return before;
  const isTooOld = off > 0;
  // The longest of those that are as good: without votes, all give the same page.
  const steps = SPANS.filter((span) => span <= 1 && (isTooOld ? span <= before : span >= before))
    .toReversed()
    .map((span) => ({ span, off: Math.abs(offBy(span)) }));
  return steps.reduce((best, step) => (step.off < best.off ? step : best)).span;
}

/**
 * The average age, in days, of the articles of the first page with this span, in the last nights and with the
 * votes of now. Null if there was no whole page.
 */
function ageOfPage(spanDays: Span, { sample, mark, now }: Pages): number | null {
  const scored = sample
    .map((article) => ({
      atMs: article.postedAtMs,
      score: scoreOf(article, article.postedAtMs / 1000, { mark, spanDays }),
    }))
    .sort((a, b) => b.score - a.score);
  const ages: number[] = [];
  for (let night = 0; night < NIGHTS; night += 1) {
    const thenMs = now - night * DAY_MS;
    const page: number[] = [];
    for (const { atMs } of scored) {
      if (atMs <= thenMs && page.push((thenMs - atMs) / DAY_MS) === PAGE) break;
    }
    if (page.length === PAGE) ages.push(mean(page));
  }
  return ages.length === 0 ? null : mean(ages);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
}

/** A day or more. Between two steps, the boundary is where the time has the same ratio to both. */
function nearestSpan(days: number): Span {
  const spans = SPANS.filter((span) => span >= 1);
  const next = spans.findIndex((span) => span >= days);
  if (next <= 0) return next < 0 ? spans.at(-1)! : 1;
  const [shorter, longer] = [spans[next - 1]!, spans[next]!];
  return days * days < shorter * longer ? shorter : longer;
}

/** How often the guild posts articles that its list shows. One round trip. */
export async function readPosting(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<Posting> {
  const { time } = guildKeys(ranking, guild);
  const fromMs = now - POSTED_WITHIN_MS;
  const [articles, [, oldest]] = await Promise.all([
    ranking.redis.zcount(time, Math.ceil(fromMs / 1000), '+inf'),
    ranking.redis.zrange(time, '0', '0', 'WITHSCORES'),
  ]);
  const sinceMs = Math.max(fromMs, Number(oldest ?? 0) * 1000);
  return { articles, days: Math.max(1, (now - sinceMs) / DAY_MS) };
}
