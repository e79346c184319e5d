import { type Client, Events, type Guild } from 'discord.js';
import { z } from 'zod';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { onPacket } from '../discord/gateway/packets.ts';

type LifecycleHandlers = {
  /** A new session began. `guilds`: all guilds of the shard that have the bot, reachable or not. */
  session(session: { guilds: Snowflake[]; shard: number; shards: number }): void;
  /** The guild is reachable and its channels are cached. It is new, or an outage ended. */
  present(guild: Guild): void;
  /** The guild has a new channel. */
  created(guild: Guild): void;
  /** The guild has removed the bot. Not called for an outage. */
  removed(guild: Snowflake): void;
  /** The bot may have got the permission to read channels that it could not read before. */
  permissions(guild: Guild): void;
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
  onPacket(client, 'READY', zReady, ({ guilds, shard: [shard, shards] }) => {
    handlers.session({ guilds: guilds.map(({ id }) => id), shard, shards });
  });
  onPacket(client, 'GUILD_DELETE', zGuildDelete, ({ id, unavailable }) => {
    if (!unavailable) handlers.removed(id);
  });
  client.on(Events.GuildAvailable, (guild) => handlers.present(guild));
  client.on(Events.GuildCreate, (guild) => handlers.present(guild));

  client.on(Events.ChannelCreate, ({ guild }) => handlers.created(guild));
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) handlers.permissions(channel.guild);
  });
  client.on(Events.GuildRoleUpdate, (_, role) => handlers.permissions(role.guild));
  client.on(Events.GuildRoleDelete, (role) => handlers.permissions(role.guild));
  client.on(Events.GuildMemberUpdate, (_, member) => {
    if (member.id === client.user?.id) handlers.permissions(member.guild);
  });
}
