import { type Guild, type RESTPostAPICurrentUserCreateDMChannelResult, Routes } from 'discord.js';
import { permissionNames, type Permission } from '../../discord/access/permissions.ts';
import { ChannelRefused } from '../../discord/requests/refusals.ts';
import { fault } from '../../log.ts';
import type { Broken } from '../../records/digests/digest-settings.ts';
import { translate } from '../../text/catalogue.ts';
import type { DigestContext } from './context.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { isLastingRefusal } from './channel.ts';
import { nonceOf } from './nonce.ts';

/** Tells the server's admins that something is not posted. Call it once; the settings keep showing it. */
export async function notifyAdmins(
  context: DigestContext,
  about: { guild: Snowflake } & Record<string, string | number>,
  text: string,
  savedBy: string | null = null,
): Promise<void> {
  context.log.warn(about, 'Something is not posted.');
  try {
    const told = await tell(context, about.guild, savedBy, text);
    if (!told) context.log.warn(about, 'Nobody could be told about it.');
  } catch (error) {
    context.log.warn({ ...fault(error), ...about }, 'Nobody could be told about it.');
  }
}

/** Uses the most private place that Discord allows. False if there is none. */
async function tell(
  { client, refusals }: DigestContext,
  id: Snowflake,
  savedBy: string | null,
  content: string,
): Promise<boolean> {
  const guild = client.guilds.cache.get(id);
  if (!guild) return false;
  const nonce = nonceOf(id, content);
  const body = { content, allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
  for (const channel of await placesToTell(guild, savedBy)) {
    try {
      await refusals.demand({ guild: id, channel });
      await client.rest.post(Routes.channelMessages(channel), { body });
      return true;
    } catch (error) {
      if (!isLastingRefusal(error) && !(error instanceof ChannelRefused)) throw error;
    }
  }
  return false;
}

/** In this order: the community updates channel, the user who saved the digest, the system channel. */
async function placesToTell(guild: Guild, savedBy: string | null): Promise<string[]> {
  const { publicUpdatesChannelId, systemChannelId } = guild;
  const direct = savedBy === null ? null : await directChannel(guild, savedBy);
  return [publicUpdatesChannelId, direct, systemChannelId].filter((place) => place !== null);
}

/** Null for somebody who is not a member: a former one, or one that only a restored file names. */
async function directChannel(guild: Guild, member: Snowflake): Promise<string | null> {
  try {
    await guild.members.fetch(member);
    const body = { recipient_id: member };
    const opened = await guild.client.rest.post(Routes.userChannels(), { body });
    return (opened as RESTPostAPICurrentUserCreateDMChannelResult).id;
  } catch (error) {
    if (isLastingRefusal(error)) return null;
    throw error;
  }
}

/** Explains why nothing can be posted in a channel, and how to repair it. */
export function brokenText(
  locale: string,
  channel: Snowflake,
  { reason, detail }: Pick<Broken, 'reason' | 'detail'>,
): string {
  const place = `<#${channel}>`;
  switch (reason) {
    case 'gone':
      return translate(locale, 'digest.broken.gone');
    case 'missing': {
      const permissions = permissionNames(detail.split(',') as Permission[]);
      return translate(locale, 'digest.broken.missing', { channel: place, permissions });
    }
    case 'refused':
      return translate(locale, 'digest.broken.refused', { channel: place, code: detail });
  }
}
