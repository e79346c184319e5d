import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/**
 * Raises a guild's version to `now` (ms) unless it is higher. After Redis was emptied, versions would
 * start from one again, and readers would ignore new messages as old ones.
 */
export async function raiseVersion(ranking: Ranking, guild: Snowflake, now: number): Promise<void> {
  const { articles } = guildKeys(ranking.applicationId, guild);
  const version = Number((await ranking.redis.hget(articles, 'version')) ?? 0);
  // Readers may miss a change published in between; they see the gap and read again.
  if (version < now) await ranking.redis.hset(articles, 'version', now);
}
