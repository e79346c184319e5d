import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
import type { Edition } from '../../editions/stored-editions.ts';
import type { Digest, Run, Schedule } from '../digest-settings.ts';
import { wallTime } from '../../runtime/wall-time.ts';
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

/** What an edition is about that is posted by hand. */
const SPAN_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 31 * DAY_MS };

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

/**
 * Returns the time that an edition is about: from the schedule's slot before it, whether or not that had an edition.
 * For one that is posted by hand, as long as the schedule's time, since a slot may have been a minute ago.
 */
export function periodOf({ schedule }: Digest, untilMs: number, isByHand = false): TimeRange {
  const fromMs = isByHand
    ? untilMs - SPAN_MS[schedule.every]
    : previousSlot(schedule, untilMs).atMs;
  return { fromMs, untilMs };
}

/**
 * The first and the last local date that an edition is about: one belongs to it if more than half of the day does.
 * Null for an edition of one day.
 */
export function daysOf({ schedule }: Digest, { fromMs, untilMs }: TimeRange): Edition['days'] {
  const from = wallTime(schedule.zone, fromMs + DAY_MS / 2).date;
  const to = wallTime(schedule.zone, untilMs - DAY_MS / 2).date;
  return from < to ? { from, to } : null;
}

/**
 * The last slot of the week that ends with this one, or ended before it (ms). An edition shows the best of the week
 * if none came since then. Null: the digest was not there then, or has no more than one edition a week.
 */
export function weekEndedMs({ schedule, slotsFromMs }: Digest, slot: Slot): number | null {
  const isWeekly = schedule.every === 'week' && schedule.weekdays.length > 1;
  if (schedule.every !== 'day' && !isWeekly) return null;
  let last = slot;
  while (!endsWeek(schedule, last)) last = previousSlot(schedule, last.atMs);
  return last.atMs > slotsFromMs ? last.atMs : null;
}

/** Whether no other slot of the schedule is in the same week, which begins on Monday, after this one. */
function endsWeek(schedule: Schedule, slot: Slot): boolean {
  return mondayOf(nextSlot(schedule, slot.atMs, slot.date).date) > mondayOf(slot.date);
}

function mondayOf(date: string): number {
  const dayMs = Date.parse(date);
  return dayMs - ((new Date(dayMs).getUTCDay() + 6) % 7) * DAY_MS;
}

/** Returns why the digest cannot be posted; null if its settings were saved again since. */
export function brokenReason(digest: Digest, run: Run): Run['broken'] {
  return run.broken !== null && run.broken.sinceMs >= digest.savedAtMs ? run.broken : null;
}

export function nextLookAtMs(digest: Digest, run: Run): number {
  return Math.max(plannedSlot(digest, run).atMs, brokenReason(digest, run)?.probeAtMs ?? 0);
}
