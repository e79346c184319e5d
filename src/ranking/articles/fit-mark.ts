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
/** Fewer closed articles are too small a sample: those in voting complete it. */
export const ENOUGH_CLOSED = 30;
/** Fewer articles say nothing. */
const ENOUGH_KNOWN = 10;

/** What the mark goes by. */
export type KnownVotes = {
  /** Up votes of the articles that closed in the last 30 days. */
  closed: readonly number[];
  /** Up votes of those in voting. Not needed where 30 are closed. */
  inVoting: readonly number[];
  /** How many members the guild has. */
  members: number;
};

/**
 * The next mark: the same, or one step higher or lower. It moves only if the share of interesting articles is
 * outside 3 to 8 %, and only if the next step brings it closer to 5 % or does not pass 5 %. Where most of the
 * articles are still in voting and get more votes, the mark only rises, and to a step above what fits.
 * With fewer than ten articles the mark moves towards the square root of the members.
 */
export function fittedMark(mark: number, { closed, inVoting, members }: KnownVotes): number {
  const at = nearestStep(mark);
  const ups = closed.length < ENOUGH_CLOSED ? [...closed, ...inVoting] : closed;
  if (ups.length < ENOUGH_KNOWN) {
    return MARK_STEPS[at + Math.sign(nearestStep(Math.sqrt(members)) - at)]!;
  }
  const isYoung = 2 * closed.length < ups.length;
  const shareAt = (of: number) =>
    shareOf(ups, isYoung ? (MARK_STEPS[nearestStep(of) - 1] ?? 2) : of);
  const share = shareAt(mark);
  const direction = share > MOST_SHARE ? 1 : share < LEAST_SHARE && !isYoung ? -1 : 0;
  const next = MARK_STEPS[at + direction] ?? mark;
  const nextShare = shareAt(next);
  const isStillBeyond = direction * (nextShare - WANTED_SHARE) >= 0;
  return isStillBeyond || distance(nextShare) < distance(share) ? next : mark;
}

/** Repeats the step until it changes nothing, or would lead back. */
export function fittedAtOnce(first: number, step: (mark: number) => number): number {
  const seen = new Set([first]);
  for (let mark = first; ; ) {
    const next = step(mark);
    if (seen.has(next)) return mark;
    seen.add(next);
    mark = next;
  }
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
