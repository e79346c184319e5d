import { afterEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { everyMinute } from '../../src/runtime/every-minute.ts';

let nowMs = 5 * MINUTE_MS;
const ends: (() => unknown)[] = [];
const told: string[] = [];
afterEach(() => Promise.all(ends.splice(0).map((end) => end())));

function startCounting(work = async () => {}, now = () => nowMs): () => number {
  let count = 0;
  const counted = () => {
    count += 1;
    return work();
  };
  ends.push(everyMinute({ now }, { name: 'counting', run: counted }, (name) => told.push(name)));
  return () => count;
}

/** Waits until every clock has been looked at twice. */
async function untilLookedAt(): Promise<void> {
  let ms = 0;
  // A minute later at each look.
  const looks = startCounting(undefined, () => (ms += MINUTE_MS));
  await expect.poll(looks).toBeGreaterThanOrEqual(2);
}

test('the work is done once in each minute, and whenever the clock is moved', async () => {
  const count = startCounting();
  for (const [i, stepMs] of [MINUTE_MS, 3 * MINUTE_MS, -5 * 24 * 60 * MINUTE_MS].entries()) {
    nowMs += stepMs;
    await expect.poll(count).toBe(i + 1);
  }
  nowMs += 1;
  await untilLookedAt();
  expect(count()).toBe(3);
});

test('work that takes longer than a minute is done again after it, and never twice at once', async () => {
  const ending: (() => void)[] = [];
  const count = startCounting(() => new Promise((resolve) => ending.push(resolve)));
  nowMs += MINUTE_MS;
  await expect.poll(count).toBe(1);
  nowMs += MINUTE_MS;
  await untilLookedAt();
  expect(count()).toBe(1);
  ending[0]!();
  await expect.poll(count).toBe(2);
});

// Withstands (Time): Work that is due each minute never ends
// → it is begun once, and the log names it once
test('work that never ends is begun once and named once', async () => {
  const count = startCounting(() => new Promise(() => {}));
  nowMs += MINUTE_MS;
  await expect.poll(count).toBe(1);
  expect(told).toEqual([]);
  nowMs += 30 * MINUTE_MS;
  await expect.poll(() => told).toEqual(['counting']);
  nowMs += MINUTE_MS;
  await untilLookedAt();
  expect(told).toEqual(['counting']);
  expect(count()).toBe(1);
});
