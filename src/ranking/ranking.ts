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
  /** Tells when articles of a guild are read. */
  readonly reads: Reads;
  /** Called when something in a guild's keys was found broken: they are checked soon. */
  readonly onDamaged: (guild: Snowflake) => void;
  /**
   * Whether a home channel's articles may be in the guild's lists now. Readers ask it of each article,
   * because the stored lists follow a change of the channel a moment later.
   */
  isListed: (guild: Snowflake, home: Snowflake) => boolean;
  /** Called when a script may have planned rows that are due then (ms; 0: now), also where Redis did not confirm it. */
  readonly onPlanned: (guild: Snowflake, atMs: number) => void;
};

/** Who reads articles, and who is told of it. */
export interface Reads {
  /** Articles of the guild are read. */
  note(guild: Snowflake): void;
  /** Calls back at each read. */
  listen(listener: (guild: Snowflake) => void): void;
}

export interface RankingNeeds {
  /** The connection. The caller closes it. Automatic pipelining should be off: it makes votes slower. */
  redis: Redis;
  /** The application that owns the keys. */
  applicationId: Snowflake;
  /** As in `Ranking`. By default the stored rows are believed. */
  isListed?: Ranking['isListed'];
  /** As in `Ranking`. By default nobody is told. */
  onDamaged?: Ranking['onDamaged'];
  /** As in `Ranking`: what follows from a change is looked at. By default nothing is. */
  onPlanned?: Ranking['onPlanned'];
}

/** Opens the ranking of one application on a connection. */
export function openRanking(needs: RankingNeeds): Ranking {
  const { redis, applicationId, isListed = () => true } = needs;
  const { onDamaged = () => {}, onPlanned = () => {} } = needs;
  keepLoaded(redis, Object.values(scripts));
  const store = { redis, applicationId };
  return {
    ...store,
    changes: new Changes(store),
    batch: new Batch(store),
    turns: openTurns(),
    reads: openReads(),
    onDamaged,
    isListed,
    onPlanned,
  };
}

function openReads(): Reads {
  const listeners: ((guild: Snowflake) => void)[] = [];
  return {
    note: (guild) => listeners.forEach((listener) => listener(guild)),
    listen: (listener) => void listeners.push(listener),
  };
}
