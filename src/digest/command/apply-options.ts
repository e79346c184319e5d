import { z } from 'zod';
import { cleanLine, code } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import {
  type Digest,
  MOST_ARTICLES,
  type Schedule,
  type Selection,
  zDigest,
  zDigestName,
  zTime,
} from '../../records/digests/digest.ts';
import { type Key, languages } from '../../text/catalogue.ts';
import { parseWeekdays } from '../schedule/weekdays.ts';
import { zoneNamed } from '../schedule/time-zones.ts';

export const EVERY = ['day', 'weekdays', 'week', 'month'] as const;
export const RESETS = ['role', 'source', 'minimum', 'language'] as const;

/** The options that a manager gave; null keeps the old value. The caller looks up channels and roles. */
export type DigestOptions = {
  channel: string | null;
  time: string | null;
  timezone: string | null;
  count: number | null;
  every: string | null;
  days: string | null;
  source: string[] | null;
  selection: string | null;
  minimum: string | null;
  role: string | null;
  silent: boolean | null;
  thread: boolean | null;
  language: string | null;
  empty: boolean | null;
  reset: string | null;
};

const resets: Record<(typeof RESETS)[number], Partial<Digest>> = {
  role: { role: null },
  source: { groups: [] },
  minimum: { minimum: null },
  language: { language: null },
};
const everyWorkday = [1, 2, 3, 4, 5];
const zMinimum = z.coerce.number().pipe(z.int().min(-1000).max(1_000_000));
const zMonthDay = z.coerce.number().pipe(z.int().min(1).max(31));

/** Returns the name of a digest as it is stored. Throws a `UserError` if it is not valid. */
export function digestName(typed: string): string {
  return checked(zDigestName, typed, 'digest.invalid.name');
}

/** Refuses the name of a new digest if it has invisible letters or stacked marks. */
export function demandVisible(name: string): void {
  if (cleanLine(name, name.length) !== name) throw new UserError('digest.invalid.name');
}

/**
 * Returns a digest with the options applied. Refuses unusable values and says which ones are usable.
 * The first slot of a new schedule is the next one after saving.
 */
export function applyOptions(
  before: Digest | null,
  options: DigestOptions,
  by: { member: string; here: string; now: number },
): Digest {
  const schedule = revisedSchedule(before?.schedule ?? null, options);
  const isSameSchedule = JSON.stringify(schedule) === JSON.stringify(before?.schedule);
  return zDigest.parse({
    ...before,
    ...resets[options.reset as (typeof RESETS)[number]],
    ...present({
      channel: options.channel ?? before?.channel ?? by.here,
      count: options.count === null ? null : countOf(options.count),
      groups: options.source,
      selection:
        options.selection === null
          ? firstSelection(before, options)
          : selectionOf(options.selection),
      role: options.role,
      silent: options.silent,
      thread: options.thread,
      postEmpty: options.empty,
    }),
    ...(options.minimum === null ? {} : { minimum: minimumOf(options.minimum) }),
    ...(options.language === null ? {} : { language: languageNamed(options.language) }),
    schedule,
    slotsFromMs: isSameSchedule ? before?.slotsFromMs : by.now,
    createdAtMs: before?.createdAtMs ?? by.now,
    savedAtMs: by.now,
    savedBy: by.member,
  });
}

function revisedSchedule(before: Schedule | null, options: DigestOptions): Schedule {
  const time = options.time === null ? before?.time : timeOf(options.time);
  const zone = options.timezone === null ? before?.zone : zoneOf(options.timezone);
  if (time === undefined || zone === undefined) throw new UserError('digest.incomplete');
  return { ...cadence(before, options), time, zone };
}

type Cadence = Schedule extends infer Each
  ? Each extends unknown
    ? Omit<Each, 'time' | 'zone'>
    : never
  : never;

