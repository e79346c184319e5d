import type { Snowflake } from '../../runtime/snowflake.ts';
import { addDays, instantOf, wallTime } from '../../runtime/wall-time.ts';
import { dateFormat } from '../../text/facts.ts';

export const ARCHIVE_KINDS = ['day', 'week', 'month', 'year'] as const;
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];

/** A day, a week that begins on Monday, a month or a year, of the community's zone. */
export type ArchivePeriod = {
  kind: ArchiveKind;
  zone: string;
  /** Its first local date, and the first one after it. */
  from: string;
  until: string;
  /** The instants at which these begin. */
  fromMs: number;
  untilMs: number;
};

/** Discord began in it. Of the first years of the calendar, Date knows no instants by their zone. */
const FIRST_YEAR = 2015;

/** Null for what is no period. A day is its date, a week its Monday, a month YYYY-MM, a year YYYY. */
export function parsePeriod(kind: string, text: string, zone: string): ArchivePeriod | null {
  const known = ARCHIVE_KINDS.find((one) => one === kind);
  if (known === undefined || !/^\d{4}(?:-\d\d){0,2}$/.test(text)) return null;
  if (Number(text.slice(0, 4)) < FIRST_YEAR) return null;
  const date = `${text}${'-01-01'.slice(text.length - 4)}`;
  if (Number.isNaN(Date.parse(`${date}T00:00:00Z`))) return null;
  const period = periodOf(known, addDays(date, 0), zone);
  // No other spelling of a period has a page: 2026-02-30, or a week by its Tuesday.
  return periodText(period) === text ? period : null;
}

/** The period that an instant is in. */
export function periodAt(kind: ArchiveKind, atMs: number, zone: string): ArchivePeriod {
  return periodOf(kind, wallTime(zone, atMs).date, zone);
}

function periodOf(kind: ArchiveKind, date: string, zone: string): ArchivePeriod {
  const { from, until } = datesOf(kind, date);
  const [fromMs, untilMs] = [instantOf(zone, from, '00:00'), instantOf(zone, until, '00:00')];
  return { kind, zone, from, until, fromMs, untilMs };
}

function firstOf(year: number, month: number): string {
  return new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);
}

function datesOf(kind: ArchiveKind, date: string): { from: string; until: string } {
  const day = new Date(`${date}T00:00:00Z`);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  switch (kind) {
    case 'day':
      return { from: date, until: addDays(date, 1) };
    case 'week': {
      const from = addDays(date, -((day.getUTCDay() + 6) % 7));
      return { from, until: addDays(from, 7) };
    }
    case 'month':
      return { from: firstOf(year, month), until: firstOf(year, month + 1) };
    case 'year':
      return { from: firstOf(year, 0), until: firstOf(year + 1, 0) };
    default:
      return kind satisfies never;
  }
}

const TEXT_LENGTH = {
  day: 'YYYY-MM-DD'.length,
  week: 'YYYY-MM-DD'.length,
  month: 'YYYY-MM'.length,
  year: 'YYYY'.length,
} satisfies Record<ArchiveKind, number>;

function periodText({ kind, from }: ArchivePeriod): string {
  return from.slice(0, TEXT_LENGTH[kind]);
}

/** A date has no zone: it is formatted in UTC. */
function at(date: string): number {
  return Date.parse(`${date}T00:00:00Z`);
}

/** As readers of a language write it. */
export function periodTitle(language: string, { kind, from, until }: ArchivePeriod): string {
  const day = dateFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  switch (kind) {
    case 'day':
      return day.format(at(from));
    case 'week':
      return day.formatRange(at(from), at(addDays(until, -1)));
    case 'month': {
      const options = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const;
      return dateFormat(language, options).format(at(from));
    }
    case 'year':
      return dateFormat(language, { year: 'numeric', timeZone: 'UTC' }).format(at(from));
    default:
      return kind satisfies never;
  }
}

export function archivePath(guild: Snowflake, period: ArchivePeriod, lang?: string): string {
  const query = lang === undefined ? '' : `?lang=${lang}`;
  return `/g/${guild}/${period.kind}/${periodText(period)}${query}`;
}
