import {
  type ApplicationCommandOptionAllowedChannelType,
  ChannelType,
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type NonThreadGuildBasedChannel,
} from 'discord.js';
import { setListed } from '../../ranking/articles/groups.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import { cleanLine } from '../../text/clean.ts';
import { viewPermissions } from './permissions.ts';
import type { TaskQueue } from '../requests/tasks.ts';
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
 * Whether a group's articles are in the guild-wide lists: everyone may view it, and it is not
 * age-restricted. False for an unknown channel, and for a thread, which is no group.
 */
export function isListed(group: GuildBasedChannel | undefined): boolean {
  if (!group || group.isThread() || ('nsfw' in group && group.nsfw)) return false;
  return group.permissionsFor(group.guild.roles.everyone).has(viewPermissions(group));
}

/** False for an unknown channel. */
export function mayView(member: GuildMember, channelId: string): boolean {
  const channel = member.guild.channels.cache.get(channelId);
  return channel?.permissionsFor(member).has(viewPermissions(channel)) ?? false;
}

/**
 * Updates the guild's lists when the visibility of a home channel changes.
 * Changes during downtime are found when the guild appears.
 */
export function followVisibility(client: Client, ranking: Ranking, tasks: TaskQueue): void {
  const follow = (channel: GuildBasedChannel): void => {
    if (groupOf(channel) !== channel) return;
    const { id, guild } = channel;
    tasks.add(`visibility of ${id}`, () =>
      setListed(ranking, { guild: guild.id, home: id, listed: isListed(channel) }),
    );
  };
  const followAll = ({ channels }: Guild): void => {
    for (const channel of channels.cache.values()) follow(channel);
  };
  client.on(Events.GuildAvailable, followAll);
  client.on(Events.GuildCreate, followAll);
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) follow(channel);
  });
  client.on(Events.GuildRoleUpdate, (_, role) => {
    if (role.id === role.guild.id) followAll(role.guild);
  });
}

/**
 * A guild's public data: its name, locale and listed groups. Null for a guild that this process does
 * not serve.
 */
export function communityOf(client: Client, id: Snowflake) {
  const guild = client.guilds.cache.get(id);
  if (!guild?.available) return null;
  const ordered = groupsOf(guild)
    .filter(isListed)
    .sort((a, b) => positionOf(a) - positionOf(b));
  return {
    name: cleanLine(guild.name, limits.nameLength) || guild.id,
    locale: guild.preferredLocale,
    groups: ordered.map((group) => ({ id: group.id, name: groupName(group) })),
  };
}

/** Discord's order: channels without a category first, then by category and position. */
function positionOf(channel: NonThreadGuildBasedChannel): number {
  const category = channel.parent === null ? -1 : channel.parent.rawPosition;
  return category * 1000 + ('rawPosition' in channel ? channel.rawPosition : 0);
}
