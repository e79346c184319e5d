import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { nullIfWrongType } from '../redis/errors.ts';
import { pairs } from '../redis/scan.ts';
import { openScript } from '../redis/script.ts';
import { sharedKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { MINUTE_MS, type Clock, zTimeMs } from '../runtime/clock.ts';

/** What a failover or a power cut may lose at most; older data is another data set. */
const LOST_AT_MOST_MS = MINUTE_MS;

const lookAtDataSet = openScript<string[]>(import.meta.dirname, 'look-at-data-set');

const zSeen = z.coerce.number().pipe(zTimeMs).catch(0);

export type DataSetWatch = {
  /**
   * Whether the data has been exchanged since the last call, under a living connection: by SWAPDB, or by an
   * older copy of the disk.
   */
  isOther(): Promise<boolean>;
  /** Whether another process has served the same guilds from this data within three minutes, as of the last call. */
  isShared(): boolean;
};

/** Which guilds a process serves. */
type Shards = { ids: readonly number[]; of: number };

/** As long as a process that ends may have acted, and longer than one that begins takes to tell of itself. */
const SHARED_MS = 3 * MINUTE_MS;

/** Leaves a mark with the time in the data, and looks whether it is still there. */
export function openDataSetWatch(
  store: Store,
  clock: Clock,
  shards: () => Shards = () => ({ ids: [0], of: 1 }),
): DataSetWatch {
  const key = sharedKeys(store).dataSet;
  let known: { id: string; seenAtMs: number } | undefined;
  const name = randomUUID();
  let isShared = false;

  /** Tells of this process, and reads what stood there. */
  async function look(now: number): Promise<Map<string, string>> {
    const { ids, of } = shards();
    const own = `process:${name}:${of}:${ids.join()}`;
    const before = new Map(pairs(await lookAtDataSet(store.redis, key, randomUUID(), own, now)));
    const others = [...before].filter(
      ([field]) => field.startsWith('process:') && !field.includes(name),
    );
    const gone = others.filter(([, atMs]) => now - zSeen.parse(atMs) > SHARED_MS);
    if (gone.length > 0) await store.redis.hdel(key, ...gone.map(([field]) => field));
    const left = others.filter((one) => !gone.includes(one)).map(([field]) => field.split(':'));
    // With other numbers of shards, as while they are changed, any process may serve a guild.
    isShared = left.some(
      ([, , total, theirs = '']) =>
        Number(total) !== of || theirs.split(',').some((id) => ids.includes(Number(id))),
    );
    return before;
  }

  return {
    async isOther() {
      const now = clock.now();
      const found = await look(now).catch(nullIfWrongType);
      if (found === null) {
        await store.redis.unlink(key);
        return false;
      }
      const [before, id, seenMs] = [known, found.get('id') ?? '', zSeen.parse(found.get('seen'))];
      known = { id, seenAtMs: Math.max(seenMs, now) };
      if (before === undefined) return false;
      return id !== before.id || seenMs < before.seenAtMs - LOST_AT_MOST_MS;
    },
    isShared: () => isShared,
  };
}
