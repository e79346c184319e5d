import type { Run } from './digest.ts';
import { storeKeys } from '../../redis/keys.ts';
import { holdLease, type Lease, type Left, releaseLease, takeLease } from '../../redis/lease.ts';
import type { Store } from '../../redis/store.ts';

/** One edition: the local date of its slot names it. */
type EditionOfDigest = { guild: string; digest: string; date: string };
/** The announcement of an article that has become interesting. */
type Announcement = { guild: string; article: string };

/** The holder of the lease of a message that is posted once. Every try has a new token. */
export type Claim = (EditionOfDigest | Announcement) & { token: string };
export type EditionClaim = EditionOfDigest & { token: string };
export type ArticleClaim = Announcement & { token: string };

/**
 * Long enough for the slowest posting between two renewals. After a crash the next process waits
 * this long.
 */
export const LEASE_MS = 90_000;

/** Only sweeps: by then every slot is recorded or skipped, and no article of then is announced. */
export const SWEEP_SECONDS = 9 * 86_400;

type ClaimOutcome =
  | {
      status: 'claimed';
      /** How often it was claimed before. */
      earlier: number;
      /** A process may have sent it. */
      tried: boolean;
      plan: string | null;
    }
  | { status: 'held'; untilMs: number }
  | { status: 'done' };

/**
 * Only one process gets the claim, for `LEASE_MS` from the caller's now. After that, the first
 * process that asks gets it.
 */
export async function claimPosting(store: Store, claim: Claim, now: number): Promise<ClaimOutcome> {
  const work = { ...leaseOf(store, claim), sweepSeconds: SWEEP_SECONDS };
  const taken = await takeLease(store, work, now);
  if (taken.status !== 'taken') return taken;
  const { times, notes } = taken;
  const tried = notes.has('tried');
  return { status: 'claimed', earlier: times - 1, tried, plan: notes.get('plan') ?? null };
}

/**
 * Renews the lease and, in the same step, records the plan, or that the message is about to be
 * sent. After 'lost' nothing may be sent, because another process has the claim.
 */
export async function holdClaim(
  store: Store,
  claim: Claim,
  now: number,
  note: { plan?: string; tried?: 1 } = {},
): Promise<{ status: 'held' | 'lost' }> {
  return holdLease(store, leaseOf(store, claim), now, note);
}

/** Nothing was posted, and another process may try at once. */
export async function releaseClaim(
  store: Store,
  claim: Claim,
): Promise<{ status: 'released' | 'lost' }> {
  return releaseLease(store, leaseOf(store, claim), 'open');
}

/** Ends a posting that leaves nothing else to record. */
export async function finishClaim(
  store: Store,
  claim: Claim,
  left: Exclude<Left, 'open'>,
): Promise<{ status: 'released' | 'lost' }> {
  return releaseLease(store, leaseOf(store, claim), left);
}

/**
 * Writes the run and ends the lease. `open`: to be tried again as it was planned; `anew`: nothing was
 * sent, so that the next try plans anew; `done`: posted or skipped for good.
 */
export async function recordEdition(
  store: Store,
  claim: EditionClaim,
  run: Run,
  left: Left,
): Promise<{ status: 'released' | 'lost' }> {
  const { runs } = storeKeys(store.applicationId, claim.guild);
  const outcome = { [claim.digest]: JSON.stringify(run) };
  return releaseLease(store, leaseOf(store, claim), left, outcome, runs);
}

function leaseOf(store: Store, claim: Claim): Lease {
  const keys = storeKeys(store.applicationId, claim.guild);
  const isArticle = 'article' in claim;
  const key = isArticle ? keys.announced(claim.article) : keys.claim(claim.digest, claim.date);
  return { key, token: claim.token, ms: LEASE_MS };
}
