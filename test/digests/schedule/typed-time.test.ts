import { assert, integer, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTime } from '../../../src/digests/schedule/typed-time.ts';
import { languages } from '../../../src/text/catalogue.ts';

describe('a time of day is read as people write it', () => {
  test.each([
    ['9:00', '09:00'],
    ['09.30', '09:30'],
    ['0900', '09:00'],
    ['1730', '17:30'],
    ['9', '09:00'],
    ['9am', '09:00'],
    ['12am', '00:00'],
    ['12pm', '12:00'],
    ['9:30 p.m.', '21:30'],
    ['9:30 p. m.', '21:30'],
    ['at 9 in the evening', '21:00'],
    ['12 at night', '00:00'],
    ['2 Uhr nachts', '02:00'],
    ['11 at night', '23:00'],
    ['noon', '12:00'],
    ['Midnight', '00:00'],
    ['17h42', '17:42'],
    ['9h', '09:00'],
    ['à 9 h 05', '09:05'],
    ['9 heures du soir', '21:00'],
    ['midi', '12:00'],
    ['Minuit', '00:00'],
    ['21 Uhr', '21:00'],
    ['um 21:30 Uhr', '21:30'],
    ['9 Uhr 15 abends', '21:15'],
    ['Mitternacht', '00:00'],
    ['mediodía', '12:00'],
    ['a las 9 de la noche', '21:00'],
    ['las 9', undefined],
    ['medianoche', '00:00'],
    ['meio-dia', '12:00'],
    ['às 9h da manhã', '09:00'],
    ['19h30min', '19:30'],
    ['meia-noite', '00:00'],
    ['午後9時', '21:00'],
    ['午前9時30分', '09:30'],
    ['21時半', '21:30'],
    ['９：００', '09:00'],
    ['下午3点半', '15:30'],
    ['晚上12点', '00:00'],
    ['中午12点', '12:00'],
    ['凌晨1點', '01:00'],
    ['13:00 pm', '13:00'],
    ['24:00', undefined],
    ['9:60', undefined],
    ['12345', undefined],
    ['tea time', undefined],
    ['', undefined],
  ])('the typed time of day %j is read as %j', (typed, expected) => {
    expect(readTime(typed)).toBe(expected);
  });
});

test('each time that the bot or Discord prints, in any language, is read when it is typed', () => {
  const printed = [...languages.keys()].flatMap((locale) =>
    [undefined, true].map((hour12) => {
      const clock = { hour: 'numeric', minute: '2-digit', timeZone: 'UTC' } as const;
      return new Intl.DateTimeFormat(locale, hour12 ? { ...clock, hour12 } : clock);
    }),
  );
  assert(
    property(integer({ min: 0, max: 24 * 60 - 1 }), (minute) => {
      const atMs = minute * 60_000;
      const time = new Date(atMs).toISOString().slice(11, 16);
      for (const format of printed) {
        const text = format.format(atMs);
        expect(readTime(text), `${text} (${format.resolvedOptions().locale})`).toBe(time);
      }
      expect(readTime(time)).toBe(time);
    }),
    { numRuns: 1440 },
  );
});
