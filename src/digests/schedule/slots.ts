import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../runtime/clock.ts';
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
  isIt: (atMs: number) => boolean,
): Slot {
  for (let date = from; ; date = addDays(date, step)) {
    if (!matches(schedule, date)) continue;
    const atMs = instantOf(schedule.zone, date, schedule.time);
    if (isIt(atMs)) return { atMs, date };
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

/** Returns the local date and time of day of an instant: YYYY-MM-DD and HH:MM. */
export function wallTime(zone: string, atMs: number): { date: string; time: string } {
  const [date = '', time = ''] = wallText(zone, atMs).split(' ');
  return { date, time };
}

/**
 * Returns the first instant at which clocks in the zone show the local date and time. If a change to
 * summer time skips it, returns the first moment after the gap, even if that is on the next date.
 */
function instantOf(zone: string, date: string, time: string): number {
  const wall = Date.parse(`${date}T${time}Z`);
  // No zone is more than 14 hours from UTC, so these lie on the two sides of a nearby change.
  const [before, after] = [wall - 26 * HOUR_MS, wall + 26 * HOUR_MS];
  let atMs = wall - Math.max(offsetMs(zone, before), offsetMs(zone, after));
  // Only near a change is this too early.
  while (wallText(zone, atMs) < `${date} ${time}`) atMs += MINUTE_MS;
  return atMs;
}

function offsetMs(zone: string, atMs: number): number {
  return Date.parse(`${wallText(zone, atMs)}Z`) - atMs;
}

/** Returns the wall time as YYYY-MM-DD HH:MM. */
function wallText(zone: string, atMs: number): string {
  const parts = formatOf(zone).formatToParts(atMs);
  const { year, month, day, hour, minute } = Object.fromEntries(
    parts.map(({ type, value }) => [type, value]),
  );
  return `${year}-${month}-${day} ${hour}:${minute}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** Cached, because creating a format costs fifty times as much as using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    const two = '2-digit';
    const shown = { year: 'numeric', month: two, day: two, hour: two, minute: two } as const;
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...shown });
    formats.set(zone, format);
  }
  return format;
}
