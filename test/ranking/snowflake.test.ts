import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { secondsOf, zSnowflake } from '../../src/ranking/snowflake.ts';
import { usePlace } from './place.ts';

const place = usePlace();

const lua = readFileSync(
  new URL('../../src/ranking/lua/seconds-of.include.lua', import.meta.url),
  'utf8',
);
const script = `${lua}
local found = {}
for i, article in ipairs(ARGV) do found[i] = secondsOf(article) end
return found`;

test('the scripts read the time of every snowflake as exactly as we do', async () => {
  const edges = [
    0n,
    1n,
    999_999_999n,
    1_000_000_000n,
    2n ** 32n,
    2n ** 53n,
    2n ** 63n,
    2n ** 64n - 1n,
  ];
  // The last and the first id of a second.
  const seconds = [1n, 1_000_000n, 300_000_000n, 4_000_000_000n].flatMap((second) => [
    ((second * 1000n) << 22n) - 1n,
    (second * 1000n) << 22n,
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { maxLength: 500 }),
      async (random) => {
        const ids = [...edges, ...seconds, ...random].map(String);
        expect(await place.ranking.redis.eval(script, 0, ...ids)).toEqual(ids.map(secondsOf));
      },
    ),
    { numRuns: 40 },
  );
});

test('an id is a number of 64 bits', () => {
  for (const id of ['1', '999999999', '18446744073709551615']) {
    expect(zSnowflake.safeParse(id).success).toBe(true);
  }
  for (const wrong of ['0', '007', '-1', '1.5', '18446744073709551616', '50000000000000000000']) {
    expect([wrong, zSnowflake.safeParse(wrong).success]).toEqual([wrong, false]);
  }
});
