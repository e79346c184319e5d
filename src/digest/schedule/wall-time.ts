import { HOUR_MS } from '../../clock.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the local date and time of day of an instant: YYYY-MM-DD and HH:MM. */
export function wallTime(zone: string, atMs: number): { date: string; time: string } {
  const wall = new Date(wallMs(zone, atMs)).toISOString();
  return { date: wall.slice(0, 10), time: wall.slice(11, 16) };
}

/**
 * Returns the first instant at which clocks in the zone show the local date and time. If a change to
 * summer time skips it, returns the first moment after the gap, even if that is on the next date.
 */
export function instantOf(zone: string, date: string, time: string): number {
  const wall = Date.parse(`${date}T${time}:00Z`);
  // No zone is more than 14 hours from UTC, so these lie on the two sides of a nearby change.
  const before = offsetMs(zone, wall - 26 * HOUR_MS);
  const after = offsetMs(zone, wall + 26 * HOUR_MS);
  const shown = [wall - before, wall - after].filter((atMs) => wallMs(zone, atMs) === wall);
  return shown.length > 0 ? Math.min(...shown) : changeBetween(zone, wall - after, wall - before);
}

/** The first millisecond with another offset than at `from`; `until` already has it. */
function changeBetween(zone: string, from: number, until: number): number {
  const before = offsetMs(zone, from);
  let same = from;
  let changed = until;
  while (changed - same > 1) {
    const middle = Math.floor((same + changed) / 2);
    if (offsetMs(zone, middle) === before) same = middle;
    else changed = middle;
  }
  return changed;
}

function offsetMs(zone: string, atMs: number): number {
  return wallMs(zone, atMs) - Math.floor(atMs / 1000) * 1000;
}

/** Returns the wall time in the zone as if it were UTC, in ms of whole seconds. */
function wallMs(zone: string, atMs: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of format(zone).formatToParts(atMs)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

/** Cached, because creating a format costs fifty times as much as using it. */
function format(zone: string): Intl.DateTimeFormat {
  let known = formats.get(zone);
  if (known === undefined) {
    known = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, known);
  }
  return known;
}
