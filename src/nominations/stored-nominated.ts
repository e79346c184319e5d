import type { Store } from '../redis/store.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { VOTING_OPEN_MS } from '../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';

/** Notes that a message's link has become an article, so that it does not become one again when that is removed. */
export async function noteNominated(
  { redis, ...store }: Store,
  guild: Snowflake,
  message: Snowflake,
  now: number,
): Promise<void> {
  const { nominated } = storeKeys(store, guild);
  await redis
    .multi()
    .zadd(nominated, snowflakeTimeMs(message), message)
    // These are too old to be liked.
    .zremrangebyscore(nominated, '-inf', now - VOTING_OPEN_MS)
    .pexpire(nominated, VOTING_OPEN_MS)
    .exec();
}

export async function isNominated(
  { redis, ...store }: Store,
  guild: Snowflake,
  message: Snowflake,
): Promise<boolean> {
  return (await redis.zscore(storeKeys(store, guild).nominated, message)) !== null;
}

/** How many messages of the last week have links that became articles. */
export async function countNominated(
  { redis, ...store }: Store,
  guild: Snowflake,
  now: number,
): Promise<number> {
  return redis.zcount(storeKeys(store, guild).nominated, now - VOTING_OPEN_MS, '+inf');
}
