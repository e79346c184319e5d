import type { Snowflake } from '../ranking/snowflake.ts';
import type { Both } from './reactions/counts.ts';
import { type Mutex, openMutex } from '../mutex.ts';

export type RecountState = {
  /** Recounts of one article or guild run one at a time: an older reading never overwrites a newer one. */
  exclusively: Mutex;
  /**
   * Discord's counts of an article above the ranking's, when its lists were last read: bots, the poster,
   * and members whose votes do not count. While that stays the same, the lists need not be read again.
   * NaN where an event could not be written, so that they are read, whatever the counts.
   */
  uncounted: Map<Snowflake, Both>;
  /** The articles that a night's full pass tried. If one could not be read, it waits for the next night. */
  fullPass: { nightMs: number; tried: Set<Snowflake> };
};

export function openRecountState(): RecountState {
  return {
    exclusively: openMutex(),
    uncounted: new Map(),
    fullPass: { nightMs: 0, tried: new Set() },
  };
}

export type RebuildStep = {
  phase: 'recent' | 'older';
  /** The channels and threads already read in this phase; `places` is their total number. */
  done: number;
  places: number;
  /** Articles recognised since the rebuild began, by all processes. */
  articles: number;
};
