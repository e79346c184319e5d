import { GatewayIntentBits, PermissionFlagsBits } from 'discord-api-types/v10';
import { channelPayload, isThread } from './channel.ts';
import { mayView } from './permissions.ts';
import type { Snowflake } from './snowflakes.ts';
import { userPayload, type World } from './world.ts';

export type Role = {
  id: Snowflake;
  name: string;
  permissions: bigint;
  color: number;
  position: number;
  managed: boolean;
  mentionable: boolean;
};

export type Member = {
  userId: Snowflake;
  nick: string | null;
  roleIds: Set<Snowflake>;
  joinedAtMs: number;
  timedOutUntilMs: number | null;
};

export type Guild = {
  id: Snowflake;
  name: string;
  ownerId: Snowflake;
  locale: string;
  roles: Map<Snowflake, Role>;
  members: Map<Snowflake, Member>;
  /** An outage: the guild is there, but nobody can reach it. */
  unavailable: boolean;
};

/** What a new server gives @everyone, as far as it matters here. */
export const EVERYONE_PERMISSIONS =
  PermissionFlagsBits.ViewChannel |
  PermissionFlagsBits.SendMessages |
  PermissionFlagsBits.SendMessagesInThreads |
  PermissionFlagsBits.CreatePublicThreads |
  PermissionFlagsBits.EmbedLinks |
  PermissionFlagsBits.AttachFiles |
  PermissionFlagsBits.ReadMessageHistory |
  PermissionFlagsBits.AddReactions |
  PermissionFlagsBits.UseExternalEmojis |
  PermissionFlagsBits.UseApplicationCommands |
  PermissionFlagsBits.ChangeNickname;

export function createGuild(
  world: World,
  guild: { name: string; ownerId: Snowflake; locale?: string; id?: Snowflake },
): Guild {
  const id = guild.id ?? world.snowflake();
  const created: Guild = {
    id,
    name: guild.name,
    ownerId: guild.ownerId,
    locale: guild.locale ?? 'en-US',
    roles: new Map(),
    members: new Map(),
    unavailable: false,
  };
  world.guilds.set(id, created);
  addRole(world, created, { id, name: '@everyone', permissions: EVERYONE_PERMISSIONS });
  addMember(world, created, guild.ownerId);
  return created;
}

export function addRole(
  world: World,
  guild: Guild,
  role: Partial<Role> & { name: string; permissions: bigint },
): Role {
  const added: Role = {
    id: world.snowflake(),
    color: 0,
    position: guild.roles.size,
    managed: false,
    mentionable: false,
    ...role,
  };
  guild.roles.set(added.id, added);
  emitRole(world, guild, 'GUILD_ROLE_CREATE', added);
  return added;
}

export function changeRole(world: World, guild: Guild, role: Role, change: Partial<Role>): void {
  Object.assign(role, change);
  emitRole(world, guild, 'GUILD_ROLE_UPDATE', role);
}

export function deleteRole(world: World, guild: Guild, role: Role): void {
  guild.roles.delete(role.id);
  for (const member of guild.members.values()) member.roleIds.delete(role.id);
  world.changes.emit({
    t: 'GUILD_ROLE_DELETE',
    d: { guild_id: guild.id, role_id: role.id },
    guildId: guild.id,
    intents: GatewayIntentBits.Guilds,
  });
}

function emitRole(world: World, guild: Guild, t: string, role: Role): void {
  world.changes.emit({
    t,
    d: { guild_id: guild.id, role: rolePayload(role) },
    guildId: guild.id,
    intents: GatewayIntentBits.Guilds,
  });
}

export function addMember(
  world: World,
  guild: Guild,
  userId: Snowflake,
  member: { joinedAtMs?: number; roleIds?: Iterable<Snowflake>; nick?: string } = {},
): Member {
  const added: Member = {
    userId,
    nick: member.nick ?? null,
    roleIds: new Set(member.roleIds),
    joinedAtMs: member.joinedAtMs ?? world.clock.now(),
    timedOutUntilMs: null,
  };
  guild.members.set(userId, added);
  const isBot = userId === world.application.botId;
  world.changes.emit({
    t: isBot ? 'GUILD_CREATE' : 'GUILD_MEMBER_ADD',
    d: isBot
      ? guildCreatePayload(world, guild)
      : { guild_id: guild.id, ...memberPayload(world, added) },
    guildId: guild.id,
    intents: isBot ? 0 : GatewayIntentBits.GuildMembers,
  });
  return added;
}

