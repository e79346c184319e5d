import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { startClock } from '../src/clock.ts';
import { everyMinute } from '../src/every-minute.ts';

test('a process that was busy at the full minute does its work late, and writes nothing itself', async () => {
  const written = vi.spyOn(console, 'warn');
  const startedAt: number[] = [];
  const end = everyMinute(startClock(), async () => void startedAt.push(Date.now()));
  const untilMinuteMs = 60_000 - (Date.now() % 60_000);
  await pause(untilMinuteMs - 500);
  const busyUntil = Date.now() + 4000;
  while (Date.now() < busyUntil);
  await expect.poll(() => startedAt.length, { timeout: 5000 }).toBe(1);
  expect(startedAt[0]).toBeGreaterThanOrEqual(busyUntil);
  expect(written).not.toHaveBeenCalled();
  end();
});
