import { expect, test } from 'vitest';
import { grouped, isMissed, renderTable, replaceResults, round } from '../../bench/table.ts';

test.each([
  [5, 3, 4, false],
  [3, 3, 4, false],
  [2.9, 3, 4, true],
  [1, 1.3, 1, false],
  [1.3, 1.3, 1, false],
  [1.4, 1.3, 1, true],
  [0, 0, 0, false],
  [1, 0, 0, true],
  [Number.NaN, 3, 4, true],
  [Number.NaN, 60, 30, true],
])('a result of %d with at least %d and an aim of %d is missed: %s', (result, atLeast, aim, is) => {
  expect(isMissed({ result, limits: { atLeast, aim } })).toBe(is);
});

test('a row shows what its result is of, and a missed limit in bold', () => {
  const row = {
    what: 'page',
    of: '7 µs, Redis 1 µs',
    result: 7,
    unit: '×',
  } as const;
  const limits = { atLeast: 1000, aim: 1500 };
  expect(
    renderTable([row, { ...row, of: '', limits }])
      .split('\n')
      .slice(2),
  ).toEqual([
    '| page | 7 × |  | 7 µs, Redis 1 µs |',
    '| page | **7 ×** | 1\u00a0000 (1\u00a0500) |  |',
  ]);
});

test('numbers keep three digits that count', () => {
  expect([0.25812, 4.046, 98.76, 1522.6].map(round)).toEqual([
    '0.258',
    '4.05',
    '98.8',
    '1\u00a0523',
  ]);
  expect(grouped(1_000_000)).toBe('1\u00a0000\u00a0000');
});

test('new results replace the old ones and nothing else', () => {
  const page =
    'above\n<!-- results: written by npm run bench -->\nold\n<!-- end of results -->\nbelow\n';
  const once = replaceResults(page, 'new');
  expect(once).toContain('above\n<!-- results: written by npm run bench -->\n\nnew\n\n<!-- end');
  expect(once).not.toContain('old');
  expect(replaceResults(once, 'new')).toBe(once);
  expect(() => replaceResults('nothing', 'new')).toThrow('no place');
});
