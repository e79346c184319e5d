import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { beginSpread } from '../../src/runtime/begin-spread.ts';

const items = Array.from({ length: 60 }, (_, n) => n);

test('of many, few begin in one second, and one that does not end delays no other', async () => {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const all = beginSpread(items, new AbortController().signal, (n) => {
    begun.push(n);
    return new Promise<void>((resolve) => ends.push(resolve));
  });
  expect(begun).toEqual(items.slice(0, 50));
  await expect.poll(() => begun).toEqual(items);
  const hasEnded = all.then(() => 'ended');
  expect(await Promise.race([hasEnded, pause(10, 'not ended')])).toBe('not ended');
  ends.forEach((end) => end());
  expect(await hasEnded).toBe('ended');
});

test('nothing begins any more once the bot is stopping', async () => {
  const begun: number[] = [];
  const stopping = new AbortController();
  const all = beginSpread(items, stopping.signal, async (n) => begun.push(n));
  stopping.abort();
  await all;
  expect(begun).toEqual(items.slice(0, 50));
});
