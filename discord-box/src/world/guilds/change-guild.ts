import { GatewayIntentBits, PermissionFlagsBits } from 'discord-api-types/v10';
import { tellVisibility } from '../channels/tell-visibility.ts';
import type { Guild, Role } from '../../model/guild.ts';
import type { World } from '../../model/world.ts';
import type { Snowflake } from '../../model/snowflakes.ts';
import { addMember } from './change-member.ts';
import { emojiPayload, guildCreatePayload, guildPayload, rolePayload } from './guild-payload.ts';

/** What a new server gives @everyone, as far as it matters here. */
const EVERYONE_PERMISSIONS =
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
  PermissionFlagsBits.Connect |
  PermissionFlagsBits.Speak |
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
    bans: new Map(),
    auditLog: [],
    unavailable: false,
    demandsTwoFactors: false,
    emojis: new Map(),
    stickers: new Map(),
    sounds: new Map(),
    widget: { enabled: false, channelId: null },
    onboarding: { prompts: [], default_channel_ids: [], enabled: false, mode: 0 },
    welcomeScreen: { enabled: false, description: null, welcome_channels: [] },
    voiceStates: new Map(),
    stages: new Map(),
    events: new Map(),
    blockedWords: [],
    rules: new Map(),
  };
  world.guilds.set(id, created);
  addRole(world, created, { id, name: '@everyone', permissions: EVERYONE_PERMISSIONS });
  addMember(world, created, guild.ownerId);
  return created;
}

/** A new role stands at the bottom, just above @everyone; all others move up. */
export function addRole(
  world: World,
  guild: Guild,
  role: Partial<Role> & { name: string; permissions: bigint },
): Role {
  const isFirst = guild.roles.size === 0;
  const added: Role = {
    id: world.snowflake(),
    color: 0,
    position: isFirst ? 0 : 1,
    managed: false,
    mentionable: false,
    hoist: false,
    ...role,
  };
  for (const other of guild.roles.values()) {
    if (other.position < added.position || isFirst || other.id === guild.id) continue;
    other.position += 1;
    emitRole(world, guild, 'GUILD_ROLE_UPDATE', other);
  }
  guild.roles.set(added.id, added);
  emitRole(world, guild, 'GUILD_ROLE_CREATE', added);
  return added;
}

export function changeRole(world: World, guild: Guild, role: Role, change: Partial<Role>): void {
  tellVisibility(world, guild.id, () => {
    Object.assign(role, change);
    emitRole(world, guild, 'GUILD_ROLE_UPDATE', role);
  });
}

/** Moves one role to a position; those between move by one. */
export function moveRole(world: World, guild: Guild, role: Role, position: number): void {
  const others = [...guild.roles.values()]
    .filter((one) => one.id !== guild.id && one.id !== role.id)
    .sort((a, b) => a.position - b.position);
  others.splice(Math.max(0, position - 1), 0, role);
  others.forEach((one, at) => {
    if (one.position === at + 1) return;
    one.position = at + 1;
    emitRole(world, guild, 'GUILD_ROLE_UPDATE', one);
  });
}

/** Its members lose it; Discord sends no event for each of them. */
export function deleteRole(world: World, guild: Guild, role: Role): void {
  tellVisibility(world, guild.id, () => {
    guild.roles.delete(role.id);
    for (const member of guild.members.values()) member.roleIds.delete(role.id);
    world.changes.emit({
      t: 'GUILD_ROLE_DELETE',
      d: { guild_id: guild.id, role_id: role.id },
      guildId: guild.id,
      intents: GatewayIntentBits.Guilds,
    });
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

/** The guild has one more emoji, or one less. */
export function changeEmojis(world: World, guild: Guild, change: () => void): void {
  change();
  world.changes.emit({
    t: 'GUILD_EMOJIS_UPDATE',
    d: { guild_id: guild.id, emojis: [...guild.emojis.values()].map(emojiPayload) },
    guildId: guild.id,
    intents: GatewayIntentBits.GuildExpressions,
  });
}

/** What its owner sets, such as whether it demands two factors of its moderators. */
export function changeGuild(
  world: World,
  guild: Guild,
  change: Partial<
    Pick<
      Guild,
      | 'name'
      | 'ownerId'
      | 'locale'
      | 'demandsTwoFactors'
      | 'systemChannelId'
      | 'publicUpdatesChannelId'
    >
  >,
): void {
  Object.assign(guild, change);
  world.changes.emit({
    t: 'GUILD_UPDATE',
    d: guildPayload(guild),
    guildId: guild.id,
    intents: GatewayIntentBits.Guilds,
  });
}

/** An outage begins or ends. The bot stays a member. */
export function setUnavailable(world: World, guild: Guild, unavailable: boolean): void {
  if (guild.unavailable === unavailable) return;
  guild.unavailable = unavailable;
  const intents = GatewayIntentBits.Guilds;
  world.changes.emit(
    unavailable
      ? { t: 'GUILD_DELETE', d: { id: guild.id, unavailable: true }, guildId: guild.id, intents }
      : { t: 'GUILD_CREATE', d: guildCreatePayload(world, guild), guildId: guild.id, intents },
  );
}
