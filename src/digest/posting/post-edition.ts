import { type Claim, holdClaim, recordEdition } from '../../records/digests/posting-claims.ts';
import type { StoredDigest } from '../../records/digests/digests.ts';
import { setDue } from '../../records/digests/due-queue.ts';
import type { Run } from '../../records/digests/digest-settings.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import type { Left } from '../../redis/lease.ts';
import { translate } from '../../text/catalogue.ts';
import { notifyAdmins } from '../../discord/requests/notify-admins.ts';
import { brokenText } from './broken-text.ts';
import { type Draft, writeDraft, zDraft } from '../content/draft.ts';
import { type Body, firstLineOf } from '../content/edition-message.ts';
import type { ChannelState } from './channel.ts';
import { nonceOf } from '../../discord/requests/nonce.ts';
import { nextLookAtMs, brokenReason, LATEST_MS, periodOf, PROBE_MS } from '../schedule/due.ts';
import { sendOnce, type SendOutcome } from './send-once.ts';
import type { DigestContext } from './context.ts';
import type { Slot } from '../schedule/slots.ts';

export type RunOutcome =
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

/** Skips, marks as broken, or posts an edition, then records it. The caller must hold the claim. */
export async function postEdition(
  context: DigestContext,
  edition: ClaimedEdition,
): Promise<RunOutcome> {
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
