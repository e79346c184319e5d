import { DAY_MS } from '../runtime/clock.ts';

/** The rules of voting and ranking that are numbers. */

/** Voting is open for one week after the post time. */
export const VOTING_OPEN_MS = 7 * DAY_MS;

/** For this long after the closing time the reactions can still change the tally; then it is final. */
export const LAST_RECOUNT_MS = DAY_MS;

/** This long after its post time, an article's tally is final. */
export const FINAL_AFTER_MS = VOTING_OPEN_MS + LAST_RECOUNT_MS;

/** The interesting mark of a guild that has not set one, in up votes. */
const DEFAULT_MARK = 200;

/** The stored mark. An absent or invalid one counts as the default, as in the scripts. */
export function markOf(stored: string | null | undefined): number {
  return isMark(stored) ? Number(stored) : DEFAULT_MARK;
}

export function isMark(stored: string | null | undefined): stored is string {
  return /^[1-9]\d*$/.test(stored ?? '');
}

const DAY_SECONDS = 86_400;

/**
 * Seconds of post time that one vote is worth.
 * An article with as many net votes as the mark has the same score as one posted a day later
 * (Redis in Action, section 1.3: 86 400 ÷ 200 = 432).
 */
export function weightOf(mark: number): number {
  return DAY_SECONDS / mark;
}

/** The score of an article that was posted at `seconds`, as in `row.include.lua`. */
export function scoreOf(
  { up, down }: { up: number; down: number },
  seconds: number,
  mark: number,
): number {
  return seconds + weightOf(mark) * (up - down);
}

/** Articles in a list by votes. The ranking of closed ones keeps as many: `rankings.include.lua`. */
export const VOTES_SIZE = 1000;

/** The most groups of an article, including its home group: its message names all of them. */
export const MAX_GROUPS = 10;
