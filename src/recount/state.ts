import type { Snowflake } from '../ranking/snowflake.ts';
import { type Mutex, openMutex } from './mutex.ts';
import { type Counters, emptyCounters } from './report.ts';

/** What this process knows of its recounts. */
export type RecountState = {
  /** Each article, and each guild, is recounted once at a time: no older reading overrules a newer one. */
  exclusively: Mutex;
  counters: Counters;
  /** What the full pass of a night tried: what it could not read waits for the next night. */
  fullPass: { nightMs: number; tried: Set<Snowflake> };
};

export function openRecountState(): RecountState {
  return {
    exclusively: openMutex(),
    counters: emptyCounters(),
    fullPass: { nightMs: 0, tried: new Set() },
  };
}
