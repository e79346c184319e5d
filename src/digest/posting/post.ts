import { fault } from '../../log.ts';
import {
  type EditionClaim,
  holdClaim,
  recordEdition,
  type RecordedAs,
} from '../../records/digests/posting-claims.ts';
import type { StoredDigest } from '../../records/digests/digests.ts';
import { setDue } from '../../records/digests/due.ts';
import type { Run } from '../../records/digests/digest.ts';
import { translate } from '../../text/catalogue.ts';
import { notifyAdmins, brokenText } from './notify-admins.ts';
import { type Draft, parseDraft, writeDraft } from '../content/draft.ts';
import type { Body } from '../content/message.ts';
import { isOf, markOf, nonceOf } from '../content/footer-tag.ts';
import type { Sight } from './channel.ts';
import {
  attentionAtMs,
  brokenReason,
  LATE_MS,
  LATEST_MS,
  periodStart,
  plannedSlot,
  PROBE_MS,
} from '../schedule/due.ts';
import { type Posting, postPages } from './send-once.ts';
import type { DigestContext } from './context.ts';
import type { Slot } from '../schedule/slots.ts';

export type RunOutcome =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Not now, not here, or not by this process. */
  | 'idle';

export type Case = StoredDigest & {
  claim: EditionClaim;
  slot: Slot;
  now: number;
  sight: Exclude<Sight, { is: 'elsewhere' }>;
  tried: number;
  plan: string | null;
};

/** With the claim ours: skip, mark as broken, or post; then record. */
export async function postEdition(context: DigestContext, given: Case): Promise<RunOutcome> {
  const { edition, run, slot, now, sight } = given;
  const wasBroken = brokenReason(edition, run);
  const missed = plannedSlot(edition, run);
  if (now - slot.atMs > LATEST_MS) {
    const recorded = await record(context, given, { ...done(run, slot), broken: wasBroken });
    // A predecessor that died over it may have posted it after all.
    const isNews = recorded && wasBroken === null && given.tried === 0;
    if (isNews) await tellSkipped(context, given, missed);
    return 'skipped';
  }
  if (sight.is === 'broken') return markBroken(context, given, sight);
  const draft = await planned(context, given, sight.locale);
  if (draft === null) return 'idle';
  const outcome = await postPages(context, postingOf(context, given, draft, sight.mayReadBack));
  if (outcome.status === 'lost') return 'idle';
  if (outcome.status === 'refused') return markBroken(context, given, outcome);
  const { floor, featured } = draft;
  const recorded = await record(context, given, { ...done(run, slot), floor, featured });
  if (recorded && wasBroken === null && missed.atMs < slot.atMs) {
    await tellSkipped(context, given, missed);
  }
  return draft.pages.length > 0 ? 'posted' : 'empty';
}

/** The draft of whoever first had the claim, or a new one that is kept before it is used; null: lost. */
async function planned(context: DigestContext, given: Case, locale: string): Promise<Draft | null> {
  const { name, edition, run, claim, slot } = given;
  const kept = parseDraft(given.plan);
  if (kept !== null) return kept;
  const draft = await writeDraft(context, {
    guild: claim.guild,
    name,
    edition,
    run,
    date: slot.date,
    locale: edition.language ?? locale,
    period: { fromMs: periodStart(edition, run, slot.atMs), untilMs: slot.atMs },
    dueAtMs: slot.atMs,
    mark: (page, pages) => markOf({ edition: name, date: slot.date, page, pages }),
  });
  const note = { plan: JSON.stringify(draft) };
  const held = await holdClaim(context.store, claim, context.clock.now(), note);
  return held.status === 'held' ? draft : null;
}

/** The draft's pages as messages that are posted once. */
function postingOf(
  context: DigestContext,
  given: Case,
  draft: Draft,
  mayReadBack: boolean,
): Posting {
  const { claim, edition, slot, tried } = given;
  const { length } = draft.pages;
  const isLate = () => context.clock.now() - slot.atMs > LATE_MS;
  return {
    claim,
    channel: edition.channel,
    sinceMs: slot.atMs,
    mayReadBack,
    tried,
    pages: draft.pages.map((body, at) => ({
      mark: markOf({ ...claim, page: at + 1, pages: length }),
      nonce: nonceOf(claim.guild, claim.edition, claim.date, at + 1),
      body: () => (at === 0 && isLate() ? withLine(body, draft.lateLine) : body),
    })),
    isOurs: (mark) => isOf(claim, mark),
    onFirst: (message) => discuss(context, given, draft.threadName, message),
  };
}

/** Puts a line after the first one. Whether a digest is late is known only when it is sent. */
function withLine(body: Body, line: string): Body {
  const [first = '', ...rest] = (body.content ?? '').split('\n');
  return { ...body, content: [first, line, ...rest].join('\n') };
}

/** A digest without its thread is still the digest. */
async function discuss(
  context: DigestContext,
  { edition, claim }: Case,
  threadName: string,
  message: string,
): Promise<void> {
  if (!edition.thread) return;
  try {
    await context.outlet.startThread(edition.channel, message, threadName);
  } catch (error) {
    const { guild, edition: name } = claim;
    context.log.warn({ ...fault(error), guild, edition: name }, 'A thread could not be started.');
  }
}

/** `isUnsent`: nothing of it is in the channel, so that a later try may look for newer articles. */
async function markBroken(
  context: DigestContext,
  given: Case,
  trouble: { reason: 'gone' | 'missing' | 'refused'; detail: string; isUnsent?: boolean },
): Promise<RunOutcome> {
  const { edition, run, now } = given;
  const { reason, detail, isUnsent = false } = trouble;
  const before = brokenReason(edition, run);
  const broken = { reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs: now + PROBE_MS };
  const recorded = await record(context, given, { ...run, broken }, isUnsent ? 'anew' : 'open');
  if (recorded && before === null) {
    const { name, claim, sight } = given;
    const values = { name, reason: brokenText(sight.locale, edition.channel, broken) };
    const about = { guild: claim.guild, channel: edition.channel, edition: name, reason, detail };
    const text = translate(sight.locale, 'digest.alarm.broken', values);
    await notifyAdmins(context, about, text, edition.savedBy);
  }
  return 'broken';
}

async function tellSkipped(context: DigestContext, given: Case, { atMs }: Slot): Promise<void> {
  const { name, edition, claim, sight } = given;
  const values = { name, slot: `<t:${Math.floor(atMs / 1000)}:f>` };
  const about = { guild: claim.guild, channel: edition.channel, edition: name, atMs };
  const text = translate(sight.locale, 'digest.alarm.skipped', values);
  await notifyAdmins(context, about, text, edition.savedBy);
}

/** Writes the run, ends the claim, and says when to look at the edition next. */
async function record(
  context: DigestContext,
  { claim, edition }: Case,
  run: Run,
  outcome: RecordedAs = 'done',
): Promise<boolean> {
  const { status } = await recordEdition(context.store, claim, run, outcome);
  if (status === 'lost') return false;
  await setDue(context.store, claim.guild, claim.edition, attentionAtMs(edition, run));
  return true;
}

/** The run once a slot is over, posted or not. */
export function done(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}
