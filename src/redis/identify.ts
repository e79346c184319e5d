import { setTimeout as pause } from 'node:timers/promises';
import { identifyKey } from './keys.ts';
import type { Store } from './store.ts';

/**
 * Discord takes one new session in 5 s, of each bucket of shards. It counts from when it hears of
 * them, and the first may be a while on its way: of two that come too close it refuses the second.
 */
const IDENTIFY_EVERY_MS = 6000;

/**
 * Resolves when a shard of this bucket may begin a session, whichever process it belongs to.
 * With Redis away each process waits for itself alone: too many at once, and Discord refuses some,
 * which then try again. Rejects when the signal is given.
 */
export async function awaitIdentify(
  { redis, applicationId }: Store,
  bucket: number,
  signal: AbortSignal,
): Promise<void> {
  const key = identifyKey(applicationId, bucket);
  for (;;) {
    signal.throwIfAborted();
    try {
      if ((await redis.set(key, '1', 'PX', IDENTIFY_EVERY_MS, 'NX')) === 'OK') return;
      const leftMs = await redis.pttl(key);
      await pause(Math.max(10, leftMs), undefined, { signal });
    } catch {
      signal.throwIfAborted();
      await pause(IDENTIFY_EVERY_MS, undefined, { signal });
      return;
    }
  }
}
