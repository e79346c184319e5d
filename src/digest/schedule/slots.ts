import type { Schedule } from '../../records/digests/digest.ts';
import { instantOf, wallTime } from './wall-time.ts';

const DAY_MS = 86_400_000;

/**
 * When an edition is planned.
 * `date` is the local date that the schedule means (YYYY-MM-DD); where a change of summer time
 * pushes a late slot over midnight, `atMs` already falls on the next date.
 */
export type Slot = { atMs: number; date: string };

/**
 * The first slot after the instant whose date comes after `doneDate`.
 * Dates only ever grow, so that changing zone or hour never makes two slots for one local date.
 * Computed here because croner, which otherwise treats the clock's changes alike, drops a slot whose
 * gap ends on the next date, such as Nuuk's 23:30 in March.
 */
export function nextSlot(
  schedule: Schedule,
  afterMs: number,
  doneDate: string | null = null,
): Slot {
  // The day before today may still have a slot ahead: one that was pushed over midnight.
  let date = addDays(wallTime(schedule.zone, afterMs).date, -1);
  if (doneDate !== null && doneDate >= date) date = addDays(doneDate, 1);
  for (;;) {
    if (matches(schedule, date)) {
      const atMs = instantOf(schedule.zone, date, schedule.time);
      if (atMs > afterMs) return { atMs, date };
    }
    date = addDays(date, 1);
  }
}

/** The last slot before the instant. */
export function previousSlot(schedule: Schedule, beforeMs: number): Slot {
  let { date } = wallTime(schedule.zone, beforeMs);
  for (;;) {
    if (matches(schedule, date)) {
      const atMs = instantOf(schedule.zone, date, schedule.time);
      if (atMs < beforeMs) return { atMs, date };
    }
    date = addDays(date, -1);
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

function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}
