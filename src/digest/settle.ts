import { fault } from '../log.ts';
import { type EditionClaim, holdClaim, recordEdition, type RecordedAs } from '../store/claims.ts';
import type { StoredEdition } from '../store/digests.ts';
import { setDue } from '../store/due.ts';
import type { Run } from '../store/edition.ts';
import { translate } from '../text/catalogue.ts';
import { alarm, brokenText } from './alarm.ts';
import { type Draft, parseDraft, writeDraft } from './draft.ts';
import type { Body } from './edition-message.ts';
import { isOf, markOf, nonceOf } from './mark.ts';
import type { Sight } from './outlet.ts';
import {
  attentionAtMs,
  brokenReason,
  LATE_MS,
  LATEST_MS,
  periodStart,
  plannedSlot,
  PROBE_MS,
} from './period.ts';
import { type Posting, postPages } from './posting.ts';
import type { Press } from './press.ts';
import type { Slot } from './schedule.ts';

export type Attended =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Not now, not here, or not by this process. */
  | 'idle';

export type Case = StoredEdition & {
  claim: EditionClaim;
  slot: Slot;
  now: number;
  sight: Exclude<Sight, { is: 'elsewhere' }>;
  tried: number;
  plan: string | null;
};

/** With the claim ours: skip, mark as broken, or post; then record. */
export async function settle(press: Press, given: Case): Promise<Attended> {
  const { edition, run, slot, now, sight } = given;
  const wasBroken = brokenReason(edition, run);
  const missed = plannedSlot(edition, run);
  if (now - slot.atMs > LATEST_MS) {
    const recorded = await record(press, given, { ...done(run, slot), broken: wasBroken });
    // A predecessor that died over it may have posted it after all.
    const isNews = recorded && wasBroken === null && given.tried === 0;
    if (isNews) await tellSkipped(press, given, missed);
    return 'skipped';
  }
  if (sight.is === 'broken') return markBroken(press, given, sight);
  const draft = await planned(press, given, sight.locale);
  if (draft === null) return 'idle';
  const outcome = await postPages(press, postingOf(press, given, draft, sight.mayReadBack));
  if (outcome.status === 'lost') return 'idle';
  if (outcome.status === 'refused') return markBroken(press, given, outcome);
  const { floor, featured } = draft;
  const recorded = await record(press, given, { ...done(run, slot), floor, featured });
  if (recorded && wasBroken === null && missed.atMs < slot.atMs) {
    await tellSkipped(press, given, missed);
  }
  return draft.pages.length > 0 ? 'posted' : 'empty';
}

/** The draft of whoever first had the claim, or a new one that is kept before it is used; null: lost. */
async function planned(press: Press, given: Case, locale: string): Promise<Draft | null> {
  const { name, edition, run, claim, slot } = given;
  const kept = parseDraft(given.plan);
  if (kept !== null) return kept;
  const draft = await writeDraft(press, {
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
  const held = await holdClaim(press.store, claim, press.clock.now(), note);
  return held.status === 'held' ? draft : null;
}

/** The draft's pages as messages that are posted once. */
function postingOf(press: Press, given: Case, draft: Draft, mayReadBack: boolean): Posting {
  const { claim, edition, slot, tried } = given;
  const { length } = draft.pages;
  const isLate = () => press.clock.now() - slot.atMs > LATE_MS;
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
    onFirst: (message) => discuss(press, given, draft.threadName, message),
  };
}

/** Puts a line after the first one. Whether a digest is late is known only when it is sent. */
function withLine(body: Body, line: string): Body {
  const [first = '', ...rest] = (body.content ?? '').split('\n');
  return { ...body, content: [first, line, ...rest].join('\n') };
}

/** A digest without its thread is still the digest. */
async function discuss(
  press: Press,
  { edition, claim }: Case,
  threadName: string,
  message: string,
): Promise<void> {
  if (!edition.thread) return;
  try {
    await press.outlet.startThread(edition.channel, message, threadName);
  } catch (error) {
    const { guild, edition: name } = claim;
    press.log.warn({ ...fault(error), guild, edition: name }, 'A thread could not be started.');
  }
}

/** `isUnsent`: nothing of it is in the channel, so that a later try may look for newer articles. */
async function markBroken(
  press: Press,
  given: Case,
  trouble: { reason: 'gone' | 'missing' | 'refused'; detail: string; isUnsent?: boolean },
): Promise<Attended> {
  const { edition, run, now } = given;
  const { reason, detail, isUnsent = false } = trouble;
  const before = brokenReason(edition, run);
  const broken = { reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs: now + PROBE_MS };
  const recorded = await record(press, given, { ...run, broken }, isUnsent ? 'anew' : 'open');
  if (recorded && before === null) {
    const { name, claim, sight } = given;
    const values = { name, reason: brokenText(sight.locale, edition.channel, broken) };
    const about = { guild: claim.guild, channel: edition.channel, edition: name, reason, detail };
    const text = translate(sight.locale, 'digest.alarm.broken', values);
    await alarm(press, about, text, edition.savedBy);
  }
  return 'broken';
}

async function tellSkipped(press: Press, given: Case, { atMs }: Slot): Promise<void> {
  const { name, edition, claim, sight } = given;
  const values = { name, slot: `<t:${Math.floor(atMs / 1000)}:f>` };
  const about = { guild: claim.guild, channel: edition.channel, edition: name, atMs };
  const text = translate(sight.locale, 'digest.alarm.skipped', values);
  await alarm(press, about, text, edition.savedBy);
}

/** Writes the run, ends the claim, and says when to look at the edition next. */
async function record(
  press: Press,
  { claim, edition }: Case,
  run: Run,
  outcome: RecordedAs = 'done',
): Promise<boolean> {
  const { status } = await recordEdition(press.store, claim, run, outcome);
  if (status === 'lost') return false;
  await setDue(press.store, claim.guild, claim.edition, attentionAtMs(edition, run));
  return true;
}

/** The run once a slot is over, posted or not. */
export function done(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}
