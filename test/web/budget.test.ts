import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { openBudget, WAITING_OF_GUILD_AT_MOST, WebIsBusy } from '../../src/web/budget.ts';

/** Uses the processor for so long. */
async function work(ms: number): Promise<void> {
  const before = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  while (used() < ms);
}

test('works are done one at a time, and the guilds that wait take turns', async () => {
  const budget = openBudget();
  const order: string[] = [];
  let running = 0;
  const turn = (guild: string) =>
    budget.turn(guild, async () => {
      running += 1;
      expect(running).toBe(1);
      await pause(1);
      order.push(guild);
      running -= 1;
    });
  await Promise.all(['z', 'a', 'a', 'a', 'b', 'c', 'b'].map(turn));
  expect(order.join('')).toBe('zabcaba');
});

test('works that cost much take a fifth of the time, and works that only wait cost none', async () => {
  const budget = openBudget();
  const took = async (one: () => Promise<unknown>, times: number) => {
    const startMs = performance.now();
    for (let n = 0; n < times; n += 1) await budget.turn('a', one);
    return performance.now() - startMs;
  };
  // 250 ms were saved up, and after the last one nobody waits.
  expect(await took(() => work(50), 10)).toBeGreaterThan((10 * 50 - 250 - 50) / 0.2 - 10);
  expect(await took(() => pause(5), 20)).toBeLessThan(3000);
});

test('a guild that many ask for is refused when too much waits, and another one is not', async () => {
  const budget = openBudget();
  const asked = Array.from({ length: 30 }, () => budget.turn('a', () => work(1)));
  const other = budget.turn('b', async () => 'made');
  const outcomes = await Promise.allSettled(asked);
  const refused = outcomes.filter(({ status }) => status === 'rejected');
  expect(refused.length).toBeGreaterThan(15);
  for (const one of refused) expect(one).toMatchObject({ reason: expect.any(WebIsBusy) });
  expect(await other).toBe('made');
});

test('a visitor who opens as many pages at once as may wait gets them all, and only what comes beyond is refused', async () => {
  const budget = openBudget();
  const wanted = WAITING_OF_GUILD_AT_MOST + 1;
  const asked = Array.from({ length: wanted + 2 }, (_, n) => budget.turn('a', async () => n));
  const outcomes = await Promise.allSettled(asked);
  const made = outcomes.map(({ status }) => status === 'fulfilled');
  expect(made).toEqual(Array.from({ length: wanted + 2 }, (_, n) => n < wanted));
});

test('where very many guilds are asked for at once, what is beyond is refused', async () => {
  const budget = openBudget();
  const asked = Array.from({ length: 67 }, (_, n) => budget.turn(`${n}`, async () => n));
  const outcomes = await Promise.allSettled(asked);
  const made = outcomes.map(({ status }) => status === 'fulfilled');
  // One at once, and those that wait.
  expect(made).toEqual(Array.from({ length: 67 }, (_, n) => n < 65));
});

test('who has waited longer than a visitor stays is refused, and the next one is served', async () => {
  const budget = openBudget();
  const goOn = new AbortController();
  const first = budget.turn('a', () => once(goOn.signal, 'abort'));
  const late = budget.turn('b', async () => 'late');
  const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 10_001);
  const next = budget.turn('c', async () => 'next');
  goOn.abort();
  await first;
  await expect(late).rejects.toThrow(WebIsBusy);
  expect(await next).toBe('next');
  now.mockRestore();
});

test('a work that fails is told to who asked for it, and the next one is done', async () => {
  const budget = openBudget();
  const failed = budget.turn('a', () => Promise.reject(new Error('No list.')));
  const next = budget.turn('a', async () => 1);
  await expect(failed).rejects.toThrow('No list.');
  expect(await next).toBe(1);
});
