import {
  AuditLogEvent,
  ChannelType,
  GuildScheduledEventEntityType,
  GuildScheduledEventStatus,
  PermissionFlagsBits,
  StickerFormatType,
} from 'discord-api-types/v10';
import {
  changeChannel,
  createChannel,
  deleteChannel,
  setOverwrite,
} from '../world/channels/change-channel.ts';
import {
  addRole,
  changeEmojis,
  changeGuild,
  createGuild,
  changeRole,
  deleteRole,
  moveRole,
  setUnavailable,
} from '../world/guilds/change-guild.ts';
import { addEvent } from '../world/guilds/scheduled-events.ts';
import { changeStickers } from '../world/guilds/stickers.ts';
import { noteInAuditLog } from '../world/guilds/audit-log.ts';
import { addMember, ban, changeMember, removeMember } from '../world/guilds/change-member.ts';
import { createMessage, deleteMessages } from '../world/messages/change-message.ts';
import { setCommandPermissions } from '../world/interactions/stored-commands.ts';
import { parseEmoji } from '../forms/emoji.ts';
import { addReaction, removeAllReactions, removeEmoji } from '../world/messages/reactions.ts';
import type { Channel } from '../model/channel.ts';
import type { CommandPermission, Guild, Role } from '../model/guild.ts';
import type { World } from '../model/world.ts';
import type { Snowflake } from '../model/snowflakes.ts';
import { addUser } from '../world/users.ts';
import { useInvite } from '../world/guilds/invites.ts';

export type PermissionName = keyof typeof PermissionFlagsBits;
/** Without a guild, the first one is meant. */
type InGuild = { guild?: Snowflake | undefined };

type Moderation = InGuild & {
  member: Snowflake;
  by?: Snowflake | undefined;
  reason?: string | undefined;
};

