import { expect, test } from 'vitest';
import { median, race, ratio, rotate } from '../../bench/rounds.ts';

test('the median is the middle number, or the mean of the middle two', () => {
  expect(median([3, 1, 200])).toBe(3);
  expect(median([4, 1, 2, 100])).toBe(3);
  expect(() => median([])).toThrow('no median of nothing');
});

test('each round begins with another contender', () => {
  expect([0, 1, 2, 3].map((round) => rotate(['a', 'b', 'c'], round).join(''))).toEqual([
    'abc',
    'bca',
    'cab',
    'abc',
  ]);
});

test('all take part in every round, and the first round is not counted', async () => {
  const order: string[] = [];
  const contender = <Name extends string>(name: Name) => ({
    name,
    slice: async () => order.push(name),
  });
  const results = await race([contender('a'), contender('b')], 2);
  expect(order.join('')).toBe('abbaab');
  expect(results).toEqual({ a: [4, 5], b: [3, 6] });
});

test('a round that was slow for both does not move the ratio', () => {
  const results = { ours: [30, 3, 31], theirs: [10, 1, 10] };
  expect(ratio(results, 'ours', 'theirs')).toBe(3);
});
