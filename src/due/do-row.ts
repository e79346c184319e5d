import { randomUUID } from 'node:crypto';
import { isOutage, openWarnings } from '../redis/errors.ts';
import { pairs } from '../redis/scan.ts';
import { openScript } from '../redis/script.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../runtime/clock.ts';
import { fault, faultLine, type Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Held, Kind, Next, Row } from './kind.ts';
import { storedTrouble, type Trouble } from './troubles.ts';

const room = import.meta.dirname;
type Taken = ['taken', trouble: string, notes: string[]] | ['later', number] | ['none'];
const scripts = {
  take: openScript<Taken>(room, 'take-due'),
  hold: openScript<['held' | 'lost']>(room, 'hold-due'),
  end: openScript<['ended', string] | ['lost']>(room, 'end-due'),
};

const LEASE_MS = 30_000;
/** Only sweeps what a killed process left: no row comes again after so long. */
export const SWEEP_SECONDS = 9 * 86_400;
/** An outage ends for all rows at once, so it is tried at this pace, and does not count. */
export const OUTAGE_MS = 15_000;
/** A row that failed rests this long, twice as long after each further failure, and an hour at most. */
const FAILED_MS = 1000;
/** Recounts of many articles take minutes. */
const LONG_MS = 30 * MINUTE_MS;

/** What doing a row needs. */
export interface RowNeeds {
  /** Where the rows and their leases are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what failed, once. */
  log: Log;
  /** Aborted when the bot is stopping: nothing begins, what runs ends, and its row stays due. */
  stopping: AbortSignal;
  /** The guilds of this process that are reachable now. */
  guilds: () => Iterable<Snowflake>;
  /** Whether an error says that Discord did not answer. By default none does. */
  isUnanswered?: (error: unknown) => boolean;
  /** How often Discord answered this process. By default it is not known. */
  answers?: () => number;
}

/** How the try to do a row ended, when it is due next (ms; null: it is gone), and what hinders it. */
export type Tried = {
  status: 'done' | 'failed' | 'elsewhere';
  atMs: number | null;
  trouble: Trouble | null;
};

/** Returns a function that does one row under its lease. It throws when Redis is away. */
export function openDoing(
  needs: RowNeeds,
): (guild: Snowflake, row: Row, kind: Kind) => Promise<Tried> {
  const { clock, log, stopping } = needs;
  const warn = openWarnings(log);
  const outages = openOutages(needs);
  /** A process does a row once at a time, and goes on with what it could not end while Redis was away. */
  const token = randomUUID();

  return async (guild, row, kind) => {
    const taken = await take(needs, token, guild, row);
    if ('status' in taken) return taken;
    const { trouble, gone, write } = taken;
    const signal = AbortSignal.any([stopping, gone.signal]);
    const renewal = renew(needs, taken);
    try {
      const id = row.slice(kind.name.length + 1);
      const next = await kind.run({ guild, row, id, notes: taken.notes, trouble, signal, write });
      outages.forget(guild, row);
      return await end(needs, taken, 'done', next, hindered(next, trouble, clock.now()));
    } catch (error) {
      const now = clock.now();
      if (gone.signal.aborted) return { status: 'elsewhere', atMs: now + FAILED_MS, trouble: null };
      if (stopping.aborted) return await end(needs, taken, 'failed', { atMs: now }, trouble);
      warn(error, { guild, row }, 'Something that was due failed, and is tried again.');
      if (outages.isPart(guild, row, error))
        return await end(needs, taken, 'failed', { atMs: now + OUTAGE_MS }, trouble);
      const failed = failedAgain(error, trouble, now);
      const restMs = Math.min(FAILED_MS * 2 ** failed.attempts, HOUR_MS);
      return await end(needs, taken, 'failed', { atMs: now + restMs }, failed);
    } finally {
      clearInterval(renewal);
    }
  };
}

/** A row of which this process has the lease. */
type HeldRow = Pick<Held, 'guild' | 'row' | 'notes' | 'trouble' | 'write'> & {
  token: string;
  /** Aborted when another process took it. */
  gone: AbortController;
};

