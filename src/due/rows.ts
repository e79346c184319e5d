import PQueue from 'p-queue';
import { openWarnings } from '../redis/errors.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { openDoing, OUTAGE_MS, type RowNeeds, type Tried } from './do-row.ts';
import type { Kind, Planned, Row } from './kind.ts';

type Handled = {
  kind: Kind;
  queue: PQueue;
  /** By guild, while some of its rows wait or run. */
  ofGuild: Map<Snowflake, PQueue>;
};

/** The rows that this process does, each in the turn of its kind and guild. */
export interface Rows {
  /** From now on, rows of this kind are done. */
  handle(kind: Kind): void;
  /** The names of the kinds. */
  kinds(): Iterable<string>;
  /** The rows of a kind that a guild has by its own data. */
  standing(kind: string, guild: Snowflake): Promise<readonly Planned[]>;
  /** Whether a row is also done while the time is not confirmed. */
  ignoresTime(row: Row): boolean;
  /** Begins a row in its turn, or at once, unless it was begun. Null: another version of the bot knows its kind. */
  begin(guild: Snowflake, row: Row, isUrgent?: boolean): Promise<Tried> | null;
  /** A row that was begun and has not ended. */
  running(guild: Snowflake, row: Row): Promise<Tried> | undefined;
  /** Whether any was begun and has not ended. */
  areRunning(): boolean;
  /** Resolves when those have ended that were begun. */
  allEnded(): Promise<unknown>;
}

/** `wake`: a row that ended is due again then (ms). */
export function openRows(needs: RowNeeds, wake: (guild: Snowflake, atMs: number) => void): Rows {
  const { clock, log, stopping } = needs;
  const warn = openWarnings(log);
  const doRow = openDoing(needs);
  const kinds = new Map<string, Handled>();
  const begun = new Map<Snowflake, Map<Row, Promise<Tried>>>();

  async function tryRow(guild: Snowflake, row: Row, kind: Kind): Promise<Tried> {
    if (stopping.aborted) return { status: 'elsewhere', atMs: null, trouble: null };
    return doRow(guild, row, kind).catch((error: unknown) => {
      // Redis is away: nothing was written.
      if (!stopping.aborted) warn(error, { guild, row }, 'What is due could not be done.');
      return { status: 'failed', atMs: clock.now() + OUTAGE_MS, trouble: null };
    });
  }

  return {
    handle(kind) {
      if (kinds.has(kind.name)) throw new Error(`The kind ${kind.name} is handled twice.`);
      const queue = new PQueue({ concurrency: kind.sideBySide });
      kinds.set(kind.name, { kind, queue, ofGuild: new Map() });
    },
    kinds: () => kinds.keys(),
    standing: async (name, guild) => (await kinds.get(name)?.kind.standing?.(guild)) ?? [],
    ignoresTime: (row) => kinds.get(kindOf(row))?.kind.ignoresTime === true,
    begin(guild, row, isUrgent = false) {
      const handled = kinds.get(kindOf(row));
      const rows = begun.get(guild) ?? new Map<Row, Promise<Tried>>();
      const known = rows.get(row);
      if (known !== undefined || handled === undefined) return known ?? null;
      begun.set(guild, rows);
      const work = () => tryRow(guild, row, handled.kind);
      const tried = (isUrgent ? work() : inTurn(handled, guild, work)).then((ended) => {
        rows.delete(row);
        if (rows.size === 0) begun.delete(guild);
        if (ended.atMs !== null) wake(guild, ended.atMs);
        return ended;
      });
      rows.set(row, tried);
      return tried;
    },
    running: (guild, row) => begun.get(guild)?.get(row),
    areRunning: () => begun.size > 0,
    allEnded: () => Promise.all([...begun.values()].flatMap((rows) => [...rows.values()])),
  };
}

function inTurn(
  { kind, queue, ofGuild }: Handled,
  guild: Snowflake,
  work: () => Promise<Tried>,
): Promise<Tried> {
  const own = ofGuild.get(guild) ?? new PQueue({ concurrency: kind.ofGuild ?? 1 });
  ofGuild.set(guild, own);
  return own
    .add(() => queue.add(work))
    .finally(() => {
      if (own.size + own.pending === 0) ofGuild.delete(guild);
    });
}

function kindOf(row: Row): string {
  return row.split(':', 1)[0]!;
}
