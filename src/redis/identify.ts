import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { leaseKey } from './keys.ts';
import { takeLease } from './lease.ts';
import type { Store } from './store.ts';

/**
 * Discord takes one new session in 5 s from each bucket of shards. It counts from when the request
 * arrives, and the first may be a while on its way: of two that come too close it refuses the second.
 */
const IDENTIFY_EVERY_MS = 6000;

/**
 * Resolves when a shard of this bucket may begin a session, whichever process it belongs to: each
 * takes a lease and lets it run out. While Redis is away each process waits for itself alone; then
 * Discord may refuse some sessions, which try again. Rejects when the signal is given.
 */
export async function awaitIdentify(
  store: Store,
  clock: Clock,
  bucket: number,
  signal: AbortSignal,
): Promise<void> {
  const key = leaseKey(store.applicationId, null, `identify:${bucket}`);
  for (;;) {
    signal.throwIfAborted();
    let waitMs = IDENTIFY_EVERY_MS;
    let isLast = true;
    try {
      const now = clock.now();
      const taken = await takeLease(store, { key, ms: IDENTIFY_EVERY_MS }, now);
      if (taken.status === 'taken') return;
      isLast = false;
      // Clocks of machines may differ.
      if (taken.status === 'held') waitMs = Math.min(taken.untilMs - now, IDENTIFY_EVERY_MS);
    } catch {
      signal.throwIfAborted();
    }
    await pause(Math.max(10, waitMs), undefined, { signal });
    if (isLast) return;
  }
}