export function changeMember(
  world: World,
  guild: Guild,
  member: Member,
  change: Partial<Omit<Member, 'userId'>>,
): void {
  Object.assign(member, change);
  world.changes.emit({
    t: 'GUILD_MEMBER_UPDATE',
    d: { guild_id: guild.id, ...memberPayload(world, member) },
    guildId: guild.id,
    // The bot hears of its own changes without the privileged intent.
    intents: member.userId === world.application.botId ? 0 : GatewayIntentBits.GuildMembers,
  });
}

/** A member leaves or is kicked; the bot is told of its own removal with GUILD_DELETE. */
export function removeMember(world: World, guild: Guild, userId: Snowflake): void {
  const isBot = userId === world.application.botId;
  if (isBot) {
    // Told while it still is a member: afterwards the guild's events no longer reach it.
    world.changes.emit({ t: 'GUILD_DELETE', d: { id: guild.id }, guildId: guild.id, intents: 0 });
    for (const [id, command] of world.commands) {
      if (command.guildId === guild.id) world.commands.delete(id);
    }
  }
  guild.members.delete(userId);
  if (isBot) return;
  world.changes.emit({
    t: 'GUILD_MEMBER_REMOVE',
    d: { guild_id: guild.id, user: userPayload(world, userId) },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildMembers,
  });
}

/** An outage begins or ends. The bot stays a member. */
export function setUnavailable(world: World, guild: Guild, unavailable: boolean): void {
  if (guild.unavailable === unavailable) return;
  guild.unavailable = unavailable;
  world.changes.emit(
    unavailable
      ? { t: 'GUILD_DELETE', d: { id: guild.id, unavailable: true }, guildId: guild.id, intents: 0 }
      : { t: 'GUILD_CREATE', d: guildCreatePayload(world, guild), guildId: guild.id, intents: 0 },
  );
}

export function rolePayload(role: Role): Record<string, unknown> {
  return {
    id: role.id,
    name: role.name,
    permissions: role.permissions.toString(),
    color: role.color,
    colors: { primary_color: role.color, secondary_color: null, tertiary_color: null },
    position: role.position,
    hoist: false,
    managed: role.managed,
    mentionable: role.mentionable,
    flags: 0,
  };
}

export function memberPayload(world: World, member: Member): Record<string, unknown> {
  return { user: userPayload(world, member.userId), ...memberWithoutUser(member) };
}

export function memberWithoutUser(member: Member): Record<string, unknown> {
  return {
    nick: member.nick,
    avatar: null,
    banner: null,
    roles: [...member.roleIds],
    joined_at: new Date(member.joinedAtMs).toISOString(),
    premium_since: null,
    deaf: false,
    mute: false,
    flags: 0,
    pending: false,
    communication_disabled_until:
      member.timedOutUntilMs === null ? null : new Date(member.timedOutUntilMs).toISOString(),
  };
}

export function guildPayload(guild: Guild): Record<string, unknown> {
  return {
    id: guild.id,
    name: guild.name,
    icon: null,
    owner_id: guild.ownerId,
    afk_timeout: 300,
    afk_channel_id: null,
    verification_level: 0,
    default_message_notifications: 1,
    explicit_content_filter: 0,
    roles: [...guild.roles.values()].map(rolePayload),
    emojis: [],
    stickers: [],
    features: ['COMMUNITY'],
    mfa_level: 0,
    system_channel_id: null,
    system_channel_flags: 0,
    rules_channel_id: null,
    public_updates_channel_id: null,
    premium_tier: 0,
    premium_subscription_count: 0,
    preferred_locale: guild.locale,
    nsfw_level: 0,
    premium_progress_bar_enabled: false,
    vanity_url_code: null,
    description: null,
    banner: null,
    splash: null,
    discovery_splash: null,
    application_id: null,
    widget_enabled: false,
  };
}

/** Discord sends all channels, and of the members of a large guild only the bot itself. */
export function guildCreatePayload(world: World, guild: Guild): Record<string, unknown> {
  const bot = guild.members.get(world.application.botId);
  const channels = [...world.channels.values()].filter((channel) => channel.guildId === guild.id);
  const threads = channels.filter(
    (channel) =>
      channel.thread?.archived === false && mayView(world, channel, world.application.botId),
  );
  return {
    ...guildPayload(guild),
    joined_at: new Date(bot?.joinedAtMs ?? world.clock.now()).toISOString(),
    large: guild.members.size > 50,
    unavailable: false,
    member_count: guild.members.size,
    members: bot === undefined ? [] : [memberPayload(world, bot)],
    channels: channels
      .filter((channel) => !isThread(channel))
      .map((channel) => channelPayload(channel)),
    threads: threads.map((thread) => channelPayload(thread)),
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    soundboard_sounds: [],
  };
}
