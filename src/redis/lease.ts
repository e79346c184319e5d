import { randomUUID } from 'node:crypto';
import type { Clock } from '../runtime/clock.ts';
import { fault, type Log } from '../runtime/log.ts';
import { storeKeys } from './store-keys.ts';
import { pairs } from './scan.ts';
import { openScript } from './script.ts';
import type { Store } from './store.ts';

type Taken = ['taken', notes: string[]] | ['held', untilMs: number] | ['done'];

const scripts = {
  take: openScript<Taken>(import.meta.dirname, 'take-lease'),
  hold: openScript<['held' | 'lost']>(import.meta.dirname, 'hold-lease'),
  release: openScript<['released' | 'lost']>(import.meta.dirname, 'release-lease'),
};

/**
 * The right to be the only process that does some work. The token is new for every try and guards
 * every write of the work, so a process that lost its lease cannot write any more.
 */
export type Lease = {
  key: string;
  token: string;
  /** The lease is valid this long after each renewal. After a crash the next process waits this long. */
  ms: number;
};

type TakeOutcome =
  /** `notes`: the progress that holders of the lease recorded for the next holder, by field. */
  | { status: 'taken'; lease: Lease; notes: ReadonlyMap<string, string> }
  | { status: 'held'; untilMs: number }
  /** The work is complete and must not be repeated. */
  | { status: 'done' };

const LEASE_MS = 30_000;
/** Only sweeps what a killed process left, or what is done: no work comes again after so long. */
const SWEEP_SECONDS = 9 * 86_400;

/**
 * Only one process gets the lease. After it ends, the first process that asks gets it. `isSeized`: it is taken
 * from whoever has it, who writes nothing more.
 */
export async function takeLease(
  { redis }: Store,
  { key, ms = LEASE_MS, isSeized = false }: { key: string; ms?: number; isSeized?: boolean },
  now: number,
): Promise<TakeOutcome> {
  const token = randomUUID();
  const askedMs = isSeized ? Number.MAX_SAFE_INTEGER : now;
  const reply = await scripts.take(redis, key, token, askedMs, now + ms, SWEEP_SECONDS);
  if (reply[0] === 'done') return { status: 'done' };
  if (reply[0] === 'held') return { status: 'held', untilMs: reply[1] };
  return { status: 'taken', lease: { key, token, ms }, notes: new Map(pairs(reply[1])) };
}

/** Whether some work is complete and must not be repeated. */
export async function isDone({ redis }: Store, key: string): Promise<boolean> {
  return (await redis.hexists(key, 'done')) === 1;
}

/**
 * Renews the lease and, in the same step, writes a note into it or into another hash of the guild.
 * 'lost': nothing was written, because another process has the lease or Redis was emptied. The work
 * must end then.
 */
export async function holdLease(
  { redis }: Store,
  { key, token, ms }: Lease,
  now: number,
  note: Record<string, string | number> = {},
  record = key,
): Promise<{ status: 'held' | 'lost' }> {
  const fields = Object.entries(note).flat();
  const [status] = await scripts.hold(redis, key, record, token, now + ms, ...fields);
  return { status };
}

/** Like `holdLease`: false if the lease is lost. */
export async function keepLease(...asked: Parameters<typeof holdLease>): Promise<boolean> {
  return (await holdLease(...asked)).status === 'held';
}

/**
 * `open`: the next holder continues from the notes. `anew`: the notes are dropped. `done`: no
 * process can take the lease again.
 */
export type Release = 'open' | 'anew' | 'done';

/** Ends the lease and, in the same step, writes the outcome into another hash of the guild. */
export async function releaseLease(
  { redis }: Store,
  { key, token }: Lease,
  as: Release = 'anew',
  outcome: Record<string, string | number> = {},
  record = key,
): Promise<{ status: 'released' | 'lost' }> {
  const fields = Object.entries(outcome).flat();
  const [status] = await scripts.release(redis, key, record, token, as, ...fields);
  return { status };
}

/** A lease that is renewed until the work ends. */
export type HeldLease = {
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  /** Writes into a hash of the guild. Throws, and writes nothing, if the lease is lost. */
  write: (record: string, fields: Record<string, string | number>) => Promise<void>;
};

/** What work under a lease needs. */
export interface LeaseNeeds {
  /** Where the leases are. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping: the work then ends, and the lease with it. */
  stopping: AbortSignal;
}

/**
 * Does work on a guild under a lease that it renews, so that only one process does it at a time. `held`:
 * another process has the lease, or took it in the middle. Work that must not be done twice must write
 * with `HeldLease.write`. `isSeized`: what somebody chose ends the work of whoever has the lease.
 */
export async function withLease<T>(
  { store, clock, log, stopping }: LeaseNeeds,
  { guild, work, isSeized = false }: { guild: string; work: string; isSeized?: boolean },
  act: (held: HeldLease) => Promise<T>,
): Promise<T | { status: 'held' }> {
  const key = storeKeys(store, guild).lease(work);
  const taken = await takeLease(store, { key, isSeized }, clock.now());
  if (taken.status === 'done') throw new Error(`The work ${work} is never done for good.`);
  if (taken.status === 'held') return { status: 'held' };
  const { lease } = taken;
  const gone = new AbortController();
  const write: HeldLease['write'] = async (record, fields) => {
    const { status } = await holdLease(store, lease, clock.now(), fields, record);
    if (status === 'lost') gone.abort();
    gone.signal.throwIfAborted();
  };
  const renewal = setInterval(() => {
    write(key, {}).catch((error: unknown) => {
      // While Redis is away the lease may run out; then a process that reaches Redis may take it.
      log.debug({ ...fault(error), guild, work }, 'A lease was not renewed.');
    });
  }, lease.ms / 3);
  try {
    return await act({ signal: AbortSignal.any([stopping, gone.signal]), write });
  } catch (error) {
    if (!gone.signal.aborted) throw error;
    log.info({ ...fault(error), guild, work }, 'Another process took over some work.');
    return { status: 'held' };
  } finally {
    clearInterval(renewal);
    // If Redis is away, the lease runs out.
    await releaseLease(store, lease).catch(() => {});
  }
}
