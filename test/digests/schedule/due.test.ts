import { describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../src/runtime/clock.ts';
import { nextLookAtMs, dueSlot, periodOf, plannedSlot } from '../../../src/digests/schedule/due.ts';
import { type Digest, NO_RUN, type Run, zDigest } from '../../../src/digests/digest-settings.ts';

/** Midnight of a Monday. */
const monday = Date.UTC(2026, 10, 16);
const at = (day: number, hour: number) => monday + day * DAY_MS + hour * HOUR_MS;

function daily(time: string, more: Partial<Digest> = {}): Digest {
  return zDigest.parse({ channel: '1', schedule: { every: 'day', time, zone: 'UTC' }, ...more });
}

function ran(day: number, hour: number): Run {
  const lastDate = new Date(at(day, hour)).toISOString().slice(0, 10);
  return { ...NO_RUN, lastSlotMs: at(day, hour), lastDate, shownUntilMs: at(day, hour) };
}

function periodStart(digest: Digest, run: Run, untilMs: number): number {
  return periodOf(digest, run, untilMs).fromMs;
}

describe('the period of a posting', () => {
  test('the period of a posting begins at the previous slot, and the first time 24 hours before', () => {
    expect(periodStart(daily('09:00'), ran(1, 9), at(2, 9))).toBe(at(1, 9));
    expect(periodStart(daily('09:00', { slotsFromMs: at(1, 20) }), NO_RUN, at(2, 9))).toBe(
      at(1, 9),
    );
  });

  test('the period of a posting of a first weekly digest is a week', () => {
    const schedule = { every: 'week', weekdays: [1], time: '09:00', zone: 'UTC' } as const;
    const weekly = daily('09:00', {
      schedule: { ...schedule, weekdays: [1] },
      slotsFromMs: at(3, 0),
    });
    expect(periodStart(weekly, NO_RUN, at(7, 9))).toBe(at(0, 9));
  });

  test('the period of a posting leaves no gap and no overlap when the hour is changed', () => {
    const later = daily('18:00', { slotsFromMs: at(1, 10) });
    expect(plannedSlot(later, ran(1, 9)).atMs).toBe(at(2, 18));
    expect(periodStart(later, ran(1, 9), at(2, 18))).toBe(at(1, 9));
    const earlier = daily('06:00', { slotsFromMs: at(1, 10) });
    expect(plannedSlot(earlier, ran(1, 9)).atMs).toBe(at(2, 6));
    expect(periodStart(earlier, ran(1, 9), at(2, 6))).toBe(at(1, 9));
  });

  test('the period of a posting begins where the last edition ended, also when slots were missed or skipped since', () => {
    const missed = { fromMs: at(1, 9), untilMs: at(4, 9) };
    expect(periodOf(daily('09:00'), ran(1, 9), at(4, 9))).toEqual(missed);
    const skipped = { ...ran(3, 9), shownUntilMs: at(1, 9) };
    expect(periodOf(daily('09:00'), skipped, at(4, 9))).toEqual(missed);
  });

  test('the period of a posting covers the first edition too, if that was missed', () => {
    const digest = daily('09:00', { slotsFromMs: at(1, 20) });
    const missed = { fromMs: at(1, 9), untilMs: at(4, 9) };
    expect(periodOf(digest, NO_RUN, at(4, 9))).toEqual(missed);
    const skipped = { ...ran(2, 9), shownUntilMs: null };
    expect(periodOf(digest, skipped, at(4, 9))).toEqual(missed);
  });

  test('the period of a posting is 62 days at most', () => {
    expect(periodStart(daily('09:00'), ran(1, 9), at(101, 9))).toBe(at(39, 9));
  });

  test('the period of a posting out of turn begins where the next one will', () => {
    expect(periodStart(daily('09:00'), ran(1, 9), at(1, 15))).toBe(at(1, 9));
    expect(periodStart(daily('09:00', { slotsFromMs: at(1, 10) }), NO_RUN, at(1, 15))).toBe(
      at(0, 15),
    );
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
