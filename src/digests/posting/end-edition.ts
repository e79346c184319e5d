import { notifyAdmins } from '../../community/admin-messages.ts';
import type { Next } from '../../due/kind.ts';
import type { Shown } from '../../messages/keep-shown.ts';
import type { Refusal } from '../../messages/messages.ts';
import { type Lease, type Release, releaseLease } from '../../redis/lease.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { MINUTE_MS } from '../../runtime/clock.ts';
import { emitMetric } from '../../runtime/metrics.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { titleOf } from '../../editions/edition-title.ts';
import type { Draft } from '../content/draft.ts';
import type { Edition } from '../content/edition-message.ts';
import { type Run, storedRun } from '../digest-settings.ts';
import type { Slot } from '../schedule/slots.ts';
import { brokenReason, LOOK_FOR_PERMISSIONS_MS, nextLookAtMs, PROBE_MS } from '../schedule/due.ts';
import { forgetRunOfDeleted, over, readDigest } from '../stored-digests.ts';
import { brokenText, type ChannelState, type DigestContext } from './posting-context.ts';
import { publishEdition } from './publish-edition.ts';
import { recordEdition } from './record-edition.ts';

/** An edition that this process alone may post. */
export type ClaimedEdition = Edition & {
  /** What happened to its digest before. */
  run: Run;
  slot: Slot;
  /** The right to post the edition of this local date. */
  lease: Lease;
  /** An earlier process may have sent it. */
  isTried: boolean;
  channel: Exclude<ChannelState, { status: 'elsewhere' }>;
  claimedAtMs: number;
};

/** What became of an edition in its channel. */
export type EditionEnd =
  /** It was due too long ago. `stands`: but it was sent, and nobody recorded it. */
  | { status: 'late'; stands?: { draft: Draft; message: Snowflake } }
  /** `draft`: what it says. null: its settings were changed meanwhile. */
  | (Shown & { draft?: Draft | null });

export type EditionOutcome =
  | 'posted'
  | 'empty'
  | 'skipped'
  | 'broken'
  /** Nothing is due, another process posts it, or it is as broken as before. */
  | 'idle';

/** What became of a digest that was due, and when it is looked at next. */
export type Ended = Next & { became: EditionOutcome };

/** When Discord did not answer, or another process posts it. */
export const AGAIN_MS = MINUTE_MS;

/** Records what became of an edition, publishes it, ends its claim, and tells the admins what failed. */
export async function endEdition(
  context: DigestContext,
  edition: ClaimedEdition,
  end: EditionEnd,
): Promise<Ended> {
  const became = await record(context, edition, end);
  if (became !== 'idle') {
    const { guild, name, slot } = edition;
    const lagSeconds = (context.clock.now() - slot.atMs) / 1000;
    emitMetric('digest', { outcome: became, lagSeconds });
    context.log.info({ guild, digest: name, outcome: became }, 'A digest was due.');
  }
  return nextLook(context, edition, became);
}

/** When a digest is looked at next. One that was deleted meanwhile leaves nothing. */
export async function nextLook(
  { store, clock }: DigestContext,
  { guild, name }: { guild: Snowflake; name: string },
  became: EditionOutcome,
): Promise<Ended> {
  const stored = await readDigest(store, guild, name);
  if (stored === null) {
    await forgetRunOfDeleted(store, guild, name);
    return { became, atMs: null };
  }
  const nextMs = nextLookAtMs(stored.digest, stored.run);
  return { became, atMs: nextMs > clock.now() ? nextMs : clock.now() + AGAIN_MS };
}

