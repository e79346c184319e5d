import { addDays, instantOf, wallTime } from '../../runtime/wall-time.ts';
import type { Schedule } from '../digest-settings.ts';

/**
 * The planned time of an edition.
 * `date` is the local date that the schedule means (YYYY-MM-DD). If a change to summer time moves a
 * late slot past midnight, `atMs` is on the next date.
 */
export type Slot = { atMs: number; date: string };

/**
 * Returns the first slot after the instant whose date comes after `doneDate`.
 * Dates only increase, so that a change of zone or hour never makes two slots for one local date.
 * Computed here because croner, which otherwise handles clock changes in the same way, drops a slot
 * whose gap ends on the next date, such as Nuuk's 23:30 in March.
 */
export function nextSlot(
  schedule: Schedule,
  afterMs: number,
  doneDate: string | null = null,
): Slot {
  // Yesterday's slot may still be in the future, if it was moved past midnight.
  let date = addDays(wallTime(schedule.zone, afterMs).date, -1);
  if (doneDate !== null && doneDate >= date) date = addDays(doneDate, 1);
  return walk(schedule, date, 1, (atMs) => atMs > afterMs);
}

export function previousSlot(schedule: Schedule, beforeMs: number): Slot {
  const { date } = wallTime(schedule.zone, beforeMs);
  return walk(schedule, date, -1, (atMs) => atMs < beforeMs);
}

/** Returns the first slot of that kind on or after the date; with a step of -1, on or before it. */
function walk(
  schedule: Schedule,
  from: string,
  step: 1 | -1,
  accepts: (atMs: number) => boolean,
): Slot {
  for (let date = from; ; date = addDays(date, step)) {
    if (!matches(schedule, date)) continue;
    const atMs = instantOf(schedule.zone, date, schedule.time);
    if (accepts(atMs)) return { atMs, date };
  }
}

function matches(schedule: Schedule, date: string): boolean {
  const day = new Date(`${date}T00:00:00Z`);
  if (schedule.every === 'week') return schedule.weekdays.includes(day.getUTCDay() || 7);
  if (schedule.every === 'month') {
    return day.getUTCDate() === Math.min(schedule.day, daysInMonth(day));
  }
  return true;
}

function daysInMonth(day: Date): number {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
}
