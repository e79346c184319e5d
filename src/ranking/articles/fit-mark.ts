/** The marks that are set automatically. */
const MARK_STEPS = [3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000];

/**
 * The wanted share of articles that reach the mark. The textbook assumes that 50 of 1 000 articles a
 * day are interesting, and uses 200 up votes as the mark (Redis in Action, section 1.3).
 */
const WANTED_SHARE = 0.05;
/** The mark stays while the share is in this range. */
const LEAST_SHARE = 0.03;
const MOST_SHARE = 0.08;
/** Fewer closed articles are too small a sample. */
const ENOUGH_CLOSED = 30;

/**
 * The next mark: the same, or one step higher or lower. `ups` are the up votes of the articles that
 * closed in the last 30 days. The mark moves only if the share of interesting articles is outside
 * 3 to 8 %, and only if the next step brings it closer to 5 % or does not pass 5 %.
 * With fewer than 30 closed articles it moves towards the square root of `members`.
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

/** The mark of a community without enough closed articles: 200 for 40 000 members. */
export function markByMembers(members: number): number {
  return MARK_STEPS[nearestStep(Math.sqrt(members))]!;
}

function shareOf(ups: readonly number[], mark: number): number {
  return ups.filter((up) => up >= mark).length / ups.length;
}

/** The distance of a share from the wanted one, as a ratio. */
function distance(share: number): number {
  return Math.abs(Math.log(Math.max(share, 0.001) / WANTED_SHARE));
}

function nearestStep(mark: number): number {
  const off = (step: number) => Math.abs(Math.log(step / Math.max(1, mark)));
  const distances = MARK_STEPS.map(off);
  return distances.indexOf(Math.min(...distances));
}
