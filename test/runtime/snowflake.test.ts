import { expect, test } from 'vitest';
import {
  compareIds,
  secondsOf,
  snowflakeAt,
  snowflakeTimeMs,
  zSnowflake,
} from '../../src/runtime/snowflake.ts';

test('an id is a number of 64 bits', () => {
  for (const id of ['1', '999999999', '18446744073709551615']) {
    expect(zSnowflake.safeParse(id).success).toBe(true);
  }
  for (const wrong of ['0', '007', '-1', '1.5', '18446744073709551616', '50000000000000000000']) {
    expect([wrong, zSnowflake.safeParse(wrong).success]).toEqual([wrong, false]);
  }
});

test('a time before Discord began has the least snowflake, which Discord takes', () => {
  expect(snowflakeAt(0)).toBe('1');
  expect(snowflakeTimeMs(snowflakeAt(1_420_070_400_001))).toBe(1_420_070_400_001);
});

test('ids are in the order of their times, whatever their lengths, and those of a second have one post time', () => {
  const ids = ['1000000000000000000', '99', '100', '999999999999999999', '98'];
  expect(ids.toSorted(compareIds)).toEqual([
    '98',
    '99',
    '100',
    '999999999999999999',
    '1000000000000000000',
  ]);
  expect(compareIds('100', '100')).toBe(0);
  const atMs = 1_800_000_000_000;
  const seconds = [atMs, atMs + 999, atMs + 1000].map((ms) => secondsOf(snowflakeAt(ms)));
  expect(seconds).toEqual([1_800_000_000, 1_800_000_000, 1_800_000_001]);
});
