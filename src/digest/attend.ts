import { randomUUID } from 'node:crypto';
import { tell } from '../signals.ts';
import { claimPosting, releaseClaim } from '../store/claims.ts';
import { readEdition, repairRun } from '../store/digests.ts';
import { setDue } from '../store/due.ts';
import { attentionAtMs, dueSlot, plannedSlot } from './period.ts';
import type { Press } from './press.ts';
import type { Slot } from './schedule.ts';
import { type Attended, done, settle } from './settle.ts';

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
  const claimed = await claimPosting(press.store, claim, now);
  if (claimed.status === 'held') return 'idle';
  if (claimed.status === 'done') {
    await catchUp(press, guild, name, slot);
    return 'idle';
  }
  if (claimed.earlier > 0) press.log.info({ guild, edition: name }, 'A digest is taken over.');
  try {
    const outcome = await settle(press, { ...stored, claim, slot, now, sight, ...claimed });
    if (outcome !== 'idle') {
      tell('digest', { outcome, lagSeconds: (press.clock.now() - slot.atMs) / 1000 });
    }
    return outcome;
  } catch (error) {
    // Unless that fails too: then the lease runs out.
    await releaseClaim(press.store, claim).catch(() => {});
    throw error;
  }
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
