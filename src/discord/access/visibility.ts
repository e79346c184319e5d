import {
  type ApplicationCommandOptionAllowedChannelType,
  ChannelFlags,
  ChannelType,
  type Client,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type NonThreadGuildBasedChannel,
} from 'discord.js';
import { cleanLine } from '../../text/clean.ts';
import { permissionsIn, viewPermissions } from './permissions.ts';
import { limits } from '../limits.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** The types of channels that can be groups. A thread belongs to the group of its parent. */
export const GROUP_SELECT_TYPES: ApplicationCommandOptionAllowedChannelType[] = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
];

/**
 * Media channels are only in Discord's preview, and one type that Discord does not know would make the
 * deployment of all commands fail. So no select or option offers them.
 */
const GROUP_TYPES: readonly ChannelType[] = [...GROUP_SELECT_TYPES, ChannelType.GuildMedia];

/** The types that an option for a group offers: a thread means its parent. */
export const GROUP_OPTION_TYPES: ApplicationCommandOptionAllowedChannelType[] = [
  ...GROUP_SELECT_TYPES,
  ChannelType.PublicThread,
  ChannelType.AnnouncementThread,
];

/** The group of a channel: the channel itself, or the parent of a thread or forum post. */
export function groupOf(channel: GuildBasedChannel): NonThreadGuildBasedChannel | null {
  const group = channel.isThread() ? channel.parent : channel;
  return group && GROUP_TYPES.includes(group.type) ? group : null;
}

/** The channels that are groups. Forums are among them, but hold no messages of their own. */
export function groupsOf(guild: Guild): NonThreadGuildBasedChannel[] {
  return [...guild.channels.cache.values()].filter(
    (channel): channel is NonThreadGuildBasedChannel => groupOf(channel) === channel,
  );
}

/** A group's name in lists. A channel's name can consist of invisible characters only. */
export function groupName({ name, id }: Pick<GuildBasedChannel, 'name' | 'id'>): string {
  return cleanLine(name, limits.nameLength) || id;
}

/**
 * Whether a group's articles are in the guild-wide lists: everyone may view it without a step in between,
 * so it is neither age-restricted nor a spoiler channel, which members opt in to view. False for an
 * unknown channel, and for a thread, which is no group.
 */
export function isListed(group: GuildBasedChannel | undefined): boolean {
  if (!group || group.isThread() || ('nsfw' in group && group.nsfw)) return false;
  if (group.flags.has(ChannelFlags.IsSpoilerChannel)) return false;
  return group.permissionsFor(group.guild.roles.everyone).has(viewPermissions(group));
}

/** Answers `isListed` for channels by their ids. A guild of another process is believed to be listed. */
export function listedIn({ guilds }: Client): (guild: Snowflake, home: Snowflake) => boolean {
  return (guild, home) => {
    const of = guilds.cache.get(guild);
    return of === undefined || isListed(of.channels.cache.get(home));
  };
}

/** False for an unknown channel, and for a thread of one. */
export function mayView(member: GuildMember, channelId: string): boolean {
  const channel = member.guild.channels.cache.get(channelId);
  return (
    channel !== undefined && permissionsIn(channel, member)?.has(viewPermissions(channel)) === true
  );
}

/**
 * A guild's public data: its name, locale and listed groups. Null for a guild that this process does
 * not serve.
 */
export function communityOf(client: Client, id: Snowflake) {
  const guild = client.guilds.cache.get(id);
  if (!guild?.available) return null;
  const groups = groupsOf(guild);
  const ordered = groups.filter(isListed).sort((a, b) => positionOf(a) - positionOf(b));
  return {
    name: cleanLine(guild.name, limits.nameLength) || guild.id,
    locale: guild.preferredLocale,
    icon: guild.icon,
    groups: ordered.map((group) => ({ id: group.id, name: groupName(group) })),
    hidden: groups.filter((group) => !isListed(group)).map(({ id }) => id),
  };
}

/** Discord's order: channels without a category first, then by category and position. */
function positionOf(channel: NonThreadGuildBasedChannel): number {
  const category = channel.parent === null ? -1 : channel.parent.rawPosition;
  return category * 1000 + ('rawPosition' in channel ? channel.rawPosition : 0);
}
