import { expect, test } from 'vitest';
import { remember } from '../../src/discord/remember.ts';

test('what is remembered is bounded, and what was said last is forgotten last', () => {
  const known = new Map<string, number>();
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['a', 4],
    ['d', 5],
  ] as const) {
    remember(known, key, value, 3);
  }
  expect([...known]).toEqual([
    ['c', 3],
    ['a', 4],
    ['d', 5],
  ]);
});
