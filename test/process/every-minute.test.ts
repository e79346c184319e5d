import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { startClock } from '../../src/clock.ts';
import { everyMinute } from '../../src/every-minute.ts';

/** As each minute, with seconds for minutes. */
const secondly = { pattern: '* * * * * *', lateMs: 59_000, stillMs: 1500 };
const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  vi.useRealTimers();
});

function startCounting(): number[] {
  const startedMs: number[] = [];
  const work = async () => void startedMs.push(performance.now());
  ends.push(everyMinute(startClock(), work, secondly));
  return startedMs;
}

test('a process that was busy at its time does its work late, and writes nothing itself', async () => {
  const written = vi.spyOn(console, 'warn');
  const startedMs = startCounting();
  await pause(1000 - (Date.now() % 1000) - 100);
  const before = startedMs.length;
  const busyUntil = performance.now() + 1300;
  while (performance.now() < busyUntil);
  await expect.poll(() => startedMs.length).toBeGreaterThan(before);
  expect(startedMs[before]).toBeGreaterThanOrEqual(busyUntil);
  expect(written).not.toHaveBeenCalled();
});

test('the work goes on while the machine’s clock is set back by days', async () => {
  const startedMs = startCounting();
  await expect.poll(() => startedMs.length).toBeGreaterThan(0);
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() - 5 * 86_400_000);
  const before = startedMs.length;
  await expect.poll(() => startedMs.length).toBeGreaterThan(before + 1);
});
