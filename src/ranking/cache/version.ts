import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/**
 * Lifts a guild's version to `now` (ms) unless it is higher. After Redis was emptied the versions
 * would begin again from one, and readers would take what is told now for something long known.
 */
export async function raiseVersion(ranking: Ranking, guild: Snowflake, now: number): Promise<void> {
  const { articles } = guildKeys(ranking.applicationId, guild);
  const version = Number((await ranking.redis.hget(articles, 'version')) ?? 0);
  // A change told in between is lost for readers, who see the version skip and read again.
  if (version < now) await ranking.redis.hset(articles, 'version', now);
}
