import { ChannelType } from 'discord.js';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { emitMetric } from '../../runtime/metrics.ts';
import { forgetRunOfDeleted, readDigest, setDue, type StoredDigest } from '../stored-digests.ts';
import type { Digest, Run } from '../digest-settings.ts';
import { refusedProbeMs } from '../../articles/held-back/held-back.ts';
import { keepLease, type Lease, type Left, releaseLease, takeLease } from '../../redis/lease.ts';
import { parseStored } from '../../redis/parse-stored.ts';
import type { Store } from '../../redis/store.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { translate } from '../../text/catalogue.ts';
import { notifyAdmins } from '../../community/admin-messages.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Draft, isDraftCurrent, writeDraft, zDraft } from '../content/draft.ts';
import { firstLineOf, titleOf } from '../content/edition-message.ts';
import {
  brokenReason,
  dueSlot,
  LATEST_MS,
  LOOK_FOR_PERMISSIONS_MS,
  nextLookAtMs,
  periodOf,
  PROBE_MS,
} from '../schedule/due.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Slot } from '../schedule/slots.ts';
import {
  brokenText,
  type ChannelState,
  type DigestContext,
  type Refused,
  readState,
  type Trouble,
} from './posting-context.ts';
import { recordEdition } from './record-edition.ts';
import { messageOf, sendWhatIsTaken, type Sent } from './send-what-is-taken.ts';
import { sendOnce, type SendOutcome } from './send-once.ts';

/**
 * Long enough for the slowest posting between two renewals. After a crash the next process waits
 * this long.
 */
export const CLAIM_MS = 90_000;

/**
 * A draft is sent again as it is while Discord may remember its nonce. Later its titles, names and tallies may
 * be others.
 */
const SAME_DRAFT_MS = 5 * MINUTE_MS;

type RunOutcome =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Nothing is due, another process posts it, or it is as broken as before. */
  | 'idle';

type ClaimedEdition = StoredDigest & {
  guild: Snowflake;
  slot: Slot;
  /**
   * The right to post the edition of this local date. Its notes: `draft`, when it was `drafted` (ms) and by
   * which `settings`, `tried` before a send, `replaced` where the draft is another than one that was tried, and
   * `part`: 1 before a send with a part of the articles, 0 once it has them all.
   */
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
  const { digest, run, slot, now, state } = edition;
  if (now - slot.atMs > LATEST_MS) {
    await record(context, edition, { ...done(run, slot), broken: brokenReason(digest, run) });
    return 'skipped';
  }
  if (state.status === 'broken') return markBroken(context, edition, state);
  const outcome = await sendEdition(context, edition, state);
  if (outcome === null) return 'idle';
  const { draft, sent } = outcome;
  if (sent.status === 'refused') {
    const texts = sent.isText === true ? draft.texts : undefined;
    return markBroken(context, edition, { ...sent, texts });
  }
  if (sent.status === 'outdated') await lookAgain(context, edition);
  if (sent.status !== 'posted') return 'idle';
  if (draft.body !== null) {
    const { date } = slot;
    const { fromMs } = periodOf(digest, run, slot.atMs);
    const window = { fromMs, untilMs: slot.atMs };
    const { message } = sent;
    // A message of which nothing is noted may say what was recorded, and not what would be sent now.
    const lease = sent.isUnnoted === true ? undefined : edition.lease;
    const recorded = { ...edition, date, window, draft, message };
    if (!(await recordEdition(context, recorded, lease))) return 'idle';
    if (sent.message !== null) await publishEdition(context, edition, draft, sent.message);
  }
  // Without an edition nothing was shown: the next one covers this time too, with the votes that come until then.
  const shown = draft.body === null ? {} : { shownUntilMs: slot.atMs, netVotes: draft.netVotes };
  const posted = { ...done(run, slot), ...shown };
  if (!(await record(context, edition, posted))) return 'idle';
  return draft.body === null ? 'empty' : 'posted';
}

/** Articles come and go between a draft and its send; the next minute tries again. */
const DRAFTS_AT_MOST = 3;

type OpenChannel = Extract<ChannelState, { status: 'open' }>;

