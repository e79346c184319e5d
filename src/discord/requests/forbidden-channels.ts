import { type Client, Events } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * The channels in which Discord answered 403. The bot sends no requests there until permissions in
 * their guild change: Discord bans an IP address after 10 000 refused requests in 10 minutes.
 */
export type ForbiddenChannels = {
  has(channel: Snowflake): boolean;
  add(channel: Snowflake, guild: Snowflake): void;
};

export function openForbiddenChannels(client: Client): ForbiddenChannels {
  /** Channel to guild. */
  const refused = new Map<Snowflake, Snowflake>();
  function allow(guild: Snowflake): void {
    for (const [channel, of] of refused) if (of === guild) refused.delete(channel);
  }
  client.on(Events.GuildAvailable, (guild) => allow(guild.id));
  client.on(Events.GuildCreate, (guild) => allow(guild.id));
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) allow(channel.guildId);
  });
  client.on(Events.GuildRoleUpdate, (_, role) => allow(role.guild.id));
  client.on(Events.GuildMemberUpdate, (_, member) => {
    if (member.id === client.user?.id) allow(member.guild.id);
  });
  return {
    has: (channel) => refused.has(channel),
    add: (channel, guild) => void refused.set(channel, guild),
  };
}
