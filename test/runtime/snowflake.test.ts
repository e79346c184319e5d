import { expect, test } from 'vitest';
import { zSnowflake } from '../../src/runtime/snowflake.ts';

test('an id is a number of 64 bits', () => {
  for (const id of ['1', '999999999', '18446744073709551615']) {
    expect(zSnowflake.safeParse(id).success).toBe(true);
  }
  for (const wrong of ['0', '007', '-1', '1.5', '18446744073709551616', '50000000000000000000']) {
    expect([wrong, zSnowflake.safeParse(wrong).success]).toEqual([wrong, false]);
  }
});
