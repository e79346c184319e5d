import { get } from './api.ts';
import { locale, redraw } from './state.ts';

/** The sandbox's time is that of this machine and an offset, which the clock control moves. */
let offsetMs = 0;
/** How often the time was set. */
let count = 0;

export function nowMs(): number {
  // Not `performance.now()`, which stands still while a laptop sleeps.
  return Date.now() + offsetMs;
}

export function setNow(ms: number): void {
  offsetMs = ms - Date.now();
  count += 1;
  redraw();
}

export async function readClock(): Promise<void> {
  const before = count;
  const { nowMs: ms } = await get<{ nowMs: number }>('clock');
  // What the stream told meanwhile is newer.
  if (count === before) setNow(ms);
}

const STYLES: Record<string, Intl.DateTimeFormatOptions> = {
  t: { timeStyle: 'short' },
  T: { timeStyle: 'medium' },
  d: { dateStyle: 'short' },
  D: { dateStyle: 'long' },
  f: { dateStyle: 'long', timeStyle: 'short' },
  F: { dateStyle: 'full', timeStyle: 'short' },
};

/** A moment in one of Discord's styles of timestamps. */
export function moment(ms: number, style = 'f'): string {
  if (style === 'R') return relative(ms - nowMs());
  return new Intl.DateTimeFormat(locale(), STYLES[style] ?? STYLES['f']).format(ms);
}

/** The time of a message, in the short form that Discord uses. */
export function sentAt(ms: number): string {
  const days = dayOf(nowMs()) - dayOf(ms);
  const time = moment(ms, 't');
  if (days === 0) return time;
  const near = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  if (days === 1) return `${capital(near.format(-1, 'day'))} ${time}`;
  return `${moment(ms, 'd')} ${time}`;
}

/** The calendar day in this browser's zone, for the lines between days. */
export function dayOf(ms: number): number {
  const date = new Date(ms);
  return Math.floor((ms - date.getTimezoneOffset() * 60_000) / 86_400_000);
}

const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
];

function relative(ms: number): string {
  const [unit, size] = UNITS.find(([, one]) => Math.abs(ms) >= one) ?? ['second', 1000];
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' });
  return format.format(Math.round(ms / size), unit);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
