import { median } from './rounds.ts';

type Step = () => Promise<unknown>;

/** Keeps a number of operations in flight for a slice. Returns operations per second. */
export async function throughput(inFlight: number, sliceMs: number, step: Step): Promise<number> {
  let done = 0;
  const start = performance.now();
  await keep(inFlight, async () => {
    if (performance.now() - start >= sliceMs) return false;
    await step();
    done++;
    return true;
  });
  return (done / (performance.now() - start)) * 1000;
}

/** Repeats an operation, with a number of them in flight. Returns operations per second. */
export async function repeat(times: number, inFlight: number, step: Step): Promise<number> {
  let left = times;
  const start = performance.now();
  await keep(Math.min(inFlight, times), async () => {
    if (left-- <= 0) return false;
    await step();
    return true;
  });
  return (times / (performance.now() - start)) * 1000;
}

/** The median wait in µs for an operation, one at a time. */
export async function medianWait(times: number, step: Step): Promise<number> {
  const waits: number[] = [];
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    await step();
    waits.push((performance.now() - start) * 1000);
  }
  return median(waits);
}

async function keep(inFlight: number, next: () => Promise<boolean>): Promise<void> {
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (await next());
    }),
  );
}
