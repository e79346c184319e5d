import type { Cluster, Redis } from 'ioredis';
import { type Scripts, withScripts } from './scripts.ts';
import type { Snowflake } from './snowflake.ts';

export type RankingRedis = (Redis | Cluster) & Scripts;

/** The voting core's hold on Redis: a connection that knows the scripts, and whose keys to use. */
export type Ranking = { redis: RankingRedis; applicationId: Snowflake };

/**
 * Opens the ranking of one application on a connection, which the caller goes on owning.
 * Automatic pipelining should be off: it makes script votes slower.
 */
export function openRanking(redis: Redis | Cluster, applicationId: Snowflake): Ranking {
  return { redis: withScripts(redis), applicationId };
}