function cadence(before: Schedule | null, { every, days }: DigestOptions): Cadence {
  switch (every ?? (before?.every === 'week' ? 'weekdays' : (before?.every ?? 'day'))) {
    case 'weekdays':
      if (days !== null) return { every: 'week', weekdays: weekdaysOf(days) };
      return { every: 'week', weekdays: before?.every === 'week' ? before.weekdays : everyWorkday };
    case 'week': {
      const weekdays = days === null ? [1] : weekdaysOf(days);
      if (weekdays.length === 1) return { every: 'week', weekdays };
      throw new UserError('digest.invalid.weekday', { every: 'weekdays' });
    }
    case 'month':
      if (days !== null) return { every: 'month', day: monthDayOf(days) };
      return { every: 'month', day: before?.every === 'month' ? before.day : 1 };
    default:
      if (days !== null) throw new UserError('digest.invalid.days');
      return { every: 'day' };
  }
}

function countOf(typed: number): number {
  return checked(zDigest.shape.count, typed, 'digest.invalid.count', { most: MOST_ARTICLES });
}

/** By score, the articles of the last day would lead a new digest of a week or a month. */
function firstSelection(before: Digest | null, { every }: DigestOptions): Selection | null {
  return before === null && (every === 'week' || every === 'month') ? 'votes' : null;
}

/** Discord checks choices, but a forged interaction can hold any text. */
function selectionOf(typed: string): Selection {
  return checked(zDigest.shape.selection, typed, 'invalid.option', { option: 'selection' });
}

/** `9:00`, `09.00`, `9am`, `9 点` and the full-width colon are the same time. */
function timeOf(typed: string): string {
  const plain = typed.trim().toLowerCase().replace(/[.：]/, ':');
  const found =
    /^(上午|早上|下午|晚上)?\s*(\d{1,2})(?::(\d{2})|[点時时](?:(\d{1,2})分?)?)?\s*([ap])?\.?m?\.?$/.exec(
      plain,
    );
  const [, part, hours = '', minutes, spoken, half] = found ?? [];
  const isHalf = half !== undefined || part !== undefined;
  const isLater = half === 'p' || part === '下午' || part === '晚上';
  const hour = isHalf && Number(hours) <= 12 ? (Number(hours) % 12) + (isLater ? 12 : 0) : hours;
  const padded = `${String(hour).padStart(2, '0')}:${(minutes ?? spoken ?? '00').padStart(2, '0')}`;
  return checked(zTime, found ? padded : plain, 'digest.invalid.time', { given: quoted(typed) });
}

function zoneOf(typed: string): string {
  const zone = zoneNamed(typed);
  if (zone === null) throw new UserError('digest.invalid.timezone', { given: quoted(typed) });
  return zone;
}

function weekdaysOf(typed: string): number[] {
  const weekdays = parseWeekdays(typed);
  if (weekdays === null) throw new UserError('digest.invalid.weekdays', { given: quoted(typed) });
  return weekdays;
}

function monthDayOf(typed: string): number {
  return checked(zMonthDay, typed, 'digest.invalid.monthday', { given: quoted(typed) });
}

function minimumOf(typed: string): Digest['minimum'] {
  const plain = typed.trim().toLowerCase();
  if (plain === 'adaptive' || plain === '自动') return 'adaptive';
  if (['none', 'no limit', '无', '不限', ''].includes(plain)) return null;
  return checked(zMinimum, plain, 'digest.invalid.minimum', { given: quoted(typed) });
}

function languageNamed(typed: string): string | null {
  if (typed === 'guild') return null;
  if (languages.has(typed)) return typed;
  throw new UserError('digest.invalid.language', { given: quoted(typed) });
}

/** Quotes a text. Show it only to the member who typed it. */
function quoted(typed: string): string {
  return code(typed, 60);
}

function checked<T>(
  schema: z.ZodType<T>,
  value: unknown,
  key: Key,
  values?: Record<string, string | number>,
): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw new UserError(key, values);
  return parsed.data;
}

function present(values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
}