/**
 * Sends the edition as it is now: what its stored draft names may be gone or hidden since, and one text that
 * Discord holds back stops no other. Null if the lease is lost.
 */
async function sendEdition(
  context: DigestContext,
  edition: ClaimedEdition,
  channel: OpenChannel,
): Promise<Sent | null> {
  const { locale, mayReadBack } = channel;
  const whole = await sendWhole(context, edition, channel);
  const before = whole && (await findUnfinished(context, edition, whole));
  if (whole === null || before === 'lost') return null;
  const isToBeParted = textRefused(whole.sent) && !isKnownRefusal(edition, whole.draft);
  if (before === null && !isToBeParted) return whole;
  const { shown: taken, isLost } = await sendWhatIsTaken(context, {
    guild: edition.guild,
    digest: edition.digest,
    locale,
    draft: (mayName) => writeWhole(context, edition, { locale, mayName }),
    send: (part) => sendPart(context, edition, part, mayReadBack),
    holds: () => holds(context, edition),
    noteChange: (part) => noteDraft(context, edition, part),
    before,
  });
  if (isLost) return null;
  if (taken === null || messageOf(taken) === null) return taken ?? whole;
  // What comes from now on changes neither the message nor its record.
  return (await noteDraft(context, edition, taken.draft, { part: 0 })) ? taken : null;
}

/**
 * Sends a part of the edition. What an earlier process tried may have arrived in its place by now, and names
 * other articles: it is made to say this. Null if the lease is lost.
 */
async function sendPart(
  context: DigestContext,
  edition: ClaimedEdition,
  part: Draft,
  mayReadBack: boolean,
): Promise<SendOutcome | null> {
  if (!(await noteDraft(context, edition, part, { part: 1 }))) return null;
  const sent = await send(context, edition, part, { mayReadBack, mayBeSent: true });
  if (!edition.notes.has('tried')) return sent;
  const said = await sayInstead(context, edition, { draft: part, sent });
  if (said === 'lost') return null;
  return said === 'said' ? sent : { ...said, isUnsent: false };
}

/** `isRedrafted`: the draft is not the one that was stored when the edition was claimed. */
type Whole = Sent & { isRedrafted: boolean };

/** Sends the stored draft, or a new one where that may not be sent any more. */
async function sendWhole(
  context: DigestContext,
  edition: ClaimedEdition,
  { locale, mayReadBack }: OpenChannel,
): Promise<Whole | null> {
  const { notes, now, digest } = edition;
  const stored = parseStored(zDraft, notes.get('draft') ?? null);
  const ageMs = now - Number(notes.get('drafted') ?? 0);
  const isOld = ageMs >= SAME_DRAFT_MS || notes.get('settings') !== JSON.stringify(digest);
  const trySend = async (draft: Draft | null): Promise<Whole | null> => {
    if (draft === null) return null;
    const isRedrafted = draft !== stored;
    // What is in the channel was the stored draft, so that its age matters only where it is not there.
    const mayBeSent = isRedrafted || !isOld;
    const sent = await send(context, edition, draft, { mayReadBack, mayBeSent });
    return { draft, sent, isRedrafted };
  };
  const isEmpty = stored?.body === null;
  let whole = await trySend(
    stored !== null && !(isOld && isEmpty) ? stored : await redraft(context, edition, locale),
  );
  for (
    let drafts = 1;
    whole?.sent.status === 'outdated' &&
    drafts < DRAFTS_AT_MOST &&
    (await isAsSaved(context, edition));
    drafts += 1
  ) {
    whole = await trySend(await redraft(context, edition, locale));
  }
  return whole;
}

/**
 * What is in the channel already, where articles are still to be added to it or taken out; null where nothing is.
 * An edition that says something older says after this what is recorded.
 */
async function findUnfinished(
  context: DigestContext,
  edition: ClaimedEdition,
  whole: Whole,
): Promise<Sent | null | 'lost'> {
  const { notes } = edition;
  if (messageOf(whole) === null) return null;
  if (notes.has('replaced') || (notes.has('tried') && whole.isRedrafted)) {
    const said = await sayInstead(context, edition, whole);
    if (said === 'lost') return 'lost';
    // Nothing is known of what the message says.
    if (said !== 'said') return { ...whole, draft: { ...whole.draft, shown: null } };
  }
  // An earlier process sent a part, and died.
  return notes.get('part') === '1' ? whole : null;
}

