import { setTimeout as pause } from 'node:timers/promises';

const BEGUN_A_SECOND = 50;
/** So that the last of many thousands begins within its minute. */
const SECONDS_AT_MOST = 50;

/**
 * Begins the work for each item in their order, few in each second: thousands at once made what they ask of Redis
 * wait beyond its time limit. None waits for another. Resolves when all have ended, or when `stopping` keeps the
 * rest from beginning. Errors are the work's own matter.
 */
export async function beginSpread<T>(
  items: readonly T[],
  stopping: AbortSignal,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const perSecond = Math.max(BEGUN_A_SECOND, Math.ceil(items.length / SECONDS_AT_MOST));
  const begun: Promise<unknown>[] = [];
  for (let from = 0; from < items.length; from += perSecond) {
    if (from > 0) await pause(1000, undefined, { signal: stopping }).catch(() => {});
    if (stopping.aborted) break;
    begun.push(...items.slice(from, from + perSecond).map(work));
  }
  await Promise.all(begun);
}
