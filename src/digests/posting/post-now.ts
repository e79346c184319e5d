import type { Guild } from 'discord.js';
import { hasRole } from '../../community/dead-references.ts';
import { readSettings } from '../../community/settings.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { timestamp } from '../../text/mentions.ts';
import { type Draft, type DraftContext, writeDraft } from '../content/draft.ts';
import type { Body } from '../content/edition-message.ts';
import { periodOf, type TimeRange } from '../schedule/due.ts';
import { wallTime } from '../schedule/slots.ts';
import type { StoredDigest } from '../stored-digests.ts';
import type { DigestContext, Refused } from './posting-context.ts';
import { recordEdition } from './record-edition.ts';
import { messageOf, sendWhatIsTaken } from './send-what-is-taken.ts';

/** The edition that a digest would post now, and the text of when it begins. */
export type DraftNow = {
  draft: Draft;
  date: string;
  period: TimeRange;
  locale: string;
  since: string;
};

/** Drafts the edition that the digest would post now: the articles that no edition has shown. */
export async function draftNow(
  context: DraftContext & Pick<DigestContext, 'store' | 'clock'>,
  guild: Guild,
  stored: StoredDigest,
): Promise<DraftNow> {
  const { run } = stored;
  const { role } = stored.digest;
  const digest = { ...stored.digest, role: role !== null && hasRole(guild, role) ? role : null };
  const atMs = context.clock.now();
  const period = periodOf(digest, run, atMs);
  const wall = wallTime(digest.schedule.zone, atMs);
  // The local time is marked as UTC, because a date has no zone and is formatted as UTC.
  // It keeps a read-back from taking this for the scheduled edition.
  const date = `${wall.date}T${wall.time}Z`;
  const { language } = await readSettings(context.store, guild.id);
  const locale = language ?? guild.preferredLocale;
  const draft = await writeDraft(context, {
    ...stored,
    digest,
    guild: guild.id,
    locale,
    period,
    date,
  });
  return { draft, date, period, locale, since: timestamp(period.fromMs, 'f') };
}

/** Posts a draft once for an interaction, and records it. Neither the schedule nor what is new changes. */
export async function postNow(
  context: DigestContext,
  { guild, stored, by }: { guild: Snowflake; stored: StoredDigest; by: Snowflake },
  { draft: drafted, date, period, locale }: DraftNow,
  body: Body,
): Promise<{ status: 'sent'; message: Snowflake } | Refused> {
  const { name, digest } = stored;
  const target = { guild, channel: digest.channel };
  // With the interaction's id, Discord posts once.
  const nonce = nonceOf(guild, name, 'now', by);
  const send = (next: Body) => context.channels.sendMessage(target, next, nonce);
  let draft = drafted;
  let sent: { status: 'sent'; message: Snowflake } | Refused = await send(body);
  if (sent.status === 'refused' && sent.isText) {
    const { recount: _, ...recounted } = context;
    const { shown: taken } = await sendWhatIsTaken(context, {
      guild,
      digest,
      locale,
      draft: (mayName) =>
        writeDraft(recounted, { ...stored, guild, locale, period, date }, mayName),
      async send(part) {
        const answer = await send(part.body);
        if (answer.status === 'refused') return { ...answer, isUnsent: true };
        return { ...answer, status: 'posted' };
      },
      holds: async () => true,
      noteChange: async () => true,
      before: null,
    });
    const message = taken && messageOf(taken);
    if (taken === null || message === null) return sent;
    draft = taken.draft;
    sent = { status: 'sent', message };
  }
  if (sent.status !== 'sent') return sent;
  const edition = { guild, name, date, digest, window: period, draft };
  await recordEdition(context, { ...edition, message: sent.message });
  return sent;
}