/** Discord took none of these texts: as long as it refuses them together, it is not asked about each again. */
function isKnownRefusal({ digest, run }: ClaimedEdition, { texts }: Draft): boolean {
  return texts !== null && brokenReason(digest, run)?.texts === texts;
}

/**
 * Makes an edition in the channel say what is recorded: an earlier process may have sent another draft, of which
 * an article was retitled or removed since. It may be refused because of its text.
 */
async function sayInstead(
  context: DigestContext,
  edition: ClaimedEdition,
  outcome: Sent,
): Promise<'said' | 'lost' | Refused> {
  const message = messageOf(outcome);
  const { body } = outcome.draft;
  if (message === null || body === null) return 'said';
  const target = { guild: edition.guild, channel: edition.digest.channel };
  const isHeld = () => holds(context, edition);
  const edited = await context.channels.editMessage(target, message, body, isHeld);
  if (edited.status === 'lost') return 'lost';
  return edited.status === 'refused' && edited.isText ? edited : 'said';
}

function textRefused(outcome: SendOutcome): boolean {
  return outcome.status === 'refused' && outcome.isText === true;
}

async function send(
  context: DigestContext,
  edition: ClaimedEdition,
  draft: Draft,
  { mayReadBack, mayBeSent }: { mayReadBack: boolean; mayBeSent: boolean },
): Promise<SendOutcome> {
  const { guild, name, digest, slot, lease, notes } = edition;
  const { body } = draft;
  if (body === null) return { status: 'posted', message: null, content: null };
  return sendOnce(context, {
    lease,
    target: { guild, channel: digest.channel },
    nonce: nonceOf(guild, name, slot.date),
    body,
    isIt: (content) => firstLineOf({ content }) === firstLineOf(body),
    sinceMs: slot.atMs,
    mayReadBack,
    tried: notes.has('tried'),
    isCurrent: async () =>
      mayBeSent &&
      (await isAsSaved(context, edition)) &&
      isDraftCurrent(context, guild, digest, draft),
  });
}

/** Whether the digest is still there as it was when the edition was begun. */
async function isAsSaved(
  { store }: DigestContext,
  { guild, name, digest }: ClaimedEdition,
): Promise<boolean> {
  const now = await readDigest(store, guild, name);
  return JSON.stringify(now?.digest) === JSON.stringify(digest);
}

/**
 * Publishes an edition to the followers of its channel, if the managers want it. Says so if it fails. What was
 * published cannot be taken back from other servers, so one that changed since it was sent is not.
 */
