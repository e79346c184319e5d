import { ChannelType } from 'discord.js';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Edition } from '../content/edition-message.ts';
import { readDigest } from '../stored-digests.ts';
import type { DigestContext } from './posting-context.ts';

/** Why an edition stands in its channel alone. */
export type Unpublished = { status: 'limited' | 'refused' | 'unanswered' };

/** Publishes an edition to the followers of its channel, if the managers want it. Null: nothing hinders it. */
export async function publishEdition(
  { client, store, channels }: Pick<DigestContext, 'client' | 'store' | 'channels'>,
  { guild, name, digest: { channel } }: Edition,
  message: Snowflake,
): Promise<Unpublished | null> {
  const saved = (await readDigest(store, guild, name))?.digest;
  if (saved?.publish !== true || saved.channel !== channel) return null;
  if (client.channels.cache.get(channel)?.type !== ChannelType.GuildAnnouncement) return null;
  const { status, ...why } = await channels.publish({ guild, channel }, message);
  return status === 'published' ? null : { status, ...why };
}
