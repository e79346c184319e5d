import type { Run } from './digest-settings.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { holdLease, type Lease, type Left, releaseLease, takeLease } from '../../redis/lease.ts';
import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/** The holder of the lease of an edition, by the local date of its slot. Every try has a new token. */
export type Claim = { guild: Snowflake; digest: string; date: string; token: string };

/**
 * Long enough for the slowest posting between two renewals. After a crash the next process waits
 * this long.
 */
export const CLAIM_MS = 90_000;

type ClaimOutcome =
  | {
      status: 'claimed';
      /** A process may have sent it. */
      tried: boolean;
      draft: string | null;
    }
  | { status: 'held'; untilMs: number }
  | { status: 'done' };

/**
 * Only one process gets the claim, for `CLAIM_MS` from the caller's now. After that, the first
 * process that asks gets it.
 */
export async function claimPosting(store: Store, claim: Claim, now: number): Promise<ClaimOutcome> {
  const taken = await takeLease(store, leaseOf(store, claim), now);
  if (taken.status !== 'taken') return taken;
  const { notes } = taken;
  return { status: 'claimed', tried: notes.has('tried'), draft: notes.get('draft') ?? null };
}

/**
 * Renews the lease and, in the same step, records the draft, or that the message is about to be
 * sent. After 'lost' nothing may be sent, because another process has the claim.
 */
export async function holdClaim(
  store: Store,
  claim: Claim,
  now: number,
  note: { draft?: string; tried?: 1 } = {},
): Promise<{ status: 'held' | 'lost' }> {
  return holdLease(store, leaseOf(store, claim), now, note);
}

/** Ends a claim without a record. Another process may try at once. */
export async function releaseClaim(
  store: Store,
  claim: Claim,
): Promise<{ status: 'released' | 'lost' }> {
  return releaseLease(store, leaseOf(store, claim), 'open');
}

/**
 * Writes the run and ends the lease. `open`: to be tried again with its draft; `anew`: nothing was
 * sent, so that the next try drafts anew; `done`: posted or skipped for good.
 */
export async function recordEdition(
  store: Store,
  claim: Claim,
  run: Run,
  left: Left,
): Promise<{ status: 'released' | 'lost' }> {
  const { runs } = storeKeys(store, claim.guild);
  const outcome = { [claim.digest]: JSON.stringify(run) };
  return releaseLease(store, leaseOf(store, claim), left, outcome, runs);
}

function leaseOf(store: Store, claim: Claim): Lease {
  const keys = storeKeys(store, claim.guild);
  return { key: keys.claim(claim.digest, claim.date), token: claim.token, ms: CLAIM_MS };
}
