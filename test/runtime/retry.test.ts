import { expect, test } from 'vitest';
import { openRests, pauseAfter, retry } from '../../src/runtime/retry.ts';

/** Fails this often, then returns how often it was called. */
function failing(times: number) {
  let calls = 0;
  return async () => {
    calls += 1;
    if (calls <= times) throw new Error(`failure ${calls}`);
    return calls;
  };
}

const pauses = { firstMs: 100, longestMs: 500 };
const isFirst = (_: unknown, failures: number) => failures < 2;

test('the pause between tries doubles until the longest', () => {
  expect([1, 2, 3, 4, 100].map((failures) => pauseAfter(failures, pauses))).toEqual([
    100, 200, 400, 500, 500,
  ]);
});

test('work that fails is tried again after each pause, and its result is returned', async () => {
  const waited: number[] = [];
  const wait = async (ms: number) => void waited.push(ms);
  expect(await retry(failing(3), { ...pauses, isRetried: () => true, wait })).toBe(4);
  expect(waited).toEqual([100, 200, 400]);
});

test('work whose failure is not worth a further try throws that error, without a pause', async () => {
  const waited: number[] = [];
  const wait = async (ms: number) => void waited.push(ms);
  await expect(retry(failing(9), { ...pauses, isRetried: isFirst, wait })).rejects.toThrow(
    'failure 2',
  );
  expect(waited).toEqual([100]);
});

test('a wait that is aborted ends the tries', async () => {
  const tries = retry(failing(9), {
    ...pauses,
    isRetried: () => true,
    wait: () => Promise.reject(new Error('stopping')),
  });
  await expect(tries).rejects.toThrow('stopping');
});

test('what fails several times at once rests no longer than after one failure', () => {
  let nowMs = 0;
  const rests = openRests<string>({ now: () => nowMs }, { firstMs: 1000, longestMs: 60_000 });
  for (let failed = 0; failed < 5; failed += 1) rests.noteFailure('guild');
  nowMs = 999;
  expect(rests.isResting('guild')).toBe(true);
  nowMs = 1000;
  expect(rests.isResting('guild')).toBe(false);
  rests.noteFailure('guild');
  nowMs = 2999;
  expect(rests.isResting('guild')).toBe(true);
  nowMs = 3000;
  expect(rests.isResting('guild')).toBe(false);
});
