import { type APIChannel, type APIMessage, type Client, Routes } from 'discord.js';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import { onPacket } from '../gateway/packets.ts';
import { remember } from '../remember.ts';
import { ChannelRefused, type Place } from './refusals.ts';

const zMessage = z.object({ id: zSnowflake, author: z.object({ id: zSnowflake }) });

/** The channel is in another guild, or the message is somebody else's. */
export class NotOurs extends ChannelRefused {}

/** Channels never change their guild and messages never change their author, so answers stay valid. */
const REMEMBERED = 10_000;

/**
 * The check before the bot changes a message. Ids in Redis may come from a restored file, so this asks
 * Discord instead of trusting them. Discord's errors are thrown as they are, such as for a deleted or
 * hidden channel or message.
 */
export function openOwnMessages(client: Client, self: Snowflake) {
  const guilds = new Map<Snowflake, Snowflake | null>();
  const isOwn = new Map<Snowflake, boolean>();

  /** Whether a message from Discord's API is the bot's own. Remembers the answer. */
  function see({ id, author }: z.infer<typeof zMessage>): boolean {
    const own = author.id === self;
    remember(isOwn, id, own, REMEMBERED);
    return own;
  }

  onPacket(client, 'MESSAGE_CREATE', zMessage, (message) => {
    if (message.author.id === self) see(message);
  });

  async function guildOf(channel: Snowflake): Promise<Snowflake | null> {
    const cached = client.channels.cache.get(channel);
    if (cached) return 'guildId' in cached ? cached.guildId : null;
    const known = guilds.get(channel);
    if (known !== undefined) return known;
    const found = (await client.rest.get(Routes.channel(channel))) as APIChannel;
    const guild = ('guild_id' in found ? found.guild_id : null) ?? null;
    remember(guilds, channel, guild, REMEMBERED);
    return guild;
  }

  /** Throws `NotOurs` unless the channel is in the guild, and the message, if any, is the bot's own. */
  async function demandOwn({ guild, channel, message: id }: Place): Promise<void> {
    if ((await guildOf(channel)) !== guild) throw new NotOurs('The channel is in another guild.');
    if (id === undefined) return;
    const read = async () =>
      (await client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
    if (!(isOwn.get(id) ?? see(await read())))
      throw new NotOurs('Somebody else wrote the message.');
  }

  return { demandOwn, see };
}
