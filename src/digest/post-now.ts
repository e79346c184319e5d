import type { StoredDigest } from '../records/digests/digests.ts';
import { UserError } from '../discord/user-error.ts';
import { brokenText } from './posting/broken-text.ts';
import { type Draft, writeDraft } from './content/draft.ts';
import { periodOf } from './schedule/due.ts';
import type { DigestContext } from './posting/context.ts';
import { nonceOf } from '../discord/requests/nonce.ts';
import { wallTime } from './schedule/wall-time.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** Drafts the edition that the digest would post now: the articles that no edition has shown. */
export async function draftNow(
  context: DigestContext,
  guild: Snowflake,
  { name, digest, run }: StoredDigest,
  locale: string,
): Promise<{ draft: Draft; sinceMs: number }> {
  const now = context.clock.now();
  const period = periodOf(digest, run, now);
  const { date, time } = wallTime(digest.schedule.zone, now);
  const draft = await writeDraft(context, {
    guild,
    name,
    digest,
    run,
    locale,
    period,
    // The local time is marked as UTC, because `date` has no zone and is formatted as UTC.
    // It keeps a read-back from taking this for the scheduled edition.
    date: `${date}T${time}Z`,
  });
  return { draft, sinceMs: period.fromMs };
}

/**
 * Posts a draft outside the schedule. It changes neither the schedule nor which articles are new.
 * `occasion` is the interaction's id: with the same id, Discord posts once. Returns the message.
 */
export async function postNow(
  context: DigestContext,
  {
    guild,
    stored,
    draft,
    occasion,
    locale,
  }: {
    guild: Snowflake;
    stored: StoredDigest;
    draft: Draft;
    occasion: string;
    /** The locale of the member who asked. */
    locale: string;
  },
): Promise<string | null> {
  const { digest, name } = stored;
  if (draft.body === null) return null;
  const nonce = nonceOf(guild, name, 'now', occasion);
  const sent = await context.channels.sendMessage(
    { guild, channel: digest.channel },
    draft.body,
    nonce,
  );
  if (sent.status === 'refused') {
    throw new UserError('digest.unposted', { reason: brokenText(locale, digest.channel, sent) });
  }
  return sent.message;
}
