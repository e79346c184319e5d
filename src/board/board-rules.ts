import { HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { BoardState } from './stored-board.ts';

/** The least time between two edits because other articles or another order are to be shown. */
export const RANKS_EVERY_MS = 10 * MINUTE_MS;
/** The least time between two edits because only numbers or texts changed. */
export const NUMBERS_EVERY_MS = HOUR_MS;
/** Discord's limit of edits to older messages is not published, so a board stays far below any. */
export const REQUESTS_PER_HOUR = 7;
/** The first wait after Discord refused an edit for a while. */
const FIRST_REST_MS = 10 * MINUTE_MS;
const LONGEST_REST_MS = 12 * HOUR_MS;
/** A board that cannot be shown is tried again after this time. */
export const PROBE_MS = HOUR_MS;

/** What the board would show now. */
export type Picture = {
  articles: readonly Snowflake[];
  /** A hash of all that it shows, without the time. */
  shown: string;
};

export type Act = 'nothing' | 'post' | 'edit' | 'replace';

/** The requests that each act sends at most. */
const COSTS: Record<Act, number> = { nothing: 0, post: 2, edit: 1, replace: 2 };

/**
 * What to do with a board now. `replaceFromMs`: a message posted before this time gives way to a new one.
 * `mustLeave`: an article that it shows was removed, hidden or erased, which does not wait for the next edit.
 */
export function nextAct(
  state: BoardState,
  picture: Picture,
  { now, replaceFromMs, mustLeave }: { now: number; replaceFromMs: number; mustLeave: boolean },
): Act {
  const act = wantedAct(state, picture, { now, replaceFromMs, mustLeave });
  return requestsOfHour(state, now).length + COSTS[act] <= REQUESTS_PER_HOUR ? act : 'nothing';
}

function wantedAct(
  state: BoardState,
  picture: Picture,
  { now, replaceFromMs, mustLeave }: { now: number; replaceFromMs: number; mustLeave: boolean },
): Act {
  if (state.deleted || now < state.restUntilMs) return 'nothing';
  if (state.message === null) return 'post';
  const isSame = state.shown === picture.shown;
  // A board that nothing happened to stays: a new message would mark the channel as unread for nothing.
  const isOfYesterday = state.postedAtMs < replaceFromMs && now >= replaceFromMs;
  if (isOfYesterday && (state.changed || !isSame)) return 'replace';
  if (isSame) return 'nothing';
  if (mustLeave) return 'edit';
  const isReordered = picture.articles.join() !== state.articles.join();
  const everyMs = isReordered ? RANKS_EVERY_MS : NUMBERS_EVERY_MS;
  return now - state.editedAtMs >= everyMs ? 'edit' : 'nothing';
}

export function requestsOfHour({ requestsMs }: BoardState, now: number): number[] {
  return requestsMs.filter((atMs) => atMs > now - HOUR_MS && atMs <= now);
}

/** After Discord asked to wait: twice as long as the last time, until an edit succeeds. */
export function rested(
  state: BoardState,
  now: number,
  atLeastMs = 0,
): Pick<BoardState, 'restMs' | 'restUntilMs'> {
  const doubled = Math.min(Math.max(FIRST_REST_MS, 2 * state.restMs), LONGEST_REST_MS);
  const restMs = Math.max(doubled, Math.ceil(atLeastMs));
  return { restMs, restUntilMs: now + restMs };
}
