import { ChannelType } from 'discord.js';
import { emitMetric } from '../../runtime/metrics.ts';
import { readDigest, setDue, type StoredDigest } from '../stored-digests.ts';
import type { Run } from '../digest-settings.ts';
import { holdLease, type Lease, type Left, releaseLease, takeLease } from '../../redis/lease.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { translate } from '../../text/catalogue.ts';
import { notifyAdmins } from '../../community/admin-messages.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Draft, writeDraft, zDraft } from '../content/draft.ts';
import { titleOf } from '../content/edition-message.ts';
import {
  brokenReason,
  dueSlot,
  LATEST_MS,
  nextLookAtMs,
  periodOf,
  PROBE_MS,
} from '../schedule/due.ts';
import type { Slot } from '../schedule/slots.ts';
import {
  brokenText,
  type ChannelState,
  type DigestContext,
  readState,
  type Trouble,
} from './posting-context.ts';
import { recordEdition } from './record-edition.ts';
import { sendOnce } from './send-once.ts';

/**
 * Long enough for the slowest posting between two renewals. After a crash the next process waits
 * this long.
 */
export const CLAIM_MS = 90_000;

type RunOutcome =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Nothing is due, or another process posts it. */
  | 'idle';

type ClaimedEdition = StoredDigest & {
  guild: Snowflake;
  slot: Slot;
  /** The right to post the edition of this local date. Its notes: `draft`, and `tried` before a send. */
  lease: Lease;
  notes: ReadonlyMap<string, string>;
  now: number;
  state: Exclude<ChannelState, { status: 'elsewhere' }>;
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
  const key = storeKeys(context.store, guild).claim(name, slot.date);
  const claim = await takeLease(context.store, { key, ms: CLAIM_MS }, now);
  if (claim.status !== 'taken') return 'idle';
  try {
    const outcome = await postEdition(context, { ...stored, ...claim, guild, slot, now, state });
    if (outcome !== 'idle') {
      emitMetric('digest', { outcome, lagSeconds: (context.clock.now() - slot.atMs) / 1000 });
    }
    return outcome;
  } catch (error) {
    // If the release fails too, the lease expires.
    await releaseLease(context.store, claim.lease, 'open').catch(() => {});
    throw error;
  }
}

/** Skips, marks as broken, or posts an edition, then records it. */
async function postEdition(context: DigestContext, edition: ClaimedEdition): Promise<RunOutcome> {
  const { guild, name, digest, run, slot, lease, notes, now, state } = edition;
  if (now - slot.atMs > LATEST_MS) {
    await record(context, edition, { ...done(run, slot), broken: brokenReason(digest, run) });
    return 'skipped';
  }
  if (state.status === 'broken') return markBroken(context, edition, state);
  const draft = await draftEdition(context, edition, state.locale);
  if (draft === null) return 'idle';
  const { body } = draft;
  if (body !== null) {
    const outcome = await sendOnce(context, {
      lease,
      target: { guild, channel: digest.channel },
      nonce: nonceOf(guild, name, slot.date),
      body,
      sinceMs: slot.atMs,
      mayReadBack: state.mayReadBack,
      tried: notes.has('tried'),
    });
    if (outcome.status === 'lost') return 'idle';
    if (outcome.status === 'refused') return markBroken(context, edition, outcome);
    const { date } = slot;
    const { fromMs } = periodOf(digest, run, slot.atMs);
    const window = { fromMs, untilMs: slot.atMs };
    await recordEdition(context, { ...edition, date, window, draft, message: outcome.message });
    if (outcome.message !== null) await publishEdition(context, edition, outcome.message);
  }
  const posted = { ...done(run, slot), shownUntilMs: slot.atMs, netVotes: draft.netVotes };
  if (!(await record(context, edition, posted))) return 'idle';
  return body === null ? 'empty' : 'posted';
}

/** Publishes an edition to the followers of its channel, if the managers want it. Says so if it fails. */
async function publishEdition(
  context: DigestContext,
  { guild, name, digest, state }: ClaimedEdition,
  message: Snowflake,
): Promise<void> {
  const { channel } = digest;
  const { type } = context.client.channels.cache.get(channel) ?? {};
  if (!digest.publish || type !== ChannelType.GuildAnnouncement) return;
  const outcome = await context.channels.publish({ guild, channel }, message);
  if (outcome.status === 'published') return;
  const about = { guild, channel, digest: name, message, ...outcome };
  context.log.warn(
    about,
    'A digest was posted, but not published to the followers of its channel.',
  );
  const values = { digest: titleOf(state.locale, name), channel: `<#${channel}>` };
  const text = translate(state.locale, `digest.unpublished.${outcome.status}`, values);
  await notifyAdmins(context, about, text, digest.savedBy);
}

/** Returns the stored draft, or a new one that is stored before it is used. Null if the lease is lost. */
async function draftEdition(
  context: DigestContext,
  edition: ClaimedEdition,
  locale: string,
): Promise<Draft | null> {
  const { digest, run, slot, lease, notes } = edition;
  const stored = parseStored(zDraft, notes.get('draft') ?? null);
  if (stored !== null) return stored;
  const { date } = slot;
  const period = periodOf(digest, run, slot.atMs);
  const draft = await writeDraft(context, { ...edition, date, locale, period });
  const note = { draft: JSON.stringify(draft) };
  const held = await holdLease(context.store, lease, context.clock.now(), note);
  return held.status === 'held' ? draft : null;
}

/** `isUnsent`: nothing of the edition is in the channel, so a later try may choose newer articles. */
async function markBroken(
  context: DigestContext,
  edition: ClaimedEdition,
  { reason, detail, isUnsent = false }: Trouble & { isUnsent?: boolean },
): Promise<RunOutcome> {
  const { guild, name, digest, run, now, state } = edition;
  const before = brokenReason(digest, run);
  const broken = { reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs: now + PROBE_MS };
  const recorded = await record(context, edition, { ...run, broken }, isUnsent ? 'anew' : 'open');
  if (recorded && before === null) {
    const values = {
      digest: titleOf(state.locale, name),
      reason: brokenText(state.locale, digest.channel, broken),
    };
    const about = { guild, channel: digest.channel, digest: name, reason, detail };
    const text = translate(state.locale, 'digest.notify.broken', values);
    context.log.warn(about, 'A digest is not posted.');
    await notifyAdmins(context, about, text, digest.savedBy);
  }
  return 'broken';
}

/**
 * Writes the run, ends the lease, and stores when to look at the digest next. False if the lease is
 * lost. `open`: to be tried again with its draft; `anew`: the next try drafts anew.
 */
async function record(
  { store }: DigestContext,
  { guild, name, digest, lease }: ClaimedEdition,
  run: Run,
  left: Left = 'done',
): Promise<boolean> {
  const outcome = { [name]: JSON.stringify(run) };
  const { status } = await releaseLease(store, lease, left, outcome, storeKeys(store, guild).runs);
  if (status === 'lost') return false;
  await setDue(store, guild, name, nextLookAtMs(digest, run));
  return true;
}

/** Returns the run after a slot is over, posted or not. */
function done(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}