async function publishEdition(
  context: DigestContext,
  { guild, name, digest, state }: ClaimedEdition,
  draft: Draft,
  message: Snowflake,
): Promise<void> {
  const { channel } = digest;
  const { type } = context.client.channels.cache.get(channel) ?? {};
  const now: Digest | undefined = (await readDigest(context.store, guild, name))?.digest;
  if (now?.publish !== true || now.channel !== channel) return;
  if (type !== ChannelType.GuildAnnouncement) return;
  const isCurrent = await isDraftCurrent(context, guild, digest, draft);
  const outcome = isCurrent
    ? await context.channels.publish({ guild, channel }, message)
    : ({ status: 'changed' } as const);
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

/** Writes a new draft and stores it. Null if the lease is lost. */
async function redraft(
  context: DigestContext,
  edition: ClaimedEdition,
  locale: string,
): Promise<Draft | null> {
  const { recount } = context;
  const draft = await writeWhole(context, edition, { locale, recount });
  const more = edition.notes.has('tried') ? { replaced: 1 } : {};
  return (await noteDraft(context, edition, draft, more)) ? draft : null;
}

function writeWhole(
  context: DigestContext,
  edition: ClaimedEdition,
  { locale, mayName, recount }: WholeOptions,
): Promise<Draft> {
  const { digest, run, slot } = edition;
  const period = periodOf(digest, run, slot.atMs);
  const { date } = slot;
  return writeDraft({ ...context, recount }, { ...edition, date, locale, period }, mayName);
}

type WholeOptions = {
  locale: string;
  mayName?: (article: Article) => boolean;
  /** The tallies were recounted before an article is left out. */
  recount?: DigestContext['recount'];
};

/** Renews the lease. False if it is lost. */
async function holds({ store, clock }: DigestContext, { lease }: ClaimedEdition): Promise<boolean> {
  return keepLease(store, lease, clock.now());
}

/** Stores a draft, before it is sent or as what the message says now. False if the lease is lost. */
async function noteDraft(
  { store, clock }: DigestContext,
  { lease, digest }: ClaimedEdition,
  draft: Draft,
  more: Record<string, number> = {},
): Promise<boolean> {
  const now = clock.now();
  const settings = JSON.stringify(digest);
  const note = { draft: JSON.stringify(draft), drafted: now, settings, ...more };
  return keepLease(store, lease, now, note);
}

/**
 * `isUnsent`: nothing of the edition is in the channel, so a later try may choose newer articles. `texts`: Discord
 * takes none of its articles.
 */
async function markBroken(
  context: DigestContext,
  edition: ClaimedEdition,
  {
    reason,
    detail,
    isUnsent = false,
    texts,
  }: Trouble & { isUnsent?: boolean; texts?: string | null | undefined },
): Promise<RunOutcome> {
  const { guild, name, digest, run, now, state } = edition;
  const before = brokenReason(digest, run);
  const sinceMs = before?.sinceMs ?? now;
  const probeMs = texts === undefined ? PROBE_MS : refusedProbeMs(now - sinceMs);
  const probeAtMs = now + (reason === 'missing' ? LOOK_FOR_PERMISSIONS_MS : probeMs);
  const broken = { reason, detail, sinceMs, probeAtMs, texts };
  const recorded = await record(context, edition, { ...run, broken }, isUnsent ? 'anew' : 'open');
  if (recorded && before === null) {
    const values = {
      digest: titleOf(state.locale, name),
      reason: brokenText(state.locale, digest.channel, broken),
    };
    const about = { guild, channel: digest.channel, digest: name, reason, detail };
    const key = texts === undefined ? 'digest.notify.broken' : 'digest.notify.held';
    const text = translate(state.locale, key, values);
    context.log.warn(about, 'A digest is not posted.');
    await notifyAdmins(context, about, text, digest.savedBy);
  }
  return before?.reason === reason ? 'idle' : 'broken';
}

/**
 * Writes the run, ends the lease, and stores when to look at the digest next. False if the lease is
 * lost. `open`: to be tried again with its draft; `anew`: the next try drafts anew.
 */
async function record(
  { store }: DigestContext,
  { guild, name, lease }: ClaimedEdition,
  run: Run,
  left: Left = 'done',
): Promise<boolean> {
  const outcome = { [name]: JSON.stringify(run) };
  const { status } = await releaseLease(store, lease, left, outcome, storeKeys(store, guild).runs);
  if (status === 'lost') return false;
  await planNextLook(store, guild, name);
  return true;
}

/** Leaves an edition to the next minute, with what is known of it. */
async function lookAgain(
  { store }: DigestContext,
  { guild, name, lease }: ClaimedEdition,
): Promise<void> {
  await releaseLease(store, lease, 'open');
  await planNextLook(store, guild, name);
}

/** By the settings of now: an admin may have changed or deleted the digest while an edition was under way. */
async function planNextLook(store: Store, guild: Snowflake, name: string): Promise<void> {
  let before: StoredDigest | null;
  let stored = await readDigest(store, guild, name);
  do {
    before = stored;
    if (before === null) await forgetRunOfDeleted(store, guild, name);
    const lookAtMs = before === null ? null : nextLookAtMs(before.digest, before.run);
    await setDue(store, guild, name, lookAtMs);
    stored = await readDigest(store, guild, name);
  } while (JSON.stringify(stored) !== JSON.stringify(before));
}

/** Returns the run after a slot is over, posted or not. */
function done(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}
