import { DAY_MS, HOUR_MS, MINUTE_MS } from './clock.ts';

/** Returns the local date and time of day of an instant: YYYY-MM-DD and HH:MM. */
export function wallTime(zone: string, atMs: number): { date: string; time: string } {
  const [date = '', time = ''] = wallText(zone, atMs).split(' ');
  return { date, time };
}

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/**
 * Returns the first instant at which clocks in the zone show the local date and time. If a change to
 * summer time skips it, returns the first moment after the gap, even if that is on the next date.
 */
export function instantOf(zone: string, date: string, time: string): number {
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
