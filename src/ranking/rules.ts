import { DAY_MS } from '../runtime/clock.ts';

/** The rules of voting and ranking that are numbers. */

/** Voting is open for one week after the post time. */
export const VOTING_OPEN_MS = 7 * DAY_MS;

/** For this long after the closing time the reactions can still change the tally; then it is final. */
export const LAST_RECOUNT_MS = DAY_MS;

/** This long after its post time, an article's tally is final. */
export const FINAL_AFTER_MS = VOTING_OPEN_MS + LAST_RECOUNT_MS;

/** What a vote is worth in a guild. */
export type Scale = {
  /** Up votes from which an article is interesting; at least 1. */
  mark: number;
  /** Days of post time that as many net votes as the mark are worth. */
  spanDays: Span;
};

/**
 * The spans that a guild can have, in days: from 45 minutes to a week. Those below a day are halves, which
 * numbers hold exactly. The scripts know them too: `row.include.lua`.
 */
export const SPANS = [0.03125, 0.0625, 0.125, 0.25, 0.5, 1, 2, 3, 5, 7] as const;
export type Span = (typeof SPANS)[number];

/** The textbook's (Redis in Action, section 1.3), and that of a guild that has none of its own. */
export const TEXTBOOK: Scale = { mark: 200, spanDays: 1 };

/** The stored scale. What is absent or invalid counts as the textbook's, as in the scripts. */
export function scaleOf(mark: string | null | undefined, span: string | null | undefined): Scale {
  return {
    mark: isMark(mark) ? Number(mark) : TEXTBOOK.mark,
    spanDays: spanOf(span) ?? TEXTBOOK.spanDays,
  };
}

export function isMark(stored: string | null | undefined): stored is string {
  return /^[1-9]\d*$/.test(stored ?? '');
}

/** Undefined for what is no span. */
export function spanOf(stored: string | null | undefined): Span | undefined {
  return SPANS.find((days) => String(days) === stored);
}

const DAY_SECONDS = 86_400;

/**
 * Seconds of post time that one vote is worth: span ÷ mark.
 * An article with as many net votes as the mark has the same score as one posted a span later
 * (Redis in Action, section 1.3, where the span is a day: 86 400 ÷ 200 = 432).
 */
export function weightOf({ mark, spanDays }: Scale): number {
  return (spanDays * DAY_SECONDS) / mark;
}

/** The score of an article that was posted at `seconds`, as in `row.include.lua`. */
export function scoreOf(
  { up, down }: { up: number; down: number },
  seconds: number,
  scale: Scale,
): number {
  return seconds + weightOf(scale) * (up - down);
}

/** Articles in a list by votes. The ranking of closed ones keeps as many: `rankings.include.lua`. */
export const VOTES_SIZE = 1000;

/** The most groups of an article, including its home group: its message names all of them. */
export const MAX_GROUPS = 10;
