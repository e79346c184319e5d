import { type Client, Events, type Guild } from 'discord.js';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { onPacket } from '../discord/gateway/packets.ts';
import { mayReadHistory } from '../discord/access/permissions.ts';
import { groupsOf } from '../discord/access/visibility.ts';

type LifecycleHandlers = {
  /** A new session began. `guilds`: all guilds of the shard that have the bot, reachable or not. */
  session(session: { guilds: Snowflake[]; shard: number; shards: number }): void;
  /** The guild is reachable and its channels are cached. It is new, or an outage ended. */
  present(guild: Guild): void;
  /** The guild has a new channel. */
  created(guild: Guild): void;
  /** The guild has removed the bot. Not called for an outage. */
  removed(guild: Snowflake): void;
  /** The bot may now read groups of the guild that it could not read before. */
  readable(guild: Guild): void;
};

const zReady = z.object({
  guilds: z.array(z.object({ id: zSnowflake })),
  shard: z.tuple([z.int().min(0), z.int().min(1)]).default([0, 1]),
});
const zGuildDelete = z.object({ id: zSnowflake, unavailable: z.boolean().default(false) });

/**
 * Follows the guilds' lifecycle. It reads raw packets where discord.js drops events of guilds that it
 * does not know, and uses discord.js events where it needs channels and permissions.
 */
export function followLifecycle(client: Client, handlers: LifecycleHandlers): void {
  const readable = new Map<Snowflake, Set<Snowflake>>();

  onPacket(client, 'READY', zReady, ({ guilds, shard: [shard, shards] }) => {
    handlers.session({ guilds: guilds.map(({ id }) => id), shard, shards });
  });
  onPacket(client, 'GUILD_DELETE', zGuildDelete, ({ id, unavailable }) => {
    readable.delete(id);
    if (!unavailable) handlers.removed(id);
  });
  const present = (guild: Guild): void => {
    readable.set(guild.id, readableGroups(guild));
    handlers.present(guild);
  };
  client.on(Events.GuildAvailable, present);
  client.on(Events.GuildCreate, present);
  for (const guild of client.guilds.cache.values()) {
    if (guild.available) readable.set(guild.id, readableGroups(guild));
  }

  const compareGroups = (guild: Guild): void => {
    const before = readable.get(guild.id);
    const now = readableGroups(guild);
    readable.set(guild.id, now);
    if ([...now].some((group) => before?.has(group) === false)) handlers.readable(guild);
  };
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) compareGroups(channel.guild);
  });
  client.on(Events.ChannelCreate, (channel) => {
    // The bot could read a new channel from its beginning, so it missed nothing there.
    if (mayReadHistory(channel)) readable.get(channel.guildId)?.add(channel.id);
    handlers.created(channel.guild);
  });
  client.on(Events.GuildRoleUpdate, (_, role) => compareGroups(role.guild));
  client.on(Events.GuildRoleDelete, (role) => compareGroups(role.guild));
  client.on(Events.GuildMemberUpdate, (_, member) => {
    if (member.id === client.user?.id) compareGroups(member.guild);
  });
}

function readableGroups(guild: Guild): Set<Snowflake> {
  const groups = groupsOf(guild).filter(mayReadHistory);
  return new Set(groups.map(({ id }) => id));
}
