import { afterEach, expect, test, vi } from 'vitest';
import { runJobs } from '../../src/bot.ts';
import type { DiscordClock } from '../../src/discord/requests/discord-clock.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { createLog } from '../../src/runtime/log.ts';
import { NOON } from '../fixtures/test-clock.ts';

afterEach(() => {
  vi.useRealTimers();
});

// Withstands (Time): Nothing confirms the time, so that a vote would end or a digest be posted too early
// → nothing of the minute is done but to compare the clocks
test('what cannot be undone waits for a confirmed time, and for no other work of its minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  let [nowMs, isConfirmed, compared, looked] = [NOON, false, 0, 0];
  const clock = {
    now: () => nowMs,
    isConfirmed: () => isConfirmed,
    compare: async () => void (compared += 1),
  } as DiscordClock;
  const done: string[] = [];
  const held: Promise<unknown>[] = [];
  const minutely = [
    { name: 'what never ends', run: () => new Promise<void>(() => done.push('begun')) },
    { name: 'what is due', run: async () => void done.push('due') },
  ];
  const guilds = { checkDataSet: () => (looked += 1), tick: () => {} };
  const hold = (work: Promise<unknown>) => held.push(work);
  const parts = { guilds, minutely, recounts: undefined as never };
  const stop = runJobs(parts, { hold, log: createLog('silent') }, clock);
  const minute = async () => {
    nowMs += MINUTE_MS;
    await vi.advanceTimersByTimeAsync(15_000);
  };
  expect(compared).toBe(1);
  await minute();
  expect([compared, done]).toEqual([2, []]);
  isConfirmed = true;
  await minute();
  expect(done).toEqual(['begun', 'due']);
  await minute();
  expect(done).toEqual(['begun', 'due', 'due']);
  // The end of the bot waits for it: the first comparison, and each work that began.
  expect(held).toHaveLength(4);
  const looks = looked;
  expect(looks).toBe(4);
  stop();
  await minute();
  expect([compared, done.length, looked]).toEqual([4, 3, looks]);
});
