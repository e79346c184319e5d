import type { Guild } from 'discord.js';
import { hasRole } from '../../community/dead-references.ts';
import { readSettings } from '../../community/settings.ts';
import { isUnanswered } from '../../discord/api-errors.ts';
import { nonceOf } from '../../discord/requests/requests.ts';
import { readEdition } from '../../editions/stored-editions.ts';
import type { Refused } from '../../messages/messages.ts';
import { keepShown, type Standing } from '../../messages/keep-shown.ts';
import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type Draft, type DraftContext, writeDraft } from '../content/draft.ts';
import type { Edition } from '../content/edition-message.ts';
import { periodOf } from '../schedule/due.ts';
import { wallTime } from '../../runtime/wall-time.ts';
import type { StoredDigest } from '../stored-digests.ts';
import type { DigestContext } from './posting-context.ts';
import { publishEdition, type Unpublished } from './publish-edition.ts';
import { recordEdition } from './record-edition.ts';

/** The edition that a digest would post now. */
export type DraftNow = { edition: Edition; draft: Draft };

/** Drafts the edition that the digest would post now: the articles that none of its editions has listed. */
export async function draftNow(
  context: DraftContext & Pick<DigestContext, 'store' | 'clock'>,
  guild: Guild,
  { name, digest: saved }: StoredDigest,
): Promise<DraftNow> {
  const { role } = saved;
  const digest = { ...saved, role: role !== null && hasRole(guild, role) ? role : null };
  const atMs = context.clock.now();
  const wall = wallTime(digest.schedule.zone, atMs);
  const { language } = await readSettings(context.store, guild.id);
  const edition = {
    guild: guild.id,
    name,
    digest,
    locale: language ?? guild.preferredLocale,
    period: periodOf(digest, atMs, true),
    // The local time is marked as UTC, because a date has no zone and is formatted as UTC.
    // It keeps a read-back from taking this for the scheduled edition.
    date: `${wall.date}T${wall.time}Z`,
  };
  return { edition, draft: await writeDraft(context, edition) };
}

/** Whether one was posted by hand in this minute: two would be one in the record. */
export async function isPostedNow(store: Store, { edition }: DraftNow): Promise<boolean> {
  return (await readEdition(store, edition.guild, edition)) !== null;
}

/**
 * `unpublished`: why it stands in its channel alone; null: nothing hinders it. `refusedLinks`: Discord's code, where it
 * takes it without links to pages alone.
 */
export type PostedNow = {
  status: 'sent';
  message: Snowflake;
  unpublished: Unpublished | null;
  refusedLinks?: string | undefined;
};

/**
 * Posts a draft, once in its minute, records it, and publishes it where the managers want that: what it lists,
 * no other edition will. The schedule stays.
 */
export async function postNow(
  context: DigestContext,
  { edition, draft: drafted }: DraftNow,
): Promise<PostedNow | Refused> {
  const { guild, name, digest } = edition;
  let draft = drafted;
  const standing: Standing = {
    target: { guild, channel: digest.channel },
    nonce: nonceOf(guild, name, edition.date),
    matches: () => false,
    sinceMs: context.clock.now(),
    mayReadBack: false,
    async write({ isPlain }) {
      if (isPlain)
        draft = await writeDraft({ ...context, recount: undefined }, edition, 'messages');
      return draft.body;
    },
  };
  const shown = await keepShown(context, standing, { isTried: false, hold: async () => true });
  if (shown.status === 'refused') return shown;
  if (shown.status !== 'shown') throw new Error(`An edition of now was not sent: ${shown.status}`);
  const { message, refusedLinks } = shown;
  await recordEdition(context, edition, { draft, message });
  const unpublished = await publishEdition(context, edition, message).catch((error: unknown) => {
    if (!isUnanswered(error)) throw error;
    // It is not posted again for this, and can be published by hand.
    context.warn(error, { guild }, 'An edition of now was posted, but not published.');
    return { status: 'unanswered' } as const;
  });
  return { status: 'sent', message, unpublished, refusedLinks };
}
