import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { storeKeys } from './keys.ts';
import type { Store } from './store.ts';

/** The right to be the only process at some work on a guild. The token is made anew for every try. */
export type Lease = { guild: string; work: string; token: string };

/** Renewed three times as often; so long waits a successor after a crash. */
const LEASE_MS = 30_000;
export const RENEW_MS = LEASE_MS / 3;

/** Only sweeps. */
const SWEEP_SECONDS = 86_400;

const zTaken = z.union([
  z.tuple([z.literal('taken')]).transform(([status]) => ({ status })),
  z.tuple([z.literal('held'), z.int()]).transform(([status, untilMs]) => ({ status, untilMs })),
]);
const zHeld = z.tuple([z.enum(['held', 'lost'])]).transform(([status]) => ({ status }));

/** One process gets it; after its end, whoever asks first. */
export async function takeLease(
  store: Store,
  { guild, work }: Omit<Lease, 'token'>,
  now: number,
): Promise<{ status: 'taken'; lease: Lease } | { status: 'held'; untilMs: number }> {
  const lease = { guild, work, token: randomUUID() };
  const outcome = zTaken.parse(
    await store.redis.takeLease(
      leaseKey(store, lease),
      lease.token,
      now,
      now + LEASE_MS,
      SWEEP_SECONDS,
    ),
  );
  return outcome.status === 'taken' ? { status: 'taken', lease } : outcome;
}

/** After 'lost' the work must end: a successor is at it, or Redis was emptied. */
export async function holdLease(
  store: Store,
  lease: Lease,
  now: number,
): Promise<{ status: 'held' | 'lost' }> {
  return zHeld.parse(
    await store.redis.holdLease(leaseKey(store, lease), lease.token, now + LEASE_MS),
  );
}

export async function releaseLease(store: Store, lease: Lease): Promise<void> {
  await store.redis.releaseLease(leaseKey(store, lease), lease.token);
}

export function leaseKey(store: Store, { guild, work }: Omit<Lease, 'token'>): string {
  return storeKeys(store.applicationId, guild).lease(work);
}
