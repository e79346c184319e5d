import { type APIChannel, type APIMessage, type Client, Routes } from 'discord.js';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../../ranking/snowflake.ts';
import { onPacket } from '../gateway/packets.ts';
import { remember } from '../remember.ts';
import { ChannelRefused, type Place } from './refusals.ts';

/**
 * The check before the bot changes a message. Ids in Redis may come from a restored file, so this asks
 * Discord instead of trusting them.
 */
export type OwnMessages = {
  /** Throws `NotOurs` unless the channel or thread is in the guild. */
  demandChannel(place: Place): Promise<void>;
  /** Throws `NotOurs` unless the message is the bot's own, in a channel or thread of the guild. */
  demand(place: Place & { message: Snowflake }): Promise<void>;
  /** Whether a message from Discord's API is the bot's own. Remembers the answer. */
  see(message: z.infer<typeof zMessage>): boolean;
};

const zMessage = z.object({ id: zSnowflake, author: z.object({ id: zSnowflake }) });

/** The channel is in another guild, or the message is somebody else's. */
export class NotOurs extends ChannelRefused {}

/** Channels never change their guild and messages never change their author, so answers stay valid. */
const REMEMBERED = 10_000;

/** Discord's errors are thrown as they are, such as for a deleted or hidden channel or message. */
export function openOwnMessages(client: Client, self: Snowflake): OwnMessages {
  const guilds = new Map<Snowflake, Snowflake | null>();
  const isOwn = new Map<Snowflake, boolean>();

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

  async function demandChannel({ guild, channel }: Place): Promise<void> {
    if ((await guildOf(channel)) !== guild) throw new NotOurs('The channel is in another guild.');
  }

  return {
    demandChannel,
    async demand({ guild, channel, message: id }) {
      await demandChannel({ guild, channel });
      const read = async () =>
        (await client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
      if (!(isOwn.get(id) ?? see(await read()))) {
        throw new NotOurs('Somebody else wrote the message.');
      }
    },
    see,
  };
}
