import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../runtime/clock.ts';
import { sharedLeaseKey } from './store-keys.ts';
import { takeLease } from './lease.ts';
import type { Store } from './store.ts';

/**
 * Discord accepts one new session per 5 s from each bucket of shards, counted from the arrival of
 * the request. The first request may be slow, and Discord refuses a second that arrives too soon
 * after.
 */
const IDENTIFY_EVERY_MS = 6000;

/**
 * Resolves when a shard of this bucket may begin a session. All processes share the limit: each
 * shard takes a lease and lets it run out. While Redis is away, each process counts alone; then
 * Discord may refuse some sessions, which try again. Rejects when the signal is aborted.
 */
export async function awaitIdentify(
  store: Store,
  clock: Clock,
  bucket: number,
  signal: AbortSignal,
  everyMs = IDENTIFY_EVERY_MS,
): Promise<void> {
  const key = sharedLeaseKey(store.applicationId, `identify:${bucket}`);
  for (;;) {
    signal.throwIfAborted();
    const now = clock.now();
    const taken = await takeLease(store, { key, ms: everyMs }, now).catch(() => null);
    if (taken?.status === 'taken') return;
    // Clocks of machines may differ.
    const leftMs = taken?.status === 'held' ? taken.untilMs - now : everyMs;
    const waitMs = Math.max(10, Math.min(leftMs, everyMs));
    await pause(waitMs, undefined, { signal });
    if (taken === null) return;
  }
}
