import { randomUUID } from 'node:crypto';
import { emitMetric } from '../../metrics.ts';
import { claimPosting, releaseClaim } from '../../records/digests/posting-claims.ts';
import { readDigest } from '../../records/digests/digests.ts';
import { setDue } from '../../records/digests/due-queue.ts';
import { nextLookAtMs, dueSlot } from '../schedule/due.ts';
import type { DigestContext } from './context.ts';
import { readState } from './channel.ts';
import { type RunOutcome, postEdition } from './post-edition.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

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
