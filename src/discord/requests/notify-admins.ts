import { type Guild, type RESTPostAPICurrentUserCreateDMChannelResult, Routes } from 'discord.js';
import type { App } from '../../app.ts';
import { fault } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { isLastingRefusal } from '../api-errors.ts';
import { nonceOf } from './nonce.ts';
import { ChannelRefused } from './refusals.ts';

type Parts = Pick<App, 'client' | 'refusals' | 'log'>;

/** Tells the server's admins that something is wrong. Call it once. `about` is what the log says. */
export async function notifyAdmins(
  parts: Parts,
  about: { guild: Snowflake } & Record<string, unknown>,
  text: string,
  responsible: string | null = null,
): Promise<void> {
  try {
    const told = await tell(parts, about.guild, responsible, text);
    if (!told) parts.log.warn(about, 'Nobody could be told about it.');
  } catch (error) {
    parts.log.warn({ ...fault(error), ...about }, 'Nobody could be told about it.');
  }
}

/** Uses the most private place that Discord allows. False if there is none. */
async function tell(
  { client, refusals }: Parts,
  id: Snowflake,
  responsible: string | null,
  content: string,
): Promise<boolean> {
  const guild = client.guilds.cache.get(id);
  if (!guild) return false;
  const nonce = nonceOf(id, content);
  const body = { content, allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
  for (const channel of await placesToTell(guild, responsible)) {
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

/** In this order: the community updates channel, who is responsible, the system channel. */
async function placesToTell(guild: Guild, responsible: string | null): Promise<string[]> {
  const { publicUpdatesChannelId, systemChannelId } = guild;
  const direct = responsible === null ? null : await directChannel(guild, responsible);
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