async function take(
  { store, clock }: RowNeeds,
  token: string,
  guild: Snowflake,
  row: Row,
): Promise<HeldRow | Tried> {
  const { redis } = store;
  const keys = storeKeys(store, guild);
  const lease = keys.lease(row);
  const now = clock.now();
  const held = [row, token, now, now + LEASE_MS, SWEEP_SECONDS] as const;
  const taken = await scripts.take(redis, keys.due, lease, keys.troubles, ...held);
  if (taken[0] === 'none') return { status: 'elsewhere', atMs: null, trouble: null };
  if (taken[0] === 'later') return { status: 'elsewhere', atMs: taken[1], trouble: null };
  const notes = new Map(pairs(taken[2]));
  for (const own of ['token', 'until']) notes.delete(own);
  const trouble = storedTrouble.read(taken[1]);
  const gone = new AbortController();
  return {
    guild,
    row,
    token,
    notes,
    trouble,
    gone,
    async write(fields, record = lease) {
      const until = clock.now() + LEASE_MS;
      const note = Object.entries(fields).flat();
      const [status] = await scripts.hold(
        ...([redis, keys.due, lease, record, row, token, until] as const),
        ...note,
      );
      if (status === 'lost') gone.abort();
      gone.signal.throwIfAborted();
    },
  };
}

/** Renews the lease until the timer that it returns is cleared. */
function renew({ log }: RowNeeds, { guild, row, write }: HeldRow): NodeJS.Timeout {
  // By the process's own time: the clock may be put right meanwhile.
  const beganMs = performance.now();
  let isLong = false;
  return setInterval(() => {
    // If Redis is away, the lease runs out, and whoever takes the row then goes on.
    write({}).catch((error: unknown) => {
      log.debug({ ...fault(error), guild, row }, 'A lease was not renewed.');
    });
    if (isLong || performance.now() - beganMs < LONG_MS) return;
    isLong = true;
    log.warn({ guild, row }, 'Work has not ended in half an hour.');
  }, LEASE_MS / 3);
}

async function end(
  { store, clock }: RowNeeds,
  { guild, row, token }: HeldRow,
  status: 'done' | 'failed',
  next: Next,
  trouble: Trouble | null,
): Promise<Tried> {
  const keys = storeKeys(store, guild);
  const lease = keys.lease(row);
  const { atMs, outcome = {}, record = lease } = next;
  const notes = status === 'failed' ? 'keep' : 'drop';
  const why = trouble === null ? '' : storedTrouble.write(trouble);
  const [answer, nextMs = ''] = await scripts.end(
    ...([store.redis, keys.due, lease, record, keys.troubles] as const),
    ...([row, token, atMs ?? '', notes, why] as const),
    ...Object.entries(outcome).flat(),
  );
  if (answer === 'lost') return { status: 'elsewhere', atMs: clock.now(), trouble: null };
  return { status, atMs: nextMs === '' ? null : Number(nextMs), trouble };
}

/** Tells what fails in an outage, which is no failure of a row, from a route that alone is not answered. */
function openOutages({ guilds, isUnanswered, answers }: RowNeeds) {
  /** By row that Discord left without an answer: how often it had answered by then. */
  const answersBefore = new Map<string, number>();
  return {
    forget: (guild: Snowflake, row: Row) => void answersBefore.delete(`${guild} ${row}`),
    isPart(guild: Snowflake, row: Row, error: unknown): boolean {
      if (isOutage(error) || ![...guilds()].includes(guild)) return true;
      if (isUnanswered?.(error) !== true) return false;
      const count = answers?.() ?? 0;
      const before = answersBefore.get(`${guild} ${row}`) ?? count;
      if (answersBefore.size > REMEMBERED_AT_MOST) answersBefore.clear();
      answersBefore.set(`${guild} ${row}`, count);
      return before === count;
    },
  };
}

const REMEMBERED_AT_MOST = 10_000;

function failedAgain(error: unknown, before: Trouble | null, now: number): Trouble {
  return {
    why: 'fault',
    detail: firstLine(error),
    sinceMs: before?.sinceMs ?? now,
    attempts: (before?.attempts ?? 0) + 1,
    told: before?.told ?? false,
  };
}

function hindered({ trouble }: Next, before: Trouble | null, now: number): Trouble | null {
  if (trouble === undefined) return null;
  const isSame = before?.why === trouble.why;
  const { sinceMs, told } = isSame ? before : { sinceMs: now, told: false };
  return { ...trouble, sinceMs, attempts: 0, told };
}

function firstLine(error: unknown): string {
  const { fault: fields } = faultLine(error) as { fault: { message?: string } };
  return (fields.message ?? '').split('\n', 1)[0]!.slice(0, 300);
}