async function record(
  context: DigestContext,
  edition: ClaimedEdition,
  end: EditionEnd,
): Promise<EditionOutcome> {
  const { digest, run, slot } = edition;
  switch (end.status) {
    case 'lost':
      return 'idle';
    case 'late': {
      const { stands } = end;
      if (stands) await recordEdition(context, edition, stands, edition.lease);
      const broken = brokenReason(digest, run);
      if (!(await endClaim(context, edition, { ...over(run, slot), broken }))) return 'idle';
      return stands ? 'posted' : 'skipped';
    }
    case 'refused':
      return recordBroken(context, edition, end);
    case 'none':
    case 'shown':
    case 'unknown': {
      const { draft = null } = end;
      if (draft === null) {
        await releaseLease(context.store, edition.lease, 'open');
        return 'idle';
      }
      if (draft.body !== null) return recordShown(context, edition, { ...end, draft });
      return (await endClaim(context, edition, over(run, slot))) ? 'empty' : 'idle';
    }
  }
}

async function recordShown(
  context: DigestContext,
  edition: ClaimedEdition,
  end: Shown & { draft: Draft },
): Promise<EditionOutcome> {
  const { run, slot } = edition;
  const message = end.status === 'shown' ? end.message : null;
  const { draft } = end;
  if (!(await recordEdition(context, edition, { draft, message }, edition.lease))) return 'idle';
  const refusal = message === null ? null : await publishEdition(context, edition, message);
  if (!(await endClaim(context, edition, over(run, slot)))) return 'idle';
  if (end.status === 'shown' && end.refusedLinks !== undefined) {
    const said = 'Discord refuses a link of a digest; it was posted without links.';
    const values = { code: end.refusedLinks };
    await tell(context, edition, { said, text: 'digest.notify.links', values });
  }
  if (refusal !== null) {
    const said = 'A digest was posted, but not published to the followers of its channel.';
    const about = { message, ...refusal };
    await tell(context, edition, { said, about, text: `digest.unpublished.${refusal.status}` });
  }
  return 'posted';
}

async function recordBroken(
  context: DigestContext,
  edition: ClaimedEdition,
  { reason, detail, isUnsent }: Refusal & { isUnsent: boolean },
): Promise<EditionOutcome> {
  const { digest, run, locale, claimedAtMs } = edition;
  const before = brokenReason(digest, run);
  const sinceMs = before?.sinceMs ?? claimedAtMs;
  const probeAtMs = claimedAtMs + (reason === 'missing' ? LOOK_FOR_PERMISSIONS_MS : PROBE_MS);
  const broken = { reason, detail, sinceMs, probeAtMs };
  const isOurs = await endClaim(context, edition, { ...run, broken }, isUnsent ? 'anew' : 'open');
  if (isOurs && before === null) {
    const values = { why: reason, reason: brokenText(locale, digest.channel, broken) };
    const about = { reason, detail };
    const said = 'A digest is not posted.';
    await tell(context, edition, { said, about, text: 'digest.notify.broken', values });
  }
  return before?.reason === reason ? 'idle' : 'broken';
}

/** Writes the run and ends the claim, by default for good. False if it is lost. */
async function endClaim(
  { store }: DigestContext,
  { guild, name, lease }: ClaimedEdition,
  run: Run,
  as: Release = 'done',
): Promise<boolean> {
  const outcome = { [name]: storedRun.write(run) };
  const { status } = await releaseLease(store, lease, as, outcome, storeKeys(store, guild).runs);
  return status !== 'lost';
}

/** Says in the log, and to the admins, what hinders an edition. */
async function tell(
  context: DigestContext,
  { guild, name, digest: { channel, savedBy, schedule }, locale }: ClaimedEdition,
  { said, about = {}, text, values = {} }: Failure,
): Promise<void> {
  const where = { guild, channel, digest: name, ...about, ...values };
  context.log.warn(where, said);
  const named = {
    digest: titleOf(locale, name, schedule.every),
    channel: `<#${channel}>`,
    ...values,
  };
  await notifyAdmins(context, where, translate(locale, text, named), savedBy);
}

type Failure = {
  /** What the log says, and what about. */
  said: string;
  about?: Record<string, unknown>;
  /** What the admins read. */
  text: Key;
  values?: Record<string, string>;
};
