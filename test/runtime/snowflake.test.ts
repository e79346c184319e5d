import { expect, test } from 'vitest';
import { snowflakeAt, snowflakeTimeMs, zSnowflake } from '../../src/runtime/snowflake.ts';

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
