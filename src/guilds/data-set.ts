import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { nullIfWrongType } from '../redis/errors.ts';
import { sharedKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { MINUTE_MS, type Clock, zTimeMs } from '../runtime/clock.ts';

/** What a failover or a power cut may lose at most; older data is another data set. */
const LOST_AT_MOST_MS = MINUTE_MS;

const zSeen = z.coerce.number().pipe(zTimeMs).catch(0);

export type DataSetWatch = {
  /**
   * Whether the data has been exchanged since the last call, under a living connection: by SWAPDB, or by an
   * older copy of the disk.
   */
  isOther(): Promise<boolean>;
};

/** Leaves a mark with the time in the data, and looks whether it is still there. */
export function openDataSetWatch(store: Store, clock: Clock): DataSetWatch {
  const key = sharedKeys(store).dataSet;
  let known: { id: string; seenAtMs: number } | undefined;

  async function look(): Promise<{ id: string; seenAtMs: number }> {
    const { redis } = store;
    await redis.hsetnx(key, 'id', randomUUID());
    const [id, seen] = await redis.hmget(key, 'id', 'seen');
    return { id: id ?? '', seenAtMs: zSeen.parse(seen) };
  }

  return {
    async isOther() {
      const found = await look().catch(nullIfWrongType);
      if (found === null) {
        await store.redis.unlink(key);
        return false;
      }
      const before = known;
      // A process whose clock is behind does not set the mark back, which others would take for older data.
      const seenAtMs = Math.max(found.seenAtMs, clock.now());
      if (seenAtMs > found.seenAtMs) await store.redis.hset(key, 'seen', seenAtMs);
      known = { id: found.id, seenAtMs };
      if (before === undefined) return false;
      return found.id !== before.id || found.seenAtMs < before.seenAtMs - LOST_AT_MOST_MS;
    },
  };
}
