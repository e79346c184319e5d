import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import {
  daysOf,
  dueSlot,
  nextLookAtMs,
  periodOf,
  weekEndedMs,
} from '../../../src/digests/schedule/due.ts';
import { type Digest, NO_RUN, type Run, zDigest } from '../../../src/digests/digest-settings.ts';

/** Midnight of a Monday. */
const monday = Date.UTC(2026, 10, 16);
const at = (day: number, hour: number) => monday + day * DAY_MS + hour * HOUR_MS;

function daily(time: string, more: Partial<Digest> = {}): Digest {
  return zDigest.parse({ channel: '1', schedule: { every: 'day', time, zone: 'UTC' }, ...more });
}

function ran(day: number, hour: number): Run {
  const lastDate = new Date(at(day, hour)).toISOString().slice(0, 10);
  return { ...NO_RUN, lastSlotMs: at(day, hour), lastDate };
}

/** A slot at an hour of a local date. */
const slot = (date: string, hour: number) => ({
  date,
  atMs: Date.parse(`${date}T${String(hour).padStart(2, '0')}:00Z`),
});
const weekdays = (...chosen: number[]): Digest =>
  daily('09:00', { schedule: { every: 'week', weekdays: chosen, time: '09:00', zone: 'UTC' } });
const since = (date: string, hour: number) =>
  daily('09:00', { slotsFromMs: slot(date, hour).atMs });
const monthly = daily('09:00', {
  schedule: { every: 'month', day: 1, time: '09:00', zone: 'UTC' },
});

describe('what an edition is about', () => {
  test('an edition is about the time since the slot before it, whether or not that had an edition', () => {
    expect(periodOf(daily('09:00'), at(4, 9))).toEqual({ fromMs: at(3, 9), untilMs: at(4, 9) });
    expect(periodOf(weekdays(1, 5), at(7, 9)).fromMs).toBe(at(4, 9));
    expect(periodOf(weekdays(1), at(7, 9)).fromMs).toBe(at(0, 9));
  });

  test('an edition that is posted by hand is about as long a time, though a slot was a minute ago', () => {
    expect(periodOf(daily('09:00'), at(4, 10), true).fromMs).toBe(at(3, 10));
    expect(periodOf(weekdays(1), at(7, 10), true).fromMs).toBe(at(0, 10));
  });

  test.each([
    ['a day is the date alone', daily('09:00'), slot('2026-12-21', 9), null],
    [
      'a week that ends in the morning does not name that day',
      weekdays(1),
      slot('2026-12-21', 9),
      ['2026-12-14', '2026-12-20'],
    ],
    [
      'a weekend between two editions is named',
      weekdays(1, 5),
      slot('2026-12-21', 9),
      ['2026-12-18', '2026-12-20'],
    ],
    [
      'a month is named to its last day',
      monthly,
      slot('2027-01-01', 9),
      ['2026-12-01', '2026-12-31'],
    ],
  ])('of the days of an edition, %s', (_, digest, { atMs }, days) => {
    const [from, to] = days ?? [];
    expect(daysOf(digest, periodOf(digest, atMs))).toEqual(days && { from, to });
  });

  test.each([
    ['of each day on Saturday, on Sunday before', daily('09:00'), '2026-12-19', '2026-12-13'],
    ['of each day on Sunday, with it', daily('09:00'), '2026-12-20', '2026-12-20'],
    [
      'of two days a week on the first, with the one before',
      weekdays(1, 5),
      '2026-12-14',
      '2026-12-11',
    ],
    ['of two days a week on the second, with it', weekdays(1, 5), '2026-12-18', '2026-12-18'],
    ['of each week, never: its list is the best of it', weekdays(7), '2026-12-20', null],
    ['of each month, never', monthly, '2027-01-01', null],
    ['of a digest that was not there then, never', since('2026-12-14', 9), '2026-12-19', null],
  ])('the week whose best an edition may show ended, for one %s', (_, digest, date, ended) => {
    expect(weekEndedMs(digest, slot(date, 9))).toBe(ended && slot(ended, 9).atMs);
  });
});

describe('the slot that is due', () => {
  test('the slot that is due is none before it, and the last one of several that were missed', () => {
    expect(dueSlot(daily('09:00'), ran(1, 9), at(2, 9) - 1)).toBeNull();
    expect(dueSlot(daily('09:00'), ran(1, 9), at(2, 9))?.atMs).toBe(at(2, 9));
    expect(dueSlot(daily('09:00'), ran(1, 9), at(6, 8))).toEqual({
      atMs: at(5, 9),
      date: '2026-11-21',
    });
  });

  test('the slot that is due of a digest from long ago is found without walking there', () => {
    expect(dueSlot(daily('09:00'), NO_RUN, at(2, 10))?.atMs).toBe(at(2, 9));
  });

  test('the slot that is due is not looked at before the next try of a broken one', () => {
    const broken = { reason: 'gone', detail: '', sinceMs: at(2, 9), probeAtMs: at(2, 10) } as const;
    const run = { ...ran(1, 9), broken };
    expect(nextLookAtMs(daily('09:00'), run)).toBe(at(2, 10));
    expect(nextLookAtMs(daily('09:00', { savedAtMs: at(2, 9) + 1 }), run)).toBe(at(2, 9));
  });
});
