import { expect, test } from 'vitest';
import { grouped, judge, renderTable, replaceResults, round } from '../../bench/table.ts';

test.each([
  [5, 3, 4, 'aim'],
  [3.5, 3, 4, 'at least'],
  [2.9, 3, 4, '**missed**'],
  [1, 1.3, 1, 'aim'],
  [1.2, 1.3, 1, 'at least'],
  [1.4, 1.3, 1, '**missed**'],
  [0, 0, 0, 'aim'],
  [1, 0, 0, '**missed**'],
])(
  'a result of %d with at least %d and an aim of %d has reached: %s',
  (result, atLeast, aim, verdict) => {
    expect(judge({ result, limits: { atLeast, aim } })).toBe(verdict);
  },
);

test('a row without limits is not judged', () => {
  const row = { what: 'bytes', frontpage: '7 B', other: '', result: 7, unit: 'B' } as const;
  expect(renderTable([row]).split('\n').at(-1)).toBe('| bytes | 7 B |  | 7 B |  |  |  |');
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
