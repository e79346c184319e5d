import type { Cluster, Redis } from 'ioredis';
import { Changes } from './changes.ts';
import { type Scripts, withScripts } from './scripts.ts';
import type { Snowflake } from './snowflake.ts';

export type RankingRedis = (Redis | Cluster) & Scripts;

/** The voting core's hold on Redis. */
export type Ranking = {
  /** A connection that knows the scripts. */
  redis: RankingRedis;
  /** Whose keys to use. */
  applicationId: Snowflake;
  /** Where the core says which articles it changed. Flush it before the connection is closed. */
  changes: Changes;
};

/**
 * Opens the ranking of one application on a connection, which the caller goes on owning.
 * Automatic pipelining should be off: it makes script votes slower.
 */
export function openRanking(redis: Redis | Cluster, applicationId: Snowflake): Ranking {
  const scripted = withScripts(redis);
  return { redis: scripted, applicationId, changes: new Changes(scripted, applicationId) };
}
