import { HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { BoardState } from './stored-board.ts';

/** The least time between two edits because other articles or another order are to be shown. */
export const RANKS_EVERY_MS = 10 * MINUTE_MS;
/** The least time between two edits because only numbers or texts changed. */
const NUMBERS_EVERY_MS = HOUR_MS;
/** Discord's limit of edits to older messages is not published, so a board stays far below any. */
const REQUESTS_PER_HOUR = 7;
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
const COSTS: Record<Act, number> = { nothing: 0, post: 2, edit: 1, replace: 3 };

type Circumstances = {
  now: number;
  /** A message posted before this time gives way to a new one, if it has sunk. */
  replaceFromMs: number;
  /** Other messages follow the board in its channel. */
  hasSunk: boolean;
  /** It shows an article that was removed, hidden or erased, or names a member who opted out. */
  mustLeave: boolean;
};

/**
 * What to do with a board now. What must leave waits neither for the next edit nor for the limit of an
 * hour: boards are looked at once a minute, which is limit enough.
 */
export function nextAct(state: BoardState, picture: Picture, at: Circumstances): Act {
  const act = wantedAct(state, picture, at);
  const requests = requestsOfHour(state, at.now).length + COSTS[act];
  return at.mustLeave || requests <= REQUESTS_PER_HOUR ? act : 'nothing';
}

function wantedAct(
  state: BoardState,
  picture: Picture,
  { now, replaceFromMs, hasSunk, mustLeave }: Circumstances,
): Act {
  if (state.deleted) return 'nothing';
  const isSame = state.shown === picture.shown;
  if (now < state.restUntilMs) {
    // Edits are limited, which a new message and the deletion of the old one are not.
    return mustLeave && state.message !== null && !isSame ? 'replace' : 'nothing';
  }
  if (state.message === null) return 'post';
  // A board that nothing happened to stays, and so does the last message of a quiet channel: a new one would
  // mark the channel as unread for nothing. Where edits were limited, a new message can be edited again.
  const isOfYesterday = state.postedAtMs < replaceFromMs && now >= replaceFromMs;
  const isWorn = hasSunk || state.restMs > 0;
  if (isOfYesterday && isWorn && (state.changed || !isSame)) return 'replace';
  if (isSame) return 'nothing';
  if (mustLeave) return 'edit';
  const isReordered = picture.articles.join() !== state.articles.join();
  const everyMs = isReordered ? RANKS_EVERY_MS : NUMBERS_EVERY_MS;
  return now - state.editedAtMs >= everyMs ? 'edit' : 'nothing';
}

/** When requests were sent in the last hour. */
function requestsOfHour({ requestsMs }: BoardState, now: number): number[] {
  return requestsMs.filter((atMs) => atMs > now - HOUR_MS && atMs <= now);
}

/** One request more, sent now. */
export function withRequest(state: BoardState, now: number): Pick<BoardState, 'requestsMs'> {
  return { requestsMs: [...requestsOfHour(state, now), now].slice(-REQUESTS_PER_HOUR) };
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