/** What an owner, other bots or Discord itself do: no member's permissions are asked. */
export type Operator = {
  /** Another server, with a #general, that the bot is a member of. */
  createGuild(guild: {
    name: string;
    /** A new person by default. */
    owner?: Snowflake | undefined;
    /** Made at this time, from which its shard follows. */
    bornMs?: number | undefined;
    /** When the bot joined it (ms). Now by default. */
    joinedMs?: number | undefined;
  }): { guild: Snowflake; general: Snowflake; owner: Snowflake };
  createChannel(
    channel: InGuild & {
      name: string;
      kind?: keyof typeof KINDS | undefined;
      parent?: Snowflake | undefined;
      ageRestricted?: boolean | undefined;
      spoiler?: boolean | undefined;
    },
  ): Channel;
  renameChannel(change: { channel: Snowflake; name: string }): void;
  /** Whether members are asked for their age, or opt in, before they see it. */
  restrictChannel(change: {
    channel: Snowflake;
    ageRestricted?: boolean | undefined;
    spoiler?: boolean | undefined;
  }): void;
  deleteChannel(target: { channel: Snowflake }): void;
  archiveThread(change: {
    channel: Snowflake;
    archived: boolean;
    locked?: boolean | undefined;
  }): void;
  /** What a role or a member (`bot` and `everyone` by name) is allowed and denied in a channel. */
  setPermissions(change: {
    channel: Snowflake;
    who: Snowflake;
    allow?: readonly PermissionName[] | undefined;
    deny?: readonly PermissionName[] | undefined;
  }): void;
  /** The permissions of the bot's own role. */
  setBotPermissions(change: InGuild & { permissions: readonly PermissionName[] }): void;
  /** A message of anybody, whatever their permissions, at any time: what was there before the bot. */
  say(message: {
    channel: Snowflake;
    author: Snowflake;
    content: string;
    atMs?: number | undefined;
  }): Snowflake;
  /** Anybody reacts, whatever their permissions. */
  react(reaction: {
    channel: Snowflake;
    message: Snowflake;
    member: Snowflake;
    emoji: string;
    burst?: boolean | undefined;
  }): void;
  deleteMessages(target: { channel: Snowflake; messages: Snowflake[] }): void;
  /** All reactions, or those of one emoji. */
  clearReactions(target: {
    channel: Snowflake;
    message: Snowflake;
    emoji?: string | undefined;
  }): void;
  addPerson(
    person: InGuild & {
      username: string;
      name?: string | undefined;
      bot?: boolean | undefined;
      locale?: string | undefined;
      /** Made at this time: how old the account is. */
      bornMs?: number | undefined;
      /** The code of the invite that brings the person here. */
      invite?: string | undefined;
    },
  ): Snowflake;
  /** The permissions of @everyone, by the guild's id, or of another role. */
  setRolePermissions(
    change: InGuild & { role: Snowflake; permissions: readonly PermissionName[] },
  ): void;
  addRole(
    role: InGuild & { name: string; permissions?: readonly PermissionName[] | undefined },
  ): Snowflake;
  /** Above or below others: 1 is the lowest. A new role stands there, and so below the bot's own. */
  moveRole(change: InGuild & { role: Snowflake; position: number }): void;
  /** Members lose it silently, as on Discord. */
  deleteRole(target: InGuild & { role: Snowflake }): void;
  /** One that is there already, or a new one above all others with these permissions. */
  giveRole(
    change: InGuild & { member: Snowflake } & (
        | { permissions: readonly PermissionName[] }
        | { role: Snowflake }
      ),
  ): void;
  /** A member leaves. */
  removeMember(target: InGuild & { member: Snowflake }): void;
  /** Somebody is kicked or banned by somebody, the owner by default: the audit log tells. */
  kick(act: Moderation): void;
  ban(act: Moderation): void;
  kickBot(target: InGuild): void;
  inviteBot(target: InGuild): void;
  setOutage(change: InGuild & { outage: boolean }): void;
  /** Until then, the member, by default the bot, may only look and read; null ends it. */
  timeOut(change: InGuild & { member?: Snowflake | undefined; untilMs: number | null }): void;
  /** Whether the guild demands two factors of its moderators, and whether the bot's owner has them. */
  setTwoFactors(change: InGuild & { demanded: boolean; ownerHasThem: boolean }): void;
  /** The guild's automatic moderation holds back messages with these, such as `casino` or `*bet*`. */
  blockWords(change: InGuild & { words: string[] }): void;
  /** What the guild's admins allow of one of the bot's commands, by its id, or of all by the application's. */
  setCommandPermissions(
    change: InGuild & { command: Snowflake; permissions: CommandPermission[] },
  ): void;
  addSticker(sticker: InGuild & { name: string; by?: Snowflake | undefined }): Snowflake;
  /** An event that somebody, the owner by default, has announced: in a channel or at a place. */
  addEvent(
    event: InGuild & {
      name: string;
      startsAtMs: number;
      endsAtMs?: number | undefined;
      channel?: Snowflake | undefined;
      place?: string | undefined;
      by?: Snowflake | undefined;
    },
  ): Snowflake;
  /** `roles`: only their members have it. */
  addEmoji(
    emoji: InGuild & {
      name: string;
      animated?: boolean | undefined;
      roles?: readonly Snowflake[] | undefined;
    },
  ): Snowflake;
  /** Limits one to roles, as its owner does; takes it away as a lost boost does, or gives it back; deletes it. */
  changeEmoji(
    change: InGuild & {
      emoji: Snowflake;
      roles?: readonly Snowflake[] | undefined;
      isAvailable?: boolean | undefined;
      isDeleted?: boolean | undefined;
    },
  ): void;
  /** Whether a member takes direct messages from the bot. */
  closeDirectMessages(change: { member: Snowflake; closed: boolean }): void;
};

const KINDS = {
  text: ChannelType.GuildText,
  forum: ChannelType.GuildForum,
  category: ChannelType.GuildCategory,
  announcement: ChannelType.GuildAnnouncement,
  voice: ChannelType.GuildVoice,
  stage: ChannelType.GuildStageVoice,
};

