import type { Redis } from 'ioredis';
import { mastersOf } from '../fixtures/cluster.ts';
import type { Drill, DrillBot } from './drill.ts';

type Loads = {
  /** The most memory of any process so far. */
  mostMemoryMb(): number;
  stop(): void;
};

const everyMs = 5000;

/** Reads the memory of all processes every few seconds. */
export function watchLoads(drill: Drill): Loads {
  let most = 0;
  const timer = setInterval(() => {
    for (const bot of drill.bots) {
      void readLoad(bot).then((load) => (most = Math.max(most, load?.memoryMb ?? 0)));
    }
  }, everyMs);
  return { mostMemoryMb: () => most, stop: () => clearInterval(timer) };
}

/** As the operating system counts it; null if the process does not answer. */
async function readLoad({ metricsPort }: DrillBot) {
  const address = `http://127.0.0.1:${metricsPort}/metrics`;
  const signal = AbortSignal.timeout(5000);
  const metrics = await fetch(address, { signal }).then(
    (response) => response.text(),
    () => null,
  );
  if (metrics === null) return null;
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]);
  return {
    memoryMb: figure('process_resident_memory_bytes') / 1e6,
    cpuSeconds: figure('process_cpu_seconds_total'),
  };
}

/** The share of a core that each process used meanwhile, and its memory afterwards. */
export async function measure(
  bots: readonly DrillBot[],
  seconds: number,
  meanwhile: () => Promise<unknown>,
): Promise<{ core: number; memoryMb: number }[]> {
  const before = await Promise.all(bots.map(readLoad));
  await meanwhile();
  const after = await Promise.all(bots.map(readLoad));
  return after.map((load, n) => ({
    core: ((load?.cpuSeconds ?? NaN) - (before[n]?.cpuSeconds ?? NaN)) / seconds,
    memoryMb: load?.memoryMb ?? NaN,
  }));
}

/** The memory that the masters use, in MB. */
export async function redisMemoryMb(redis: Redis): Promise<number> {
  const all = await Promise.all(mastersOf(redis).map((master) => master.info('memory')));
  return all.reduce((sum, info) => sum + Number(/used_memory:(\d+)/.exec(info)?.[1]) / 1e6, 0);
}
