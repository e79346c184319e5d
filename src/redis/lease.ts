import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../clock.ts';
import { fault, type Log } from '../log.ts';
import { leaseKey } from './keys.ts';
import { openScript } from './scripts.ts';
import type { Store } from './store.ts';

const scripts = {
  take: openScript(import.meta.dirname, 'take-lease'),
  hold: openScript(import.meta.dirname, 'hold-lease'),
  release: openScript(import.meta.dirname, 'release-lease'),
};

/**
 * The right to be the only process at some work. The token is new for every try: it fences every
 * write of the work, so that a process that lost its lease writes nothing more.
 */
export type Lease = {
  key: string;
  token: string;
  /** So long it is good from each renewal on, and so long a successor waits after a crash. */
  ms: number;
};

/** What holders noted of the work for their successors, by field. */
export type Notes = ReadonlyMap<string, string>;

export type TakeOutcome =
  | { status: 'taken'; lease: Lease; times: number; notes: Notes }
  | { status: 'held'; untilMs: number }
  /** It was done once and for all. */
  | { status: 'done' };

const LEASE_MS = 30_000;
const DAY_SECONDS = 86_400;

const zTaken = z.union([
  z.tuple([z.literal('taken'), z.int(), z.array(z.string())]),
  z.tuple([z.literal('held'), z.int()]),
  z.tuple([z.literal('done')]),
]);
const zHeld = z.tuple([z.enum(['held', 'lost'])]).transform(([status]) => ({ status }));
const zReleased = z.tuple([z.enum(['released', 'lost'])]).transform(([status]) => ({ status }));

/** One process gets it; after its end, whichever asks first. */
export async function takeLease(
  { redis }: Store,
  work: { key: string; ms?: number; token?: string; sweepSeconds?: number },
  now: number,
): Promise<TakeOutcome> {
  const { key, ms = LEASE_MS, token = randomUUID(), sweepSeconds = DAY_SECONDS } = work;
  const reply = zTaken.parse(await scripts.take(redis, key, token, now, now + ms, sweepSeconds));
  if (reply[0] === 'done') return { status: 'done' };
  if (reply[0] === 'held') return { status: 'held', untilMs: reply[1] };
  return { status: 'taken', lease: { key, token, ms }, times: reply[1], notes: pairs(reply[2]) };
}

function pairs(flat: readonly string[]): Notes {
  const all = new Map<string, string>();
  for (let i = 0; i < flat.length; i += 2) all.set(flat[i] ?? '', flat[i + 1] ?? '');
  return all;
}

/**
 * Renews it, and with it writes a note into the lease, or into another hash of the guild. After
 * 'lost' the work must end, and nothing was written: a successor is at it, or Redis was emptied.
 */
export async function holdLease(
  { redis }: Store,
  { key, token, ms }: Lease,
  now: number,
  note: Record<string, string | number> = {},
  record = key,
): Promise<{ status: 'held' | 'lost' }> {
  const fields = Object.entries(note).flat();
  return zHeld.parse(await scripts.hold(redis, key, record, token, now + ms, ...fields));
}

/**
 * `open`: whoever takes it next goes on from the notes. `anew`: the notes are dropped. `done`: nobody
 * takes it again.
 */
export type Left = 'open' | 'anew' | 'done';

/** Gives it back, and with it writes the outcome into another hash of the guild. */
export async function releaseLease(
  { redis }: Store,
  { key, token }: Lease,
  left: Left = 'anew',
  outcome: Record<string, string | number> = {},
  record = key,
): Promise<{ status: 'released' | 'lost' }> {
  const fields = Object.entries(outcome).flat();
  return zReleased.parse(await scripts.release(redis, key, record, token, left, ...fields));
}

/** A lease that is renewed until the work ends. */
export type HeldLease = {
  lease: Lease;
  notes: Notes;
  /** Aborted when the lease is lost or the bot stops. */
  signal: AbortSignal;
  lost(): boolean;
};

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** Work on a guild, or on nothing that belongs to one. */
export type Work = { guild: string | null; work: string; sweepSeconds?: number; left?: Left };

type Parts = { store: Store; clock: Clock; log: Log; stopping: AbortSignal };

/**
 * Does what one process is enough for, under a lease that is renewed meanwhile. Does nothing where
 * another process is at it. Work that must not be done twice writes with `holdLease`.
 */
export async function withLease<T>(
  { store, clock, log, stopping }: Parts,
  { guild, work, sweepSeconds = DAY_SECONDS, left = 'anew' }: Work,
  act: (held: HeldLease) => Promise<T>,
): Promise<T | { status: 'held'; untilMs: number }> {
  const key = leaseKey(store.applicationId, guild, work);
  const taken = await takeLease(store, { key, sweepSeconds }, clock.now());
  if (taken.status === 'done') throw new Error(`The work ${work} is never done for good.`);
  if (taken.status === 'held') return taken;
  const { lease, notes } = taken;
  const gone = new AbortController();
  const renewal = setInterval(() => {
    holdLease(store, lease, clock.now()).then(
      ({ status }) => {
        if (status === 'lost') gone.abort();
      },
      // While Redis is away the lease may run out; whoever takes it then has Redis.
      (error: unknown) => log.info({ ...fault(error), guild, work }, 'A lease was not renewed.'),
    );
  }, lease.ms / 3);
  try {
    const signal = AbortSignal.any([stopping, gone.signal]);
    return await act({ lease, notes, signal, lost: () => gone.signal.aborted });
  } finally {
    clearInterval(renewal);
    // If Redis is away, the lease runs out.
    await releaseLease(store, lease, left).catch(() => {});
  }
}
