import { ApplicationFlags } from 'discord-api-types/v10';
import type { World } from '../model/world.ts';
import type { Snowflake } from './snowflakes.ts';

export function userPayload(world: World, id: Snowflake): Record<string, unknown> {
  const user = world.users.get(id);
  return {
    id,
    username: user?.username ?? 'Deleted User',
    discriminator: user?.bot === true ? '0001' : '0',
    global_name: user?.globalName ?? null,
    avatar: null,
    banner: null,
    accent_color: null,
    avatar_decoration_data: null,
    primary_guild: null,
    public_flags: 0,
    flags: 0,
    ...(user?.bot === true ? { bot: true } : {}),
  };
}

export function applicationPayload(world: World): Record<string, unknown> {
  const { id, name, privileged } = world.application;
  const flags =
    (privileged.messageContent ? ApplicationFlags.GatewayMessageContentLimited : 0) |
    (privileged.guildMembers ? ApplicationFlags.GatewayGuildMembersLimited : 0);
  return {
    id,
    name,
    icon: null,
    description: '',
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    owner: userPayload(world, id),
    team: null,
    flags,
    tags: [],
    approximate_guild_count: world.guilds.size,
    integration_types_config: { '0': {} },
    bot: userPayload(world, id),
  };
}
