import type { Snowflake } from '../runtime/snowflake.ts';
import { timestamp } from '../text/mentions.ts';
import { remember } from '../discord/remember.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { UserError } from '../discord/user-error.ts';

/** How often a member may do something in a guild. A busy honest member never reaches these limits. */
const memberLimits = {
  /** Any command, button or form: what has no limit of its own has this one. Ten a second, a minute long. */
  use: { most: 600, seconds: 60 },
  vote: { most: 120, seconds: 60 },
  search: { most: 30, seconds: 60 },
  /** A list that goes through many articles, such as of the member's own. */
  walk: { most: 30, seconds: 60 },
  /** The same and searches, counted by guild. */
  walks: { most: 120, seconds: 60 },
  /** A posting, whether or not it makes an article: each is judged, and a refused one counts too. */
  try: { most: 300, seconds: 3600 },
  /** The choices that are offered while a member types: four a second, a minute long. */
  complete: { most: 240, seconds: 60 },
  /** The same, counted by guild. */
  completes: { most: 1200, seconds: 60 },
  /** Lines in the log about a member whose texts were refused. */
  refused: { most: 5, seconds: 3600 },
  /** Counted by guild: messages that are read because members like them. */
  nominate: { most: 120, seconds: 3600 },
  report: { most: 10, seconds: 86_400 },
  export: { most: 5, seconds: 3600 },
  opt: { most: 10, seconds: 3600 },
  erase: { most: 5, seconds: 3600 },
  /** Counted by guild: each file asks Discord for the members that it blocks. */
  restore: { most: 20, seconds: 3600 },
  /** The guild's setting may say less. */
  post: { most: Number.POSITIVE_INFINITY, seconds: 3600 },
};
export const VOTES_AT_MOST = memberLimits.vote.most;

type Limited = keyof typeof memberLimits;

const COUNTS_AT_MOST = 50_000;

/**
 * The limits are counted in the process: a guild's commands and votes reach the same one, and so do all
 * direct messages.
 */
export interface MemberLimits {
  /**
   * Counts one more action and returns 0, or, beyond the limit, the milliseconds until the next one may
   * be done. The window begins with the first action. The guild is null in direct messages.
   */
  count(what: Limited, guild: Snowflake | null, member: Snowflake, most?: number): number;
  /** Takes back one count, for an action that was counted but did not happen. */
  uncount(what: Limited, guild: Snowflake | null, member: Snowflake): void;
}

/** `elapsedMs`: a clock that nobody sets. */
export function openMemberLimits(elapsedMs: () => number = () => performance.now()): MemberLimits {
  const windows = new Map<string, { actions: number; sinceMs: number }>();
  return {
    count(what, guild, member, most = memberLimits[what].most) {
      const key = `${what}:${guild}:${member}`;
      const now = elapsedMs();
      const windowMs = memberLimits[what].seconds * 1000;
      let window = windows.get(key);
      if (!window || now - window.sinceMs >= windowMs) {
        window = { actions: 0, sinceMs: now };
        remember(windows, key, window, COUNTS_AT_MOST);
      }
      // A refused try is no action.
      if (window.actions >= most) return window.sinceMs + windowMs - now;
      window.actions += 1;
      return 0;
    },
    uncount(what, guild, member) {
      const window = windows.get(`${what}:${guild}:${member}`);
      if (window) window.actions -= 1;
    },
  };
}

/** Counts one more action of a member, and refuses it beyond the limit. */
export function requireWithinLimit(
  { memberLimits: counts, clock }: { memberLimits: MemberLimits; clock: { now(): number } },
  guild: Snowflake | null,
  /** Or the guild's id, for a limit of the guild. */
  member: Snowflake,
  what: Exclude<Limited, 'post'>,
): void {
  const waitMs = counts.count(what, guild, member);
  if (waitMs === 0) return;
  // Rounded up to a second, so that a try at the shown time succeeds.
  const untilMs = Math.ceil((clock.now() + waitMs) / 1000) * 1000;
  throw new UserError('limit.reached', { until: timestamp(untilMs, 'R') });
}

/** So many of a guild's long lists may wait for their turn: they take some seconds. */
const LISTS_WAITING_AT_MOST = 20;
const WAITING_MS = 10_000;

export interface WalkNeeds {
  /** Its long lists take turns. */
  ranking: Pick<Ranking, 'turns'>;
  /** Counts what a member does. */
  memberLimits: MemberLimits;
  /** Discord's time. */
  clock: Clock;
}

/**
 * Counts one more list for a member that goes through many articles of a guild, and refuses it beyond the
 * member's or the guild's limit, or while many of the guild's wait, so that no guild slows another's lists.
 */
export function requireWalk(
  needs: WalkNeeds,
  guild: Snowflake,
  member: Snowflake,
  what: 'walk' | 'search' = 'walk',
): void {
  requireWithinLimit(needs, guild, member, what);
  requireWithinLimit(needs, guild, guild, 'walks');
  requireFewWaiting(needs, guild);
}

/** Refuses one more list while many of the guild's wait. */
export function requireFewWaiting({ ranking, clock }: WalkNeeds, guild: Snowflake): void {
  if (ranking.turns.waitingOf(guild) < LISTS_WAITING_AT_MOST) return;
  throw new UserError('limit.reached', { until: timestamp(clock.now() + WAITING_MS, 'R') });
}
