import type { Cluster, Redis } from 'ioredis';
import { Changes } from './cache/changes.ts';
import { type RankingRedis, withScripts } from './scripts.ts';
import { Batch } from './ballots/batch.ts';
import type { Snowflake } from './snowflake.ts';

/** The voting core's hold on Redis. */
export type Ranking = {
  /** A connection that knows the scripts. */
  redis: RankingRedis;
  /** Whose keys to use. */
  applicationId: Snowflake;
  /** Where the core says which articles it changed. Flush it before the connection is closed. */
  changes: Changes;
  /** Votes and posts of this turn of the event loop, about to be sent. */
  batch: Batch;
};

/**
 * Opens the ranking of one application on a connection, which the caller goes on owning.
 * Automatic pipelining should be off: it makes script votes slower.
 */
export function openRanking(redis: Redis | Cluster, applicationId: Snowflake): Ranking {
  const scripted = withScripts(redis);
  const batch = new Batch();
  sendFirst(scripted, batch);
  return {
    redis: scripted,
    applicationId,
    changes: new Changes(scripted, applicationId),
    batch,
  };
}

/** Keeps the order: any other command on the connection sends the batch first. */
function sendFirst(redis: RankingRedis, batch: Batch): void {
  const send = redis.sendCommand.bind(redis) as (...given: unknown[]) => unknown;
  redis.sendCommand = (...given: unknown[]) => {
    batch.send();
    return send(...given);
  };
}
