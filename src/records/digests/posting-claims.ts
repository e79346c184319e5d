import { z } from 'zod';
import type { Run } from './digest.ts';
import { storeKeys } from '../../redis/keys.ts';
import type { Store } from '../../redis/store.ts';

/** One edition: the local date of its slot names it. */
type EditionOfDigest = { guild: string; digest: string; date: string };
/** Word of an article that has become interesting. */
type Announcement = { guild: string; article: string };

/** Who took the lease of what is posted once. The token is made anew for every try. */
export type Claim = (EditionOfDigest | Announcement) & { token: string };
export type EditionClaim = EditionOfDigest & { token: string };

/** Long enough for the slowest posting between two renewals; as long waits a successor. */
export const LEASE_MS = 90_000;

/** Only sweeps: by then every slot is recorded or skipped, and no article of then is announced. */
export const SWEEP_SECONDS = 9 * 86_400;

const zClaimed = z.union([
  z
    .tuple([z.literal('claimed'), z.int(), z.int(), z.string()])
    .transform(([status, claims, tried, plan]) => ({
      status,
      /** How often it was claimed before. */
      earlier: claims - 1,
      /** The last page that somebody may have sent; 0 for none. */
      tried,
      plan: plan === '' ? null : plan,
    })),
  z.tuple([z.literal('held'), z.int()]).transform(([status, untilMs]) => ({ status, untilMs })),
  z.tuple([z.literal('done')]).transform(([status]) => ({ status })),
]);
export type ClaimOutcome = z.infer<typeof zClaimed>;

const zHeld = z.tuple([z.enum(['held', 'lost'])]).transform(([status]) => ({ status }));
const zReleased = z.tuple([z.enum(['released', 'lost'])]).transform(([status]) => ({ status }));
const zFinished = z.tuple([z.enum(['finished', 'lost'])]).transform(([status]) => ({ status }));
const zRecorded = z.tuple([z.enum(['recorded', 'lost'])]).transform(([status]) => ({ status }));

/** One process gets it, for `LEASE_MS` from the caller's now; after that, whoever asks first. */
export async function claimPosting(store: Store, claim: Claim, now: number): Promise<ClaimOutcome> {
  return zClaimed.parse(
    await store.redis.claimPosting(
      keyOf(store, claim),
      claim.token,
      now,
      now + LEASE_MS,
      SWEEP_SECONDS,
    ),
  );
}

/**
 * Renews the lease, and with it notes the plan (the first one stays) or the page that is about to
 * be sent. After 'lost' nothing may be sent: a successor is at it.
 */
export async function holdClaim(
  store: Store,
  claim: Claim,
  now: number,
  note: { plan?: string; tried?: number } = {},
): Promise<{ status: 'held' | 'lost' }> {
  return zHeld.parse(
    await store.redis.holdClaim(
      keyOf(store, claim),
      claim.token,
      now + LEASE_MS,
      note.tried ?? 0,
      note.plan ?? '',
    ),
  );
}

/** Nothing was posted, and another process may try at once. */
export async function releaseClaim(
  store: Store,
  claim: Claim,
): Promise<{ status: 'released' | 'lost' }> {
  return zReleased.parse(await store.redis.releaseClaim(keyOf(store, claim), claim.token));
}

/**
 * `done`: posted or skipped for good. `open`: to be tried again as it was planned. `anew`: nothing
 * was sent, so that the next try plans anew.
 */
export type RecordedAs = 'done' | 'open' | 'anew';

/** Ends the lease of what leaves nothing else to record. */
export async function finishClaim(
  store: Store,
  claim: Claim,
  outcome: Exclude<RecordedAs, 'open'>,
): Promise<{ status: 'finished' | 'lost' }> {
  return zFinished.parse(await store.redis.finishClaim(keyOf(store, claim), claim.token, outcome));
}

/** Writes the run and ends the lease. */
export async function recordEdition(
  store: Store,
  claim: EditionClaim,
  run: Run,
  outcome: RecordedAs,
): Promise<{ status: 'recorded' | 'lost' }> {
  const { runs } = storeKeys(store.applicationId, claim.guild);
  return zRecorded.parse(
    await store.redis.recordEdition(
      keyOf(store, claim),
      runs,
      claim.token,
      claim.digest,
      JSON.stringify(run),
      outcome,
    ),
  );
}

function keyOf(store: Store, claim: Claim): string {
  const keys = storeKeys(store.applicationId, claim.guild);
  return 'article' in claim ? keys.announced(claim.article) : keys.claim(claim.digest, claim.date);
}
