import { randomUUID } from 'node:crypto';
import { emitMetric } from '../../metrics.ts';
import {
  type Claim,
  claimPosting,
  holdClaim,
  recordEdition,
  releaseClaim,
} from '../../records/digests/posting-claims.ts';
import { readDigest, type StoredDigest } from '../../records/digests/digests.ts';
import { setDue } from '../../records/digests/due-queue.ts';
import type { Run } from '../../records/digests/digest-settings.ts';
import type { Left } from '../../redis/lease.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import { translate } from '../../text/catalogue.ts';
import { notifyAdmins } from '../../discord/requests/notify-admins.ts';
import { nonceOf } from '../../discord/requests/nonce.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { type Draft, writeDraft, zDraft } from '../content/draft.ts';
import { type Body, firstLineOf } from '../content/edition-message.ts';
import {
  brokenReason,
  dueSlot,
  LATEST_MS,
  nextLookAtMs,
  periodOf,
  PROBE_MS,
} from '../schedule/due.ts';
import type { Slot } from '../schedule/slots.ts';
import { brokenText } from './broken-text.ts';
import { type ChannelState, readState } from './channel.ts';
import type { DigestContext } from './context.ts';
import { sendOnce, type SendOutcome } from './send-once.ts';

type RunOutcome =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Nothing is due, or another process posts it. */
  | 'idle';

type ClaimedEdition = StoredDigest & {
  claim: Claim;
  slot: Slot;
  now: number;
  state: Exclude<ChannelState, { status: 'elsewhere' }>;
  tried: boolean;
  draft: string | null;
};

/**
 * Posts the slot of a digest that is due, exactly once among all processes, even if a process dies in
 * between. Stores when to look at the digest next.
 *
 * claim → read back → send → record: a process can die after each step, and the next caller continues
 * from there. Throws if Redis or Discord fails; then call it again, which is safe.
 */
export async function runDigest(
  context: DigestContext,
  guild: Snowflake,
  name: string,
): Promise<RunOutcome> {
  const now = context.clock.now();
  const stored = await readDigest(context.store, guild, name);
  if (stored === null) {
    const gone =
      'A digest that was due is gone or cannot be read. If nobody deleted it, restore it: docs/recovery.md says how.';
    context.log.error({ guild, digest: name }, gone);
    await setDue(context.store, guild, name, null);
    return 'idle';
  }
  const { digest, run } = stored;
  const lookAtMs = nextLookAtMs(digest, run);
  const slot = dueSlot(digest, run, now);
  if (slot === null || lookAtMs > now) {
    await setDue(context.store, guild, name, lookAtMs);
    return 'idle';
  }
  const state = await readState(context, guild, digest.channel);
  if (state.status === 'elsewhere') return 'idle';
  const claim = { guild, digest: name, date: slot.date, token: randomUUID() };
  const claimed = await claimPosting(context.store, claim, now);
  if (claimed.status !== 'claimed') return 'idle';
  try {
    const outcome = await postEdition(context, { ...stored, claim, slot, now, state, ...claimed });
    if (outcome !== 'idle') {
      emitMetric('digest', { outcome, lagSeconds: (context.clock.now() - slot.atMs) / 1000 });
    }
    return outcome;
  } catch (error) {
    // If the release fails too, the lease expires.
    await releaseClaim(context.store, claim).catch(() => {});
    throw error;
  }
}

/** Skips, marks as broken, or posts an edition, then records it. The caller must hold the claim. */
async function postEdition(context: DigestContext, edition: ClaimedEdition): Promise<RunOutcome> {
  const { digest, run, slot, now, state } = edition;
  if (now - slot.atMs > LATEST_MS) {
    await record(context, edition, { ...done(run, slot), broken: brokenReason(digest, run) });
    return 'skipped';
  }
  if (state.status === 'broken') return markBroken(context, edition, state);
  const draft = await draftEdition(context, edition, state.locale);
  if (draft === null) return 'idle';
  const outcome = await sendEdition(context, edition, draft.body, state.mayReadBack);
  if (outcome.status === 'lost') return 'idle';
  if (outcome.status === 'refused') return markBroken(context, edition, outcome);
  const posted = { ...done(run, slot), shownUntilMs: slot.atMs, netVotes: draft.netVotes };
  if (!(await record(context, edition, posted))) return 'idle';
  return draft.body === null ? 'empty' : 'posted';
}

/** Returns the stored draft, or a new one that is stored before it is used. Null if the claim is lost. */
async function draftEdition(
  context: DigestContext,
  edition: ClaimedEdition,
  locale: string,
): Promise<Draft | null> {
  const { name, digest, run, claim, slot } = edition;
  const kept = parseStored(zDraft, edition.draft);
  if (kept !== null) return kept;
  const draft = await writeDraft(context, {
    guild: claim.guild,
    name,
    digest,
    run,
    date: slot.date,
    locale,
    period: periodOf(digest, run, slot.atMs),
  });
  const note = { draft: JSON.stringify(draft) };
  const held = await holdClaim(context.store, claim, context.clock.now(), note);
  return held.status === 'held' ? draft : null;
}

async function sendEdition(
  context: DigestContext,
  edition: ClaimedEdition,
  body: Body | null,
  mayReadBack: boolean,
): Promise<SendOutcome> {
  if (body === null) return { status: 'posted' };
  const { claim, digest, slot, tried } = edition;
  const { guild } = claim;
  return sendOnce(context, {
    claim,
    place: { guild, channel: digest.channel },
    nonce: nonceOf(guild, claim.digest, claim.date),
    body,
    fingerprint: `${firstLineOf(body)}\n`,
    sinceMs: slot.atMs,
    mayReadBack,
    tried,
  });
}

/** `isUnsent`: nothing of the edition is in the channel, so a later try may choose newer articles. */
async function markBroken(
  context: DigestContext,
  edition: ClaimedEdition,
  trouble: { reason: 'gone' | 'missing' | 'refused'; detail: string; isUnsent?: boolean },
): Promise<RunOutcome> {
  const { digest, run, now } = edition;
  const { reason, detail, isUnsent = false } = trouble;
  const before = brokenReason(digest, run);
  const broken = { reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs: now + PROBE_MS };
  const recorded = await record(context, edition, { ...run, broken }, isUnsent ? 'anew' : 'open');
  if (recorded && before === null) {
    const { name, claim, state } = edition;
    const values = {
      digest: translate(state.locale, 'digest.show.title', { name }),
      reason: brokenText(state.locale, digest.channel, broken),
    };
    const about = { guild: claim.guild, channel: digest.channel, digest: name, reason, detail };
    const text = translate(state.locale, 'digest.notify.broken', values);
    context.log.warn(about, 'A digest is not posted.');
    await notifyAdmins(context, about, text, digest.savedBy);
  }
  return 'broken';
}

/** Writes the run, ends the claim, and stores when to look at the digest next. */
async function record(
  context: DigestContext,
  { claim, digest }: ClaimedEdition,
  run: Run,
  left: Left = 'done',
): Promise<boolean> {
  const { status } = await recordEdition(context.store, claim, run, left);
  if (status === 'lost') return false;
  await setDue(context.store, claim.guild, claim.digest, nextLookAtMs(digest, run));
  return true;
}

/** Returns the run after a slot is over, posted or not. */
function done(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}
