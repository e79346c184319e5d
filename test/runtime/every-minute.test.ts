import { afterAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { everyMinute } from '../../src/runtime/every-minute.ts';

const ends: (() => unknown)[] = [];
afterAll(() => Promise.all(ends.map((end) => end())));

/** Work of each minute of a clock of its own. */
function startCounting(work = async () => {}, moves = () => 0) {
  const told: string[] = [];
  let count = 0;
  let nowMs = 5 * MINUTE_MS;
  const run = () => {
    count += 1;
    return work();
  };
  const now = () => (nowMs += moves());
  ends.push(everyMinute({ now }, { name: 'counting', run }, (name) => told.push(name)));
  return {
    told: () => told,
    count: () => count,
    move: (ms: number) => {
      nowMs += ms;
    },
  };
}

/** Waits until every clock has been looked at twice. */
async function untilLookedAt(): Promise<void> {
  // A minute later at each look.
  const looks = startCounting(undefined, () => MINUTE_MS);
  await expect.poll(looks.count).toBeGreaterThanOrEqual(2);
}

test.concurrent('the work is done once in each minute, and whenever the clock is moved', async () => {
  const { count, move } = startCounting();
  for (const [i, ms] of [MINUTE_MS, 3 * MINUTE_MS, -5 * 24 * 60 * MINUTE_MS].entries()) {
    move(ms);
    await expect.poll(count).toBe(i + 1);
  }
  move(1);
  await untilLookedAt();
  expect(count()).toBe(3);
});

test.concurrent('work that takes longer than a minute is done again after it, and never twice at once', async () => {
  const ending: (() => void)[] = [];
  const { count, move } = startCounting(() => new Promise((resolve) => ending.push(resolve)));
  move(MINUTE_MS);
  await expect.poll(count).toBe(1);
  move(MINUTE_MS);
  await untilLookedAt();
  expect(count()).toBe(1);
  ending[0]!();
  await expect.poll(count).toBe(2);
});

// Withstands (Time): Work that is due each minute never ends
// → it is begun once, and the log names it once
test.concurrent('work that never ends is begun once and named once', async () => {
  const { count, move, told } = startCounting(() => new Promise(() => {}));
  move(MINUTE_MS);
  await expect.poll(count).toBe(1);
  expect(told()).toEqual([]);
  move(30 * MINUTE_MS);
  await expect.poll(told).toEqual(['counting']);
  move(MINUTE_MS);
  await untilLookedAt();
  expect(told()).toEqual(['counting']);
  expect(count()).toBe(1);
});
