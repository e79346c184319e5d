import { walkNewest } from '../lists/walk-newest.ts';
import type { Ranking } from '../ranking.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import type { Snowflake } from '../snowflake.ts';

const DAY_MS = 86_400_000;

/** The marks that a community can have by itself. */
export const MARK_STEPS = [3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000];

/**
 * The part of the articles that reaches the mark. The textbook reasons that 50 of 1 000 articles a
 * day are interesting (Redis in Action, section 1.3), and takes 200 up votes for that.
 */
const WANTED_SHARE = 0.05;
/** Within this range the mark stays. */
const LEAST_SHARE = 0.03;
const MOST_SHARE = 0.08;
/** Fewer closed articles say nothing. */
export const ENOUGH_CLOSED = 30;
/** Articles closed in so many days are looked at, the newest of them at most. */
const CLOSED_WITHIN_MS = 30 * DAY_MS;
const MOST_LOOKED_AT = 10_000;

/**
 * The mark after one look: the same, or one step higher or lower. `ups` are the up votes of the
 * articles that closed in the last 30 days. It moves only where the share of interesting ones is
 * outside of 3 to 8 %, and only if the next step comes closer to 5 %, or does not reach it yet.
 */
export function fittedMark(
  mark: number,
  { ups, members }: { ups: readonly number[]; members: number },
): number {
  const at = nearestStep(mark);
  if (ups.length < ENOUGH_CLOSED) {
    return MARK_STEPS[at + Math.sign(nearestStep(Math.sqrt(members)) - at)]!;
  }
  const share = shareOf(ups, mark);
  const direction = share > MOST_SHARE ? 1 : share < LEAST_SHARE ? -1 : 0;
  const next = MARK_STEPS[at + direction] ?? mark;
  const nextShare = shareOf(ups, next);
  const isStillBeyond = direction * (nextShare - WANTED_SHARE) >= 0;
  return isStillBeyond || distance(nextShare) < distance(share) ? next : mark;
}

/** The mark of a community of which only the number of members is known: 200 at 40 000. */
export function markByMembers(members: number): number {
  return MARK_STEPS[nearestStep(Math.sqrt(members))]!;
}

/** Up votes of the listed articles that closed in the last 30 days, of the newest 10 000 at most. */
export async function readClosedUps(
  ranking: Ranking,
  guild: Snowflake,
  now: number,
): Promise<number[]> {
  const ups: number[] = [];
  const sinceMs = now - VOTING_OPEN_MS - CLOSED_WITHIN_MS;
  for await (const articles of walkNewest(ranking, { guild }, sinceMs, MOST_LOOKED_AT)) {
    for (const { up, closesAtMs } of articles) if (closesAtMs <= now) ups.push(up);
  }
  return ups;
}

function shareOf(ups: readonly number[], mark: number): number {
  return ups.filter((up) => up >= mark).length / ups.length;
}

/** How far a share is from the wanted one, as a ratio. */
function distance(share: number): number {
  return Math.abs(Math.log(Math.max(share, 0.001) / WANTED_SHARE));
}

function nearestStep(mark: number): number {
  const off = (step: number) => Math.abs(Math.log(step / Math.max(1, mark)));
  const distances = MARK_STEPS.map(off);
  return distances.indexOf(Math.min(...distances));
}
