import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/** Notes that an article's message does not show its tally yet; the first note's time stays. */
export async function markStale(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  now: number,
): Promise<void> {
  const { unshown } = guildKeys(ranking.applicationId, guild);
  await ranking.redis.zadd(unshown, 'NX', now, article);
}

export async function markUpdated(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
): Promise<void> {
  const { unshown } = guildKeys(ranking.applicationId, guild);
  await ranking.redis.zrem(unshown, article);
}

/** Articles that have been waiting since `until` (ms) or longer, the longest first. */
export async function readStale(
  ranking: Ranking,
  guild: Snowflake,
  until: number,
): Promise<Snowflake[]> {
  const { unshown } = guildKeys(ranking.applicationId, guild);
  return ranking.redis.zrangebyscore(unshown, '-inf', until);
}
