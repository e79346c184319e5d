import type { Store } from '../redis/store.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { DAY_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';

const WEEK_MS = 7 * DAY_MS;

/** Notes an article that members' likes made. */
export async function noteNominated(
  { redis, ...store }: Store,
  guild: Snowflake,
  article: Snowflake,
  now: number,
): Promise<void> {
  const { nominated } = storeKeys(store, guild);
  await redis
    .multi()
    .zadd(nominated, snowflakeTimeMs(article), article)
    .zremrangebyscore(nominated, '-inf', now - WEEK_MS)
    .pexpire(nominated, WEEK_MS)
    .exec();
}

/** How many articles members' likes made in the last week. */
export async function countNominated(
  { redis, ...store }: Store,
  guild: Snowflake,
  now: number,
): Promise<number> {
  return redis.zcount(storeKeys(store, guild).nominated, now - WEEK_MS, '+inf');
}
