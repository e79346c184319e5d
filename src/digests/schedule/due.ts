import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import { type Digest, NO_RUN, type Run } from '../digest-settings.ts';
import { nextSlot, previousSlot, type Slot } from './slots.ts';

/** If the bot was offline at a slot, the digest is posted within this time; after that it is skipped. */
export const LATEST_MS = 12 * HOUR_MS;

/** A digest or an announcement that Discord refused is tried again after this time. */
export const PROBE_MS = HOUR_MS;
/**
 * Whether missing permissions are there again is known without a request: a timeout of the bot ends without
 * an event, and an admin who gives one waits to see it.
 */
export const LOOK_FOR_PERMISSIONS_MS = MINUTE_MS;

/** No edition reaches further back, so that a monthly one can cover a month that was missed. */
const LONGEST_MS = 62 * DAY_MS;
/** The period of the first posting, which has no slot before it. */
const FIRST_SPAN_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS };

/** Returns the first slot that was neither posted nor skipped, in the past or in the future. */
export function plannedSlot(digest: Digest, run: Run): Slot {
  const afterMs = Math.max(digest.slotsFromMs, run.lastSlotMs ?? 0);
  return nextSlot(digest.schedule, afterMs, run.lastDate);
}

/**
 * Returns the slot to post now, if any. If several slots were missed, it is the latest; recording it
 * skips the rest.
 */
export function dueSlot(digest: Digest, run: Run, now: number): Slot | null {
  const planned = plannedSlot(digest, run);
  if (planned.atMs > now) return null;
  const last = previousSlot(digest.schedule, now + 1);
  return last.atMs > planned.atMs ? last : planned;
}

export type TimeRange = { fromMs: number; untilMs: number };

/** Returns the period of a posting: from the end of the last edition, so that no article is left out. */
export function periodOf(digest: Digest, run: Run, untilMs: number): TimeRange {
  const { shownUntilMs } = run;
  const firstSlotMs = Math.min(plannedSlot(digest, NO_RUN).atMs, untilMs);
  const startMs =
    shownUntilMs === null ? firstSlotMs - FIRST_SPAN_MS[digest.schedule.every] : shownUntilMs;
  return { fromMs: Math.max(startMs, untilMs - LONGEST_MS), untilMs };
}

/** Returns why the digest cannot be posted; null if its settings were saved again since. */
export function brokenReason(digest: Digest, run: Run): Run['broken'] {
  return run.broken !== null && run.broken.sinceMs >= digest.savedAtMs ? run.broken : null;
}

export function nextLookAtMs(digest: Digest, run: Run): number {
  return Math.max(plannedSlot(digest, run).atMs, brokenReason(digest, run)?.probeAtMs ?? 0);
}
