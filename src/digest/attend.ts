import { randomUUID } from 'node:crypto';
import {
  type Claim,
  claimEdition,
  holdClaim,
  recordEdition,
  releaseClaim,
} from '../store/claims.ts';
import { readEdition, repairRun, type StoredEdition } from '../store/digests.ts';
import { setDue } from '../store/due.ts';
import type { Run } from '../store/edition.ts';
import { alarm } from './alarm.ts';
import { type Draft, parseDraft, writeDraft } from './draft.ts';
import { markOf } from './mark.ts';
import type { Sight } from './outlet.ts';
import {
  attentionAtMs,
  brokenReason,
  dueSlot,
  LATE_MS,
  LATEST_MS,
  periodStart,
  plannedSlot,
} from './period.ts';
import { postPages } from './posting.ts';
import type { Press } from './press.ts';
import type { Slot } from './schedule.ts';

/** A broken edition is tried again so often. */
const PROBE_MS = 3_600_000;

export type Attended =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Not now, not here, or not by this process. */
  | 'idle';

/**
 * Brings an edition up to date: posts the slot that is due, exactly once among all processes and
 * whatever dies in between, and says when to look at it next.
 *
 * claim → read back → send → record: each step can be the last, and the next caller goes on from
 * there. Throws where Redis or Discord fail; calling again is then safe, and the way on.
 */
export async function attend(press: Press, guild: string, name: string): Promise<Attended> {
  const now = press.clock.now();
  const stored = await readEdition(press.store, guild, name);
  if (stored === null) {
    await setDue(press.store, guild, name, null);
    return 'idle';
  }
  const { edition, run } = stored;
  const attentionAt = attentionAtMs(edition, run);
  const slot = dueSlot(edition, run, now);
  if (slot === null || attentionAt === null || attentionAt > now) {
    await setDue(press.store, guild, name, attentionAt);
    return 'idle';
  }
  const sight = await press.outlet.look(guild, edition.channel);
  if (sight.is === 'elsewhere') return 'idle';
  const claim = { guild, edition: name, date: slot.date, token: randomUUID() };
  const claimed = await claimEdition(press.store, claim, now);
  if (claimed.status === 'held') return 'idle';
  if (claimed.status === 'done') {
    await catchUp(press, guild, name, slot);
    return 'idle';
  }
  try {
    return await settle(press, { ...stored, claim, slot, now, sight, ...claimed });
  } catch (error) {
    // Unless that fails too: then the lease runs out.
    await releaseClaim(press.store, claim).catch(() => {});
    throw error;
  }
}

type Case = StoredEdition & {
  claim: Claim;
  slot: Slot;
  now: number;
  sight: Exclude<Sight, { is: 'elsewhere' }>;
  tried: number;
  plan: string | null;
};

/** With the claim ours: skip, mark as broken, or post; then record. */
async function settle(press: Press, given: Case): Promise<Attended> {
  const { edition, run, claim, slot, now, sight } = given;
  const wasBroken = brokenReason(edition, run);
  if (now - slot.atMs > LATEST_MS) {
    await record(press, given, { ...done(run, slot), broken: wasBroken });
    if (wasBroken === null) await alarm(press, given, { is: 'skipped', atMs: slot.atMs });
    return 'skipped';
  }
  if (sight.is === 'broken') return markBroken(press, given, sight);
  const draft = await planned(press, given, sight.locale);
  if (draft === null) return 'idle';
  const outcome = await postPages(press, {
    claim,
    edition,
    draft,
    slotAtMs: slot.atMs,
    mayReadBack: sight.mayReadBack,
    tried: given.tried,
  });
  if (outcome.status === 'lost') return 'idle';
  if (outcome.status === 'refused') return markBroken(press, given, outcome);
  const { floor, featured } = draft;
  await record(press, given, { ...done(run, slot), floor, featured });
  return draft.pages.length > 0 ? 'posted' : 'empty';
}

/** The draft of whoever first had the claim, or a new one that is kept before it is used; null: lost. */
async function planned(press: Press, given: Case, locale: string): Promise<Draft | null> {
  const { name, edition, run, claim, slot, now } = given;
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
    lateSinceMs: now - slot.atMs > LATE_MS ? slot.atMs : null,
    mark: (page, pages) => markOf({ edition: name, date: slot.date, page, pages }),
  });
  const note = { plan: JSON.stringify(draft) };
  const held = await holdClaim(press.store, claim, press.clock.now(), note);
  return held.status === 'held' ? draft : null;
}

async function markBroken(
  press: Press,
  given: Case,
  { reason, detail }: { reason: 'gone' | 'missing' | 'refused'; detail: string },
): Promise<Attended> {
  const { edition, run, now } = given;
  const before = brokenReason(edition, run);
  const broken = { reason, detail, sinceMs: before?.sinceMs ?? now, probeAtMs: now + PROBE_MS };
  const recorded = await record(press, given, { ...run, broken }, 'open');
  if (recorded && before === null) await alarm(press, given, { is: 'broken', reason, detail });
  return 'broken';
}

/** Writes the run, ends the claim, and says when to look at the edition next. */
async function record(
  press: Press,
  { claim, edition }: Case,
  run: Run,
  outcome: 'done' | 'open' = 'done',
): Promise<boolean> {
  const { status } = await recordEdition(press.store, claim, run, outcome);
  if (status === 'lost') return false;
  await setDue(press.store, claim.guild, claim.edition, attentionAtMs(edition, run));
  return true;
}

function done(run: Run, { atMs, date }: Slot): Run {
  return { ...run, lastSlotMs: atMs, lastDate: date, broken: null };
}

/** The claim says that the slot is done. Its run says so too, unless that was lost. */
async function catchUp(press: Press, guild: string, name: string, slot: Slot): Promise<void> {
  const stored = await readEdition(press.store, guild, name);
  if (stored === null) return;
  const { edition, run } = stored;
  const isStale = plannedSlot(edition, run).atMs <= slot.atMs;
  const known = isStale ? done(run, slot) : run;
  if (isStale) await repairRun(press.store, guild, name, known);
  await setDue(press.store, guild, name, attentionAtMs(edition, known));
}
