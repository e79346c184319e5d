import { isDeepStrictEqual } from 'node:util';
import { nonceOf } from '../../discord/requests/requests.ts';
import { keepShown, type Standing } from '../../messages/keep-shown.ts';
import { keepLease, releaseLease, takeLease } from '../../redis/lease.ts';
import { readRebuildState } from '../../history/rebuild/stored-rebuilds.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { HOUR_MS } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Draft, writeDraft } from '../content/draft.ts';
import { firstLineOf, openingLine } from '../content/edition-message.ts';
import { dueSlot, LATEST_MS, periodOf, weekEndedMs } from '../schedule/due.ts';
import { over, readDigest, repairRun } from '../stored-digests.ts';
import {
  type ClaimedEdition,
  type EditionEnd,
  type Ended,
  endEdition,
  nextLook,
} from './end-edition.ts';
import { contentOfFound } from './found-edition.ts';
import { type DigestContext, readState } from './posting-context.ts';

/**
 * Long enough for the slowest posting between two renewals. After a crash the next process waits
 * this long.
 */
export const CLAIM_MS = 90_000;

/** An edition waits this long for a guild whose articles are being read from Discord. */
const REBUILT_WITHIN_MS = HOUR_MS;

/**
 * Posts the slot of a digest that is due, exactly once among all processes, even if a process dies in
 * between. Returns what became of it, and when the digest is due next.
 *
 * claim → look → write → send or edit → record: a process can die after each step, and the next caller continues
 * from there. Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function runDigest(
  context: DigestContext,
  guild: Snowflake,
  name: string,
): Promise<Ended> {
  const edition = await claimEdition(context, guild, name);
  if (edition === null) return nextLook(context, { guild, name }, 'idle');
  try {
    return await endEdition(context, edition, await showEdition(context, edition));
  } catch (error) {
    // If the release fails too, the lease expires.
    await releaseLease(context.store, edition.lease, 'open').catch(() => {});
    throw error;
  }
}

/** Null: nothing is due, or another process posts it. */
async function claimEdition(
  context: DigestContext,
  guild: Snowflake,
  name: string,
): Promise<ClaimedEdition | null> {
  const { store, clock, log } = context;
  const claimedAtMs = clock.now();
  const stored = await readDigest(store, guild, name);
  if (stored === null) {
    const gone =
      'A digest that was due is gone or cannot be read. If nobody deleted it, restore it: docs/recovery.md says how.';
    log.error({ guild, digest: name }, gone);
    return null;
  }
  const { digest, run } = stored;
  const slot = dueSlot(digest, run, claimedAtMs);
  if (slot === null) return null;
  // Half a ranking makes half an edition.
  const { complete } = await readRebuildState(store, guild);
  if (!complete && claimedAtMs - slot.atMs < REBUILT_WITHIN_MS) return null;
  const channel = await readState(context, guild, digest.channel);
  if (channel.status === 'elsewhere') return null;
  const key = storeKeys(store, guild).claim(name, slot.date);
  const claim = await takeLease(store, { key, ms: CLAIM_MS }, claimedAtMs);
  // A digest that was deleted and set up again has no run, but its claims.
  if (claim.status === 'done') await repairRun(store, guild, name, over(run, slot));
  if (claim.status !== 'taken') return null;
  return {
    ...stored,
    guild,
    locale: channel.locale,
    date: slot.date,
    period: periodOf(digest, slot.atMs),
    weekEndedMs: weekEndedMs(digest, slot),
    slot,
    lease: claim.lease,
    isTried: claim.notes.has('tried'),
    channel,
    claimedAtMs,
  };
}

/**
 * Has the edition stand in its channel as it is now, unless the channel is broken. One that is too late is only
 * looked for: what was sent is recorded, so that the next one does not list it again.
 */
async function showEdition(context: DigestContext, edition: ClaimedEdition): Promise<EditionEnd> {
  const { store, clock } = context;
  const { guild, name, digest, slot, lease, isTried, channel } = edition;
  const isOver = edition.claimedAtMs - slot.atMs > LATEST_MS;
  if (channel.status === 'broken') {
    return isOver ? { status: 'late' } : { ...channel, status: 'refused', isUnsent: false };
  }
  let { recount } = context;
  let draft = null as Draft | null;
  const standing: Standing = {
    target: { guild, channel: digest.channel },
    nonce: nonceOf(guild, name, slot.date),
    matches: (content) => firstLineOf({ content }) === openingLine(edition),
    sinceMs: slot.atMs,
    mayReadBack: channel.mayReadBack,
    isFinal: digest.publish,
    isOver,
    async write({ isPlain, found }) {
      draft = null;
      if (found === null && !(await isAsSaved(context, edition))) return null;
      draft = await writeDraft({ ...context, recount }, edition, isPlain ? 'messages' : 'pages');
      // Its articles are recounted once.
      recount = undefined;
      return draft.body;
    },
  };
  const shown = await keepShown(context, standing, {
    isTried,
    hold: (isTry) => keepLease(store, lease, clock.now(), isTry ? { tried: 1 } : {}),
  });
  if (shown.status === 'shown' && shown.before !== undefined && draft !== null) {
    draft = await contentOfFound(context.ranking, edition, shown.before, draft);
  }
  if (!isOver || shown.status === 'lost') return { ...shown, draft };
  if (shown.status !== 'shown' || draft === null) return { status: 'late' };
  return { status: 'late', stands: { draft, message: shown.message } };
}

/** Whether the digest is still there as it was when the edition was begun. */
async function isAsSaved(
  { store }: DigestContext,
  { guild, name, digest }: ClaimedEdition,
): Promise<boolean> {
  const saved = await readDigest(store, guild, name);
  return isDeepStrictEqual(saved?.digest, digest);
}
