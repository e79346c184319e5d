import type { Redis } from 'ioredis';
import { mastersOf } from '../fixtures/cluster.ts';
import type { Drill } from './drill.ts';
import type { BotProcess } from './process.ts';

export type Loads = {
  /** The most memory of any process so far. */
  mostMemoryMb(): number;
  stop(): void;
};

const everyMs = 5000;

/** Looks at the memory of all processes now and then. */
export function watchLoads(drill: Drill): Loads {
  let most = 0;
  const timer = setInterval(() => {
    for (const bot of drill.bots) {
      void bot.load().then((load) => (most = Math.max(most, load?.memoryMb ?? 0)));
    }
  }, everyMs);
  return { mostMemoryMb: () => most, stop: () => clearInterval(timer) };
}

/** What share of a core a process took since it was last asked, and its memory. */
export async function measure(
  bots: readonly BotProcess[],
  seconds: number,
  meanwhile: () => Promise<unknown>,
): Promise<{ core: number; memoryMb: number }[]> {
  const before = await Promise.all(bots.map((bot) => bot.load()));
  await meanwhile();
  const after = await Promise.all(bots.map((bot) => bot.load()));
  return after.map((load, n) => ({
    core: ((load?.cpuSeconds ?? NaN) - (before[n]?.cpuSeconds ?? NaN)) / seconds,
    memoryMb: load?.memoryMb ?? NaN,
  }));
}

/** What the masters hold, in MB. */
export async function redisMemoryMb(redis: Redis): Promise<number> {
  const all = await Promise.all(mastersOf(redis).map((master) => master.info('memory')));
  return all.reduce((sum, info) => sum + Number(/used_memory:(\d+)/.exec(info)?.[1]) / 1e6, 0);
}
