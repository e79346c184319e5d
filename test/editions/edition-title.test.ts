import { expect, test } from 'vitest';
import { editionHeading, editionTitle } from '../../src/editions/edition-title.ts';

const WEEK = { from: '2026-12-14', to: '2026-12-20' };
const DECEMBER = { from: '2026-12-01', to: '2026-12-31' };

test.each([
  ['daily', null, 'Daily digest · December 20, 2026', 'Daily digest · Sunday, December 20'],
  ['daily', WEEK, 'Weekly digest · December 14 to 20, 2026', 'Weekly digest · December 14 to 20'],
  ['daily', DECEMBER, 'Monthly digest · December 2026', 'Monthly digest · December'],
  [
    'rust-news',
    { from: '2026-11-30', to: '2026-12-06' },
    'Rust news · November 30 to December 6, 2026',
    'Rust news · November 30 to December 6',
  ],
  [
    'weekly',
    { from: '2026-02-01', to: '2026-02-28' },
    'Monthly digest · February 2026',
    'Monthly digest · February',
  ],
  // A year's turn is in the year that begins.
  [
    'weekly',
    { from: '2026-12-28', to: '2027-01-03' },
    'Weekly digest · December 28 to January 3, 2027',
    'Weekly digest · December 28 to January 3',
  ],
  // None of these is one whole month.
  [
    'monthly',
    { from: '2026-11-01', to: '2026-12-31' },
    'Monthly digest · November 1 to December 31, 2026',
    'Monthly digest · November 1 to December 31',
  ],
  [
    'monthly',
    { from: '2026-12-01', to: '2026-12-30' },
    'Monthly digest · December 1 to 30, 2026',
    'Monthly digest · December 1 to 30',
  ],
  [
    'monthly',
    { from: '2026-12-02', to: '2026-12-31' },
    'Monthly digest · December 2 to 31, 2026',
    'Monthly digest · December 2 to 31',
  ],
])(
  'an edition of %s that covers %j is called %s, and %s above it',
  (name, days, title, heading) => {
    const edition = { name, date: '2026-12-20', edition: { days } };
    expect(editionTitle('en', edition)).toBe(title);
    expect(editionHeading('en', edition)).toBe(heading);
  },
);

test('an edition that somebody posts by hand has its hour, and the days are written as each language does', () => {
  const byHand = { name: 'daily', date: '2026-12-20T14:05Z', edition: { days: null } };
  expect(editionTitle('en', byHand)).toMatch(/December 20, 2026 at 14:05$/);
  const week = { name: 'weekly', date: '2026-12-20', edition: { days: WEEK } };
  expect(editionHeading('de', week)).toMatch(/ · 14\. bis 20\. Dezember$/);
  const between = { from: '2026-11-30', to: '2026-12-06' };
  expect(editionHeading('de', { ...week, edition: { days: between } })).toMatch(
    / · 30\. November bis 6\. Dezember$/,
  );
});
