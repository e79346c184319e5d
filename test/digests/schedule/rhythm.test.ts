import { describe, expect, test } from 'vitest';
import { zDigest } from '../../../src/digests/digest-settings.ts';
import { betterRhythm, fittingRhythm } from '../../../src/digests/schedule/rhythm.ts';

const of = (schedule: object, groups: string[] = []) =>
  zDigest.parse({ channel: '1', schedule: { time: '09:00', zone: 'UTC', ...schedule }, groups });
const daily = of({ every: 'day' });
const weekly = of({ every: 'week', weekdays: [7] });

describe('how often a server should have an edition', () => {
  test.each([
    ['of two posts a day is each week', { articles: 60, days: 30 }, 'week'],
    ['of three posts a day is each day', { articles: 90, days: 30 }, 'day'],
    ['of which little is known is each day', { articles: 3, days: 3 }, 'day'],
  ])('the rhythm of a server %s', (_, posting, rhythm) => {
    expect(fittingRhythm(posting)).toBe(rhythm);
  });

  test.each([
    ['a daily digest of one post a day would better be weekly', daily, 30, 'week'],
    ['a daily digest of nearly three stays', daily, 80, null],
    ['a weekly digest of four stays', weekly, 120, null],
    ['a weekly digest of ten would better be daily', weekly, 300, 'day'],
    ['a daily digest of some channels is never spoken of', of({ every: 'day' }, ['2']), 30, null],
    ['a digest of Monday and Thursday stays', of({ every: 'week', weekdays: [1, 4] }), 300, null],
  ])('%s', (_, digest, articles, better) => {
    expect(betterRhythm(digest, { articles, days: 30 })).toBe(better);
  });
});
