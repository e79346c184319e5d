import type { HeldLease } from '../redis/lease.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Trouble } from './troubles.ts';

/** A row is `<kind>` or `<kind>:<id>`: `night`, `digest:daily`, `show:1234`. A kind has small letters and dashes. */
export type Row = string;

const HELD = 'held:';

/** What stands in the table for a row while it is done. */
export const heldRow = (row: Row): string => HELD + row;

/** The row, also of what stands for it while it is done. */
export const rowOf = (member: string): Row =>
  member.startsWith(HELD) ? member.slice(HELD.length) : member;

/** Whether a row is planned or being done. */
export async function isPlanned(store: Store, guild: Snowflake, row: Row): Promise<boolean> {
  const { due } = storeKeys(store, guild);
  return (await store.redis.zmscore(due, row, heldRow(row))).some((score) => score !== null);
}

/** What the bot does by itself. */
export type KindName =
  | 'announce'
  | 'check'
  | 'close'
  | 'compare'
  | 'counts'
  | 'digest'
  | 'earlier'
  | 'erase'
  | 'full'
  | 'import'
  | 'import-votes'
  | 'links'
  | 'night'
  | 'nominate'
  | 'nominations'
  | 'rebuild'
  | 'recount'
  | 'references'
  | 'report'
  | 'scan'
  | 'show'
  | 'sweep'
  | 'tell'
  | 'unname'
  | 'welcome';

/** How rows of one kind are done. */
export interface Kind {
  /** The first word of its rows. */
  name: KindName;
  /** The most of its rows that run side by side in this process. */
  sideBySide: number;
  /** The most of one guild's. By default one, so that a guild's thousands of rows leave room for others. */
  ofGuild?: number;
  /** A wrong time does it no harm: it is also done while the time is not confirmed. By default it waits. */
  ignoresTime?: boolean;
  /** The rows that a guild has by its own data. They are planned whenever it arrives, so that a lost row comes again. */
  standing?(guild: Snowflake): Promise<readonly Planned[]>;
  /** Does a row. What it throws is a failure, after which the row rests longer each time. */
  run(held: Held): Promise<Next>;
}

/** A row, and when it is due (ms). */
export type Planned = { row: Row; atMs: number };

/** A row that this process does. */
export interface Held {
  /** Its guild. */
  guild: Snowflake;
  /** The row. */
  row: Row;
  /** What follows its kind; empty if nothing does. */
  id: string;
  /** What an earlier holder noted whose work did not end. */
  notes: ReadonlyMap<string, string>;
  /** What hindered it the last time; null: nothing. */
  trouble: Trouble | null;
  /** Aborted when the bot is stopping or another process took the row. */
  signal: AbortSignal;
  /**
   * Renews the lease, and writes fields into it or into another hash of the guild in the same step. Throws when the
   * row is lost; then nothing was written.
   */
  write: (fields: Record<string, string | number>, record?: string) => Promise<void>;
}

/** How a row ended that was done. */
export type Next = {
  /** When it is due next (ms); null: it is done. What was planned meanwhile counts instead. */
  atMs: number | null;
  /** Fields that are written in the same step. */
  outcome?: Record<string, string>;
  /** The hash of the guild that gets them; by default the lease. */
  record?: string;
  /** What hinders it and is no fault, such as a missing permission. */
  trouble?: Pick<Trouble, 'why' | 'detail'>;
};

/** How long a row rests that is hindered (ms): as long as it has been, a minute at least and an hour at most. */
export function restOf({ trouble }: Held, now: number): number {
  return Math.min(Math.max(now - (trouble?.sinceMs ?? now), MINUTE_MS), HOUR_MS);
}

/** A row that this process does, for work that can also be done under a lease of its own. */
export function asLease({ signal, write }: Held): HeldLease {
  return { signal, write: (record, fields) => write(fields, record) };
}
