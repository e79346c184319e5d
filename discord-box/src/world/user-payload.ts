import { ApplicationFlags } from 'discord-api-types/v10';
import type { World } from '../model/world.ts';
import type { Snowflake } from '../model/snowflakes.ts';

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

/** What only the bot itself is told of its user. */
export function ownUserPayload(world: World): Record<string, unknown> {
  const { botId } = world.application;
  const own = { verified: true, mfa_enabled: true, email: null, locale: 'en-US' };
  return { ...userPayload(world, botId), ...own };
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
    type: null,
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: '0'.repeat(64),
    owner: userPayload(world, id),
    team: null,
    flags,
    flags_new: String(flags),
    tags: [],
    redirect_uris: [],
    interactions_endpoint_url: null,
    role_connections_verification_url: null,
    explicit_content_filter: 0,
    eligible_oauth2_scopes: [],
    approximate_guild_count: world.guilds.size,
    approximate_user_install_count: 0,
    approximate_user_authorization_count: 0,
    integration_types_config: { '0': {} },
    bot: userPayload(world, id),
  };
}
