import type { Digest } from '../digest-settings.ts';

/**
 * From so many posts a day, an edition each day has enough to choose from. With two a day, a fifth of the days had
 * no edition and the others one link or two.
 */
const DAILY_FROM = 3;
/** A digest that is there is only spoken of when it is off by this factor. */
const MARGIN = 1.5;
/** A shorter time, or fewer articles, say nothing about a server. */
const LEAST_DAYS = 7;
const LEAST_ARTICLES = 3;

type Posting = { articles: number; days: number };

function isKnown({ articles, days }: Posting): boolean {
  return days >= LEAST_DAYS && articles >= LEAST_ARTICLES;
}

/** How often a server should have an edition, by what it posts. Each day, where little is known. */
export function fittingRhythm({ articles, days }: Posting): 'day' | 'week' {
  return isKnown({ articles, days }) && articles / days < DAILY_FROM ? 'week' : 'day';
}

/** The rhythm that would fit a digest of the whole server clearly better; null: its own does. */
export function betterRhythm(
  { schedule, groups }: Digest,
  posting: Posting,
): 'day' | 'week' | null {
  if (groups.length > 0 || !isKnown(posting)) return null;
  const aDay = posting.articles / posting.days;
  if (schedule.every === 'day') return aDay < DAILY_FROM / MARGIN ? 'week' : null;
  const isWeekly = schedule.every === 'week' && schedule.weekdays.length === 1;
  return isWeekly && aDay > DAILY_FROM * MARGIN ? 'day' : null;
}
