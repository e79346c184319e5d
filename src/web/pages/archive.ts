import { DAY_MS } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

export const ARCHIVE_KINDS = ['day', 'week', 'month'] as const;
export type ArchiveKind = (typeof ARCHIVE_KINDS)[number];

/** A day, a week that begins on Monday, or a month, in UTC. */
export type ArchivePeriod = { kind: ArchiveKind; fromMs: number; untilMs: number };

/** Null for what is no period. A day is its date, a week its Monday, a month YYYY-MM. */
export function parsePeriod(kind: string, text: string): ArchivePeriod | null {
  const known = ARCHIVE_KINDS.find((one) => one === kind);
  const isMonth = known === 'month';
  if (known === undefined || !(isMonth ? /^\d{4}-\d\d$/ : /^\d{4}-\d\d-\d\d$/).test(text))
    return null;
  const fromMs = Date.parse(`${text}${isMonth ? '-01' : ''}T00:00:00Z`);
  if (Number.isNaN(fromMs)) return null;
  const period = periodAt(known, fromMs);
  // No other spelling of a period has a page: 2026-02-30, or a week by its Tuesday.
  return periodText(period) === text ? period : null;
}

/** The period that an instant is in. */
export function periodAt(kind: ArchiveKind, atMs: number): ArchivePeriod {
  const dayMs = Math.floor(atMs / DAY_MS) * DAY_MS;
  const date = new Date(dayMs);
  switch (kind) {
    case 'day':
      return { kind, fromMs: dayMs, untilMs: dayMs + DAY_MS };
    case 'week': {
      const fromMs = dayMs - ((date.getUTCDay() + 6) % 7) * DAY_MS;
      return { kind, fromMs, untilMs: fromMs + 7 * DAY_MS };
    }
    case 'month': {
      const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
      return { kind, fromMs: Date.UTC(year, month, 1), untilMs: Date.UTC(year, month + 1, 1) };
    }
    default:
      return kind satisfies never;
  }
}

const TEXT_LENGTH = {
  day: 'YYYY-MM-DD'.length,
  week: 'YYYY-MM-DD'.length,
  month: 'YYYY-MM'.length,
} satisfies Record<ArchiveKind, number>;

function periodText({ kind, fromMs }: ArchivePeriod): string {
  return new Date(fromMs).toISOString().slice(0, TEXT_LENGTH[kind]);
}

/** As readers of a language write it. */
export function periodTitle(language: string, { kind, fromMs, untilMs }: ArchivePeriod): string {
  const day = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' });
  switch (kind) {
    case 'day':
      return day.format(fromMs);
    case 'week':
      return day.formatRange(fromMs, untilMs - DAY_MS);
    case 'month': {
      const options = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const;
      return new Intl.DateTimeFormat(language, options).format(fromMs);
    }
    default:
      return kind satisfies never;
  }
}

export function archivePath(guild: Snowflake, period: ArchivePeriod, lang?: string): string {
  const query = lang === undefined ? '' : `?lang=${lang}`;
  return `/g/${guild}/${period.kind}/${periodText(period)}${query}`;
}
