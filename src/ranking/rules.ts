import { createHash } from 'node:crypto';
import { z } from 'zod';
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
  /** Net votes beyond `LIMIT` marks lift an article no further, so nothing is lifted by more than two spans. */
  isLimited: boolean;
};

/** The spans that a guild can have, in days. The scripts know them too: `row.include.lua`. */
export const SPANS = [1, 2, 3, 5, 7] as const;
export type Span = (typeof SPANS)[number];

/** A span in a stored setting or a file. An earlier version had spans below a day, which are a day now. */
export const zSpan = z.literal(SPANS).or(
  z
    .number()
    .gt(0)
    .lt(1)
    .transform((): Span => 1),
);

/** Votes count up to so many marks. */
export const LIMIT = 2;

/** The textbook's (Redis in Action, section 1.3): 432 seconds a vote, however many there are. */
export const TEXTBOOK: Scale = { mark: 200, spanDays: 1, isLimited: false };

/** The fields of a stored scale, in the order of `scaleOf`. */
export const SCALE_FIELDS = ['mark', 'span', 'limit'] as const;

/** The stored scale. What is absent or invalid is 200, a day, and limited, as in the scripts. */
export function scaleOf([mark, span, limit]: readonly (string | null | undefined)[]): Scale {
  return {
    mark: isMark(mark) ? Number(mark) : TEXTBOOK.mark,
    spanDays: spanOf(span) ?? TEXTBOOK.spanDays,
    isLimited: limit !== 'none',
  };
}

/** A group's own scale as it is stored, `<mark> <span>`; null: it has none. */
export function decodeChannelScale(stored: string | number | null | undefined): Scale | null {
  const [mark, span] = `${stored ?? ''}`.split(' ');
  const spanDays = spanOf(span);
  return isMark(mark) && spanDays ? { mark: Number(mark), spanDays, isLimited: true } : null;
}

export function encodeChannelScale({ mark, spanDays }: Scale): string {
  return `${mark} ${spanDays}`;
}

export function isMark(stored: string | null | undefined): stored is string {
  return /^[1-9]\d*$/.test(stored ?? '');
}

/** Undefined for what is no span. */
export function spanOf(stored: string | null | undefined): Span | undefined {
  if (!/^\d+(\.\d+)?$/.test(stored ?? '')) return undefined;
  return zSpan.safeParse(Number(stored)).data;
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

/** The score of an article that was posted at `seconds`: to the digit that of `row.include.lua`. */
export function scoreOf(
  { up, down }: { up: number; down: number },
  seconds: number,
  scale: Scale,
): number {
  return seconds + weightOf(scale) * Math.min(up - down, mostNetOf(scale));
}

/** The net votes from which more of them lift an article no further. */
export function mostNetOf({ mark, isLimited }: Scale): number {
  return isLimited ? LIMIT * mark : Infinity;
}

/**
 * The version of the score: of what it gives for a few articles. Where a guild's articles were scored by
 * another one, they are scored anew.
 */
export const SCORE_VERSION = versionOf([-1, 3, 40, 41, 500]);

function versionOf(nets: readonly number[]): string {
  const scales = [{ mark: 20, spanDays: 5, isLimited: true } as const, TEXTBOOK];
  const scores = scales.flatMap((scale) => nets.map((up) => scoreOf({ up, down: 0 }, 0, scale)));
  return createHash('sha256').update(scores.join(' ')).digest('hex').slice(0, 8);
}

/** Articles in a list by votes. The ranking of closed ones keeps as many: `rankings.include.lua`. */
export const VOTES_SIZE = 1000;

/** The most groups of an article, including its home group: its message names all of them. */
export const MAX_GROUPS = 10;
