import type { Redis } from 'ioredis';
import { Changes } from './changes.ts';
import { keepLoaded } from '../redis/script.ts';
import type { RankingStore } from './keys.ts';
import { scripts } from './scripts.ts';
import { openTurns, type Turns } from '../runtime/turns.ts';
import { Batch } from './batch.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** One application's ranking in Redis. */
export type Ranking = RankingStore & {
  /** Collects the changed articles. Flush it before closing the connection. */
  changes: Changes;
  /** The votes and posts of this turn of the event loop. */
  batch: Batch;
  /** Of what goes through many articles, so that no guild's long lists hold up another's. */
  turns: Turns;
  /** Guilds in whose keys something was found broken. They are checked within a minute. */
  suspects: Set<Snowflake>;
  /**
   * Whether a home channel's articles may be in the guild's lists now. Readers ask it of each article,
   * because the stored lists follow a change of the channel a moment later.
   */
  isListed: (guild: Snowflake, home: Snowflake) => boolean;
  /** Called when Redis did not confirm a change of an article, which it may have made. */
  readonly onUnconfirmed: (guild: Snowflake, article: Snowflake) => void;
};

export interface RankingNeeds {
  /** The connection. The caller closes it. Automatic pipelining should be off: it makes votes slower. */
  redis: Redis;
  /** The application that owns the keys. */
  applicationId: Snowflake;
  /** As in `Ranking`. By default the stored rows are believed. */
  isListed?: Ranking['isListed'];
  /**
   * Called when Redis did not confirm a change of an article, which it may have made: what shows the
   * article must look at it again. By default nothing does.
   */
  onUnconfirmed?: (guild: Snowflake, article: Snowflake) => void;
}

/** Opens the ranking of one application on a connection. */
export function openRanking(needs: RankingNeeds): Ranking {
  const { redis, applicationId, isListed = () => true, onUnconfirmed = () => {} } = needs;
  keepLoaded(redis, Object.values(scripts));
  const store = { redis, applicationId };
  return {
    ...store,
    changes: new Changes(store),
    batch: new Batch(store),
    turns: openTurns(),
    suspects: new Set(),
    isListed,
    onUnconfirmed,
  };
}
