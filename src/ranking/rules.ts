/** The rules of the game that are numbers. */

/** Voting is open for one week after the post time. */
export const VOTING_OPEN_MS = 604_800_000;

/** So long after the closing time the reactions still say the result; then the tally stands. */
export const LAST_RECOUNT_MS = 86_400_000;

/** Up votes from which an article is interesting, unless the guild says otherwise. */
export const DEFAULT_MARK = 200;

/** The mark that is stored; what cannot be one counts as the default, as it does in the scripts. */
export function markOf(stored: string | null | undefined): number {
  return Number(stored) || DEFAULT_MARK;
}

const DAY_SECONDS = 86_400;

/**
 * Seconds of post time that one vote is worth.
 * An article with a whole mark of net votes keeps level with one posted a day later
 * (Redis in Action, section 1.3: 86 400 ÷ 200 = 432).
 */
export function weightOf(mark: number): number {
  return DAY_SECONDS / mark;
}

/** The list of interesting articles shows the newest 50. */
export const INTERESTING_SHOWN = 50;

/** The front order keeps so many articles. */
export const FRONT_SIZE = 200;

/** A link stays reserved for a posting for 60 s. */
export const RESERVATION_MS = 60_000;

/** An article can be in at most so many groups, its home group included: its embed names them all. */
export const MAX_GROUPS = 10;
