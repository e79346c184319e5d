import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { nextSlot, previousSlot, type Slot } from '../../../src/digests/schedule/slots.ts';
import { sample } from '../../fixtures/sample.ts';
import type { Schedule } from '../../../src/digests/digest-settings.ts';

const FROM = Date.UTC(2020, 0, 1);
const UNTIL = Date.UTC(2030, 0, 1);

/** What a clock on the wall shows, straight from Intl and nothing else. */
function wallClock(zone: string): (atMs: number) => { date: string; time: string } {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  return (atMs) => {
    const [date = '', time = ''] = format.format(atMs).split(' ');
    return { date, time };
  };
}

type Seen = { atMs: number; date: string; time: string };

/** What the clock shows each minute, and one minute before the first. */
function watch(zone: string, from: number, until: number): Seen[] {
  const clock = wallClock(zone);
  const minutes = (until - from) / MINUTE_MS;
  return Array.from({ length: minutes + 1 }, (_, i) => {
    const atMs = from + (i - 1) * MINUTE_MS;
    return { atMs, ...clock(atMs) };
  });
}

/**
 * The oracle: somebody who stares at the wall clock minute by minute, and rings the bell for a date
 * once, when the clock shows the time or has just jumped over it.
 */
function ringsOf(seen: Seen[], time: string): Slot[] {
  const rings: Slot[] = [];
  let rang = '';
  let [before] = seen as [Seen];
  for (const wall of seen.slice(1)) {
    for (const date of new Set([before.date, wall.date])) {
      const sought = `${date} ${time}`;
      const passed =
        `${before.date} ${before.time}` < sought && sought <= `${wall.date} ${wall.time}`;
      if (passed && date > rang) {
        rings.push({ atMs: wall.atMs, date });
        rang = date;
      }
    }
    before = wall;
  }
  return rings;
}

function slotsOf(schedule: Schedule, from: number, until: number): Slot[] {
  const slots: Slot[] = [];
  let slot = nextSlot(schedule, from - 1);
  while (slot.atMs < until) {
    slots.push(slot);
    slot = nextSlot(schedule, slot.atMs, slot.date);
  }
  return slots;
}

