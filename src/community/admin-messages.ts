import { type APIEmbed, type Guild, Routes, type Client } from 'discord.js';
import { fault, type Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { languageOfGuild } from './settings.ts';
import { nonceOf, type Requests } from '../discord/requests/requests.ts';
import type { ActionRow } from '../discord/interactions/components.ts';
import type { GuildRules } from './guild-rules.ts';

/** What a line in a guild's log channel needs. */
export interface LogChannelNeeds {
  /** Its cache tells the language and channels of a guild; it sends to them and to admins. */
  client: Client;
  /** The guild's settings name the channel. */
  rules: GuildRules;
  /** Requests that can wait. */
  requests: Requests;
  /** Says what could not be done. */
  log: Log;
}

/**
 * Sends a message to a guild's log channel, if it has one. If it cannot be sent, that is only logged:
 * the event stays without its line, and the check-up reports the fault. `key`: Discord makes one message of two with
 * it, for some minutes.
 */
export async function writeToLogChannel(
  { client, rules, requests, log }: LogChannelNeeds,
  guild: Snowflake,
  draw: (
    locale: string | null,
  ) => ({ content: string } | { embeds: APIEmbed[] }) & { components?: ActionRow[] },
  key?: string,
): Promise<void> {
  const read = await rules.read(guild);
  const channel = read.settings.log;
  if (channel === null) return;
  const message = draw(languageOfGuild(read, client.guilds.cache.get(guild)));
  const target = { guild, channel };
  try {
    const once = key === undefined ? {} : { nonce: nonceOf(guild, key), enforce_nonce: true };
    const body = { ...message, ...once, allowed_mentions: { parse: [] } };
    await requests.ask(target, 'POST', () =>
      client.rest.post(Routes.channelMessages(channel), { body }),
    );
  } catch (error) {
    log.warn({ ...fault(error), ...target }, 'The log channel cannot be written.');
  }
}

/**
 * Tells the server's admins that something is wrong, in the most private channel that Discord allows. Call
 * it once. `about` is what the log says.
 */
export async function notifyAdmins(
  { client, requests, log }: { client: Client; requests: Requests; log: Log },
  about: { guild: Snowflake } & Record<string, unknown>,
  content: string,
  responsible: Snowflake | null = null,
): Promise<void> {
  const guild = client.guilds.cache.get(about.guild);
  const nonce = nonceOf(about.guild, content);
  const body = { content, allowed_mentions: { parse: [] }, nonce, enforce_nonce: true };
  const send = async (channel: Snowflake): Promise<unknown> => {
    await requests.requireAllowed({ guild: about.guild, channel });
    return client.rest.post(Routes.channelMessages(channel), { body });
  };
  let why = {};
  for (const find of guild ? channelsToTell(guild, responsible) : []) {
    try {
      const channel = await find();
      if (channel === null) continue;
      await send(channel);
      return;
    } catch (error) {
      // The next one may be reached. Discord knows the nonce, so nobody is told twice.
      why = fault(error);
    }
  }
  log.warn({ ...why, ...about }, 'Nobody could be told about it.');
}

/** In this order: the community updates channel, who is responsible, the system channel. */
function channelsToTell(
  guild: Guild,
  responsible: Snowflake | null,
): (() => Promise<Snowflake | null>)[] {
  const { publicUpdatesChannelId, systemChannelId } = guild;
  return [
    async () => publicUpdatesChannelId,
    async () => (responsible === null ? null : directChannel(guild, responsible)),
    async () => systemChannelId,
  ];
}

/** Discord refuses it for a former member, and for one that only a restored file names. */
async function directChannel(guild: Guild, id: Snowflake): Promise<Snowflake> {
  const member = await guild.members.fetch(id);
  return (await member.createDM()).id;
}