export function operate(world: World): Operator {
  const { botId, botPermissions } = world.application;
  const guildOf = ({ guild }: InGuild): Guild =>
    found(guild === undefined ? [...world.guilds.values()][0] : world.guilds.get(guild));
  const channelOf = (id: Snowflake): Channel => found(world.channels.get(id));

  return {
    createGuild: ({ name, owner, bornMs, joinedMs }) => {
      const ownerId = owner ?? addUser(world, { username: 'owner' }).id;
      const guild = createGuild(world, { name, ownerId, id: world.snowflake(bornMs) });
      const role = { name: world.application.name, managed: true, permissions: botPermissions };
      const { id: roleId } = addRole(world, guild, role);
      const general = createChannel(world, { guildId: guild.id, name: 'general' });
      const joined = joinedMs === undefined ? {} : { joinedAtMs: joinedMs };
      addMember(world, guild, botId, { roleIds: [roleId], ...joined });
      return { guild: guild.id, general: general.id, owner: ownerId };
    },
    createChannel: (channel) =>
      createChannel(world, {
        guildId: guildOf(channel).id,
        name: channel.name,
        type: KINDS[channel.kind ?? 'text'],
        parentId: channel.parent ?? null,
        ageRestricted: channel.ageRestricted ?? false,
        spoiler: channel.spoiler ?? false,
      }),
    renameChannel: ({ channel, name }) => changeChannel(world, channelOf(channel), { name }),
    restrictChannel: ({ channel: id, ageRestricted, spoiler }) => {
      const channel = channelOf(id);
      changeChannel(world, channel, {
        ageRestricted: ageRestricted ?? channel.ageRestricted,
        spoiler: spoiler ?? channel.spoiler,
      });
    },
    deleteChannel: ({ channel }) => deleteChannel(world, channelOf(channel)),
    archiveThread: ({ channel, archived, locked = false }) =>
      changeChannel(world, channelOf(channel), { thread: { archived, locked } }),
    setPermissions: ({ channel: id, who, allow = [], deny = [] }) => {
      const channel = channelOf(id);
      const named: Record<string, Snowflake | null> = { bot: botId, everyone: channel.guildId };
      const target = named[who] ?? who;
      const isRole = world.guilds.get(channel.guildId ?? '')?.roles.has(target) === true;
      const overwrite = { kind: isRole ? 'role' : 'member', allow: bits(allow), deny: bits(deny) };
      const empty = allow.length + deny.length === 0;
      setOverwrite(world, channel, target, empty ? null : (overwrite as never));
    },
    setBotPermissions: ({ permissions, ...where }) => {
      const guild = guildOf(where);
      changeRole(world, guild, botRole(guild), { permissions: bits(permissions) });
    },
    say: ({ channel, author, content, atMs }) =>
      createMessage(world, channelOf(channel), {
        authorId: author,
        content,
        ...(atMs === undefined ? {} : { id: world.snowflake(atMs) }),
      }).id,
    react: ({ channel: id, message: messageId, member, emoji, burst = false }) => {
      const channel = channelOf(id);
      const message = found(channel.messages.get(messageId));
      addReaction(world, channel, message, member, found(parseEmoji(emoji)), burst);
    },
    deleteMessages: ({ channel, messages }) =>
      void deleteMessages(world, channelOf(channel), messages),
    clearReactions: ({ channel: id, message: messageId, emoji }) => {
      const channel = channelOf(id);
      const message = found(channel.messages.get(messageId));
      if (emoji === undefined) removeAllReactions(world, channel, message);
      else removeEmoji(world, channel, message, found(parseEmoji(emoji)));
    },
    addPerson: ({ username, name, bot, locale, bornMs, invite, ...where }) => {
      const user = addUser(world, {
        id: world.snowflake(bornMs),
        username,
        ...(name === undefined ? {} : { globalName: name }),
        ...(bot === undefined ? {} : { bot }),
        ...(locale === undefined ? {} : { locale }),
      });
      const used = invite === undefined ? undefined : found(world.invites.get(invite));
      if (used !== undefined) useInvite(world, used);
      addMember(world, guildOf({ guild: used?.guildId, ...where }), user.id);
      return user.id;
    },
    addRole: ({ name, permissions = [], ...where }) =>
      addRole(world, guildOf(where), { name, permissions: bits(permissions) }).id,
    giveRole: ({ member: userId, ...rest }) => {
      const guild = guildOf(rest);
      const member = found(guild.members.get(userId));
      const role =
        'role' in rest
          ? found(guild.roles.get(rest.role))
          : addRole(world, guild, {
              name: 'role',
              permissions: bits(rest.permissions),
              position: guild.roles.size,
            });
      changeMember(world, guild, member, { roleIds: new Set([...member.roleIds, role.id]) });
    },
    setRolePermissions: ({ role, permissions, ...where }) => {
      const guild = guildOf(where);
      changeRole(world, guild, found(guild.roles.get(role)), { permissions: bits(permissions) });
    },
    moveRole: ({ role, position, ...where }) => {
      const guild = guildOf(where);
      moveRole(world, guild, found(guild.roles.get(role)), position);
    },
    deleteRole: ({ role, ...where }) => {
      const guild = guildOf(where);
      deleteRole(world, guild, found(guild.roles.get(role)));
    },
    kick: ({ member, by, reason, ...where }) => {
      const guild = guildOf(where);
      removeMember(world, guild, member);
      const action = AuditLogEvent.MemberKick;
      noteInAuditLog(world, guild, { action, byId: by ?? guild.ownerId, targetId: member, reason });
    },
    ban: ({ member, by, reason, ...where }) => {
      const guild = guildOf(where);
      ban(world, guild, member, reason ?? '');
      const action = AuditLogEvent.MemberBanAdd;
      noteInAuditLog(world, guild, { action, byId: by ?? guild.ownerId, targetId: member, reason });
    },
    removeMember: ({ member, ...where }) => removeMember(world, guildOf(where), member),
    kickBot: (where) => removeMember(world, guildOf(where), botId),
    inviteBot: (where) => {
      const guild = guildOf(where);
      addMember(world, guild, botId, { roleIds: [botRole(guild).id] });
    },
    setOutage: ({ outage, ...where }) => setUnavailable(world, guildOf(where), outage),
    timeOut: ({ member = botId, untilMs, ...where }) => {
      const guild = guildOf(where);
      changeMember(world, guild, found(guild.members.get(member)), { timedOutUntilMs: untilMs });
    },
    setTwoFactors: ({ demanded, ownerHasThem, ...where }) => {
      world.application.ownerHasTwoFactors = ownerHasThem;
      changeGuild(world, guildOf(where), { demandsTwoFactors: demanded });
    },
    blockWords: ({ words, ...where }) => {
      guildOf(where).blockedWords = words;
    },
    setCommandPermissions: ({ command, permissions, ...where }) =>
      setCommandPermissions(world, guildOf(where), command, permissions),
    addSticker: ({ name, by, ...where }) => {
      const guild = guildOf(where);
      const id = world.snowflake();
      const makerId = by ?? guild.ownerId;
      const sticker = { id, name, description: null, tags: '👋', makerId };
      const format = StickerFormatType.PNG;
      changeStickers(world, guild, () => guild.stickers.set(id, { ...sticker, format }));
      return id;
    },
    addEvent: ({ name, startsAtMs, endsAtMs, channel, place, by, ...where }) => {
      const guild = guildOf(where);
      const id = world.snowflake();
      const makerId = by ?? guild.ownerId;
      addEvent(world, guild, {
        id,
        name,
        makerId,
        description: null,
        startsAtMs,
        endsAtMs: endsAtMs ?? (channel === undefined ? startsAtMs + 3_600_000 : null),
        channelId: channel ?? null,
        location: channel === undefined ? (place ?? 'Somewhere') : null,
        kind:
          channel === undefined
            ? GuildScheduledEventEntityType.External
            : channelOf(channel).type === ChannelType.GuildStageVoice
              ? GuildScheduledEventEntityType.StageInstance
              : GuildScheduledEventEntityType.Voice,
        status: GuildScheduledEventStatus.Scheduled,
        recurrence: null,
        interestedIds: new Set([makerId]),
      });
      return id;
    },
    addEmoji: ({ name, animated = false, roles = [], ...where }) => {
      const guild = guildOf(where);
      const id = world.snowflake();
      const emoji = { id, name, animated, roleIds: roles };
      changeEmojis(world, guild, () => guild.emojis.set(id, emoji));
      return id;
    },
    changeEmoji: ({ emoji: id, roles, isAvailable, isDeleted = false, ...where }) => {
      const guild = guildOf(where);
      const emoji = found(guild.emojis.get(id));
      changeEmojis(world, guild, () => {
        if (roles !== undefined) emoji.roleIds = roles;
        if (isAvailable !== undefined) emoji.isUnavailable = !isAvailable;
        if (isDeleted) guild.emojis.delete(id);
      });
    },
    closeDirectMessages: ({ member, closed }) => {
      if (closed) world.closedToMessages.add(member);
      else world.closedToMessages.delete(member);
    },
  };
}

function botRole(guild: Guild): Role {
  return found([...guild.roles.values()].find((role) => role.managed));
}

function found<T>(thing: T | undefined): T {
  if (thing === undefined) throw new Error('There is no such thing in this Discord.');
  return thing;
}

function bits(names: readonly PermissionName[]): bigint {
  return names.reduce((all, name) => all | PermissionFlagsBits[name], 0n);
}