function minutes(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** The hours of a zone's changes within ten years, found by asking every hour. */
function changes(zone: string): number[] {
  const clock = wallClock(zone);
  const found: number[] = [];
  let before = clock(FROM);
  for (let atMs = FROM; atMs < UNTIL; atMs += 60 * MINUTE_MS) {
    const after = clock(atMs + 60 * MINUTE_MS);
    if ((minutes(after.time) - minutes(before.time) + 1440) % 1440 !== 60) found.push(atMs);
    before = after;
  }
  return found;
}

const ZONES = [
  'America/New_York',
  'Europe/Berlin',
  'Africa/Cairo',
  'America/Santiago',
  'Australia/Lord_Howe',
  'Asia/Shanghai',
  'America/Nuuk',
];

describe.each(sample(ZONES, 2))('ten years in %s', (zone) => {
  test('a morning digest is posted once on every local date, at that time', {
    timeout: 60_000,
  }, () => {
    const clock = wallClock(zone);
    const slots = slotsOf({ every: 'day', time: '09:00', zone }, FROM, UNTIL);
    const dates = new Set(slots.map(({ date }) => date));
    expect(dates.size).toBe(slots.length);
    expect(slots.length).toBeGreaterThanOrEqual(3652);
    for (const slot of slots) expect(clock(slot.atMs)).toEqual({ date: slot.date, time: '09:00' });
  });

  test('around each change of the clock, slots are where a watcher of the clock rings', {
    timeout: 60_000,
  }, () => {
    for (const change of changes(zone)) {
      const from = change - 36 * 60 * MINUTE_MS;
      const until = change + 36 * 60 * MINUTE_MS;
      const seen = watch(zone, from, until);
      for (const time of [
        '00:00',
        '00:30',
        '01:45',
        '02:00',
        '02:15',
        '02:30',
        '03:00',
        '23:00',
        '23:30',
        '23:59',
      ]) {
        const slots = slotsOf({ every: 'day', time, zone }, from, until);
        const rings = ringsOf(seen, time);
        expect(slots, `${zone} ${time} ${new Date(change).toISOString()}`).toEqual(rings);
      }
    }
  });
});

describe('a change of summer time', () => {
  test.each([
    [
      'Europe/Berlin',
      '02:30',
      '2026-03-28T12:00:00Z',
      '2026-03-29T01:00:00.000Z',
      'does not exist',
    ],
    ['Europe/Berlin', '02:30', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z', 'occurs twice'],
    [
      'America/Santiago',
      '00:00',
      '2026-09-05T12:00:00Z',
      '2026-09-06T04:00:00.000Z',
      'does not exist',
    ],
    [
      'Australia/Lord_Howe',
      '02:15',
      '2026-10-03T12:00:00Z',
      '2026-10-03T15:30:00.000Z',
      'half an hour',
    ],
    ['America/Nuuk', '23:30', '2024-03-30T12:00:00Z', '2024-03-31T01:00:00.000Z', 'over midnight'],
  ])('at a change of summer time, %s %s after %s is %s (%s)', (zone, time, from, expected) => {
    const slot = nextSlot({ every: 'day', time, zone }, Date.parse(from));
    expect(new Date(slot.atMs).toISOString()).toBe(expected);
  });

  test('a time that occurs twice is not taken again at its second occurrence', () => {
    const schedule: Schedule = { every: 'day', time: '02:30', zone: 'Europe/Berlin' };
    const first = nextSlot(schedule, Date.parse('2026-10-24T12:00:00Z'));
    expect(new Date(nextSlot(schedule, first.atMs).atMs).toISOString()).toBe(
      '2026-10-26T01:30:00.000Z',
    );
  });
});

function dates(schedule: Schedule, from: string, count: number): string[] {
  const found: string[] = [];
  let slot = nextSlot(schedule, Date.parse(from));
  while (found.push(slot.date) < count) slot = nextSlot(schedule, slot.atMs);
  return found;
}

describe('schedules other than daily', () => {
  const zone = 'Europe/Berlin';
  test('schedules other than daily fall on the chosen weekdays alone', () => {
    expect(
      dates({ every: 'week', weekdays: [1, 5], time: '09:00', zone }, '2026-11-21T00:00:00Z', 4),
    ).toEqual(['2026-11-23', '2026-11-27', '2026-11-30', '2026-12-04']);
  });

  test("a day that a month does not have means the month's last", () => {
    expect(
      dates({ every: 'month', day: 31, time: '09:00', zone }, '2027-12-31T12:00:00Z', 4),
    ).toEqual(['2028-01-31', '2028-02-29', '2028-03-31', '2028-04-30']);
  });
});

const schedules: fc.Arbitrary<Schedule> = fc
  .tuple(
    fc.oneof(
      fc.constant({ every: 'day' as const }),
      fc.record({
        every: fc.constant('week' as const),
        weekdays: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      }),
      fc.record({ every: fc.constant('month' as const), day: fc.integer({ min: 1, max: 31 }) }),
    ),
    fc.integer({ min: 0, max: 1439 }),
    fc.constantFrom(...ZONES, 'UTC', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Casablanca'),
  )
  .map(([every, minute, zone]) => ({
    ...every,
    zone,
    time: `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`,
  }));
const instants = fc.integer({ min: FROM, max: UNTIL });

describe('always', () => {
  test('the next slot comes after the instant, and no slot lies between', () => {
    fc.assert(
      fc.property(schedules, instants, (schedule, atMs) => {
        const next = nextSlot(schedule, atMs);
        expect(next.atMs).toBeGreaterThan(atMs);
        expect(previousSlot(schedule, next.atMs).atMs).toBeLessThanOrEqual(atMs);
        expect(nextSlot(schedule, previousSlot(schedule, atMs).atMs).atMs).toBeGreaterThanOrEqual(
          atMs,
        );
      }),
    );
  });

  test('changing the schedule after each slot never gives a local date two slots', () => {
    fc.assert(
      fc.property(
        fc.array(schedules, { minLength: 2, maxLength: 12 }),
        instants,
        (changes, atMs) => {
          const slots: Slot[] = [];
          for (const schedule of changes) {
            const last = slots.at(-1);
            slots.push(nextSlot(schedule, last?.atMs ?? atMs, last?.date ?? null));
          }
          const dates = slots.map(({ date }) => date);
          expect([...new Set(dates)].sort()).toEqual(dates);
        },
      ),
    );
  });
});
