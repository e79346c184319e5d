import { z } from 'zod';
import { pairs } from '../redis/scan.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { stored } from '../redis/stored.ts';
import { zTimeMs } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** What hinders a row, as it is stored. A host may read it: it names no member and no title. */
const zTrouble = z.object({
  /** A key of the texts, or `fault`. */
  why: z.string().max(60),
  /** Discord's code, permissions, or the first line of an error. */
  detail: z.string().max(300),
  /** Since when (ms). */
  sinceMs: zTimeMs,
  /** Failures in a row; 0: it did not fail, and is hindered. */
  attempts: z.int().min(0),
  /** Whether the admins were told. */
  told: z.boolean(),
});
export type Trouble = z.infer<typeof zTrouble>;

/** A field of `…troubles`. */
export const storedTrouble = stored('troubles', zTrouble);

const READ_AT_MOST = 100;

/** What hinders the rows of a guild, the longest hindered first, and when each is tried next (ms). A hundred are read. */
export async function readTroubles(
  { redis, ...store }: Pick<Store, 'redis' | 'applicationId'>,
  guild: Snowflake,
): Promise<{ row: string; trouble: Trouble; nextMs: number | null }[]> {
  const { troubles, due } = storeKeys(store, guild);
  const [, found] = await redis.hscan(troubles, '0', 'COUNT', READ_AT_MOST);
  const known = pairs(found).flatMap(([row, json]) => {
    const trouble = storedTrouble.read(json);
    return trouble === null ? [] : [{ row, trouble }];
  });
  const read = known.slice(0, READ_AT_MOST);
  if (read.length === 0) return [];
  const scores = await redis.zmscore(due, ...read.map(({ row }) => row));
  return read
    .map(({ row, trouble }, at) => {
      const score = scores[at] ?? null;
      return { row, trouble, nextMs: score === null ? null : Number(score) };
    })
    .toSorted((a, b) => a.trouble.sinceMs - b.trouble.sinceMs);
}
