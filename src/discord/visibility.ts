import {
  type ApplicationCommandOptionAllowedChannelType,
  ChannelType,
  type Client,
  Events,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type NonThreadGuildBasedChannel,
  type PermissionsString,
} from 'discord.js';
import { ensureListed, setListed } from '../ranking/articles/groups.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { TaskQueue } from './requests/tasks.ts';

/** The channels that are groups, or whose threads belong to them. */
export const groupTypes = [
  ChannelType.GuildText,
  ChannelType.GuildAnnouncement,
  ChannelType.GuildVoice,
  ChannelType.GuildStageVoice,
  ChannelType.GuildForum,
  ChannelType.GuildMedia,
] as const;

/**
 * The types that a select for a group offers. Media channels are in Discord's preview alone, and one
 * type that Discord does not know would fail all commands.
 */
export const groupSelectTypes: ApplicationCommandOptionAllowedChannelType[] = groupTypes.filter(
  (type) => type !== ChannelType.GuildMedia,
);

/** The types that an option for a group offers: a thread means its parent. */
export const groupOptionTypes: ApplicationCommandOptionAllowedChannelType[] = [
  ...groupSelectTypes,
  ChannelType.PublicThread,
  ChannelType.AnnouncementThread,
];

/** The group that a channel is, or that a thread or forum post belongs to. */
export function groupOf(channel: GuildBasedChannel): NonThreadGuildBasedChannel | null {
  const group = channel.isThread() ? channel.parent : channel;
  return group && (groupTypes as readonly ChannelType[]).includes(group.type) ? group : null;
}

/** Whether its articles stand in lists for the whole guild: all may view it, and it is not age-restricted. */
export function isListed(group: NonThreadGuildBasedChannel): boolean {
  if ('nsfw' in group && group.nsfw) return false;
  return group.permissionsFor(group.guild.roles.everyone).has(viewing(group));
}

/** An unknown channel is one that nobody may view. */
export function mayView(member: GuildMember, channelId: string): boolean {
  const channel = member.guild.channels.cache.get(channelId);
  return channel?.permissionsFor(member).has(viewing(channel)) ?? false;
}

/** What reading a channel asks for: in voice and stage channels Connect as well. */
function viewing(channel: GuildBasedChannel): PermissionsString[] {
  return channel.isVoiceBased() ? ['ViewChannel', 'Connect'] : ['ViewChannel'];
}

/**
 * Keeps the guild's lists in step with who may view the home channels.
 * Changes while the bot was away are found when the guild appears.
 */
export function followVisibility(client: Client, ranking: Ranking, tasks: TaskQueue): void {
  const follow = (channel: GuildBasedChannel, list = setListed): void => {
    if (channel.isThread() || groupOf(channel) !== channel) return;
    const { id, guild } = channel;
    tasks.add(`visibility of ${id}`, () =>
      list(ranking, { guild: guild.id, home: id, listed: isListed(channel) }),
    );
  };
  const followAll = ({ channels }: Guild): void => {
    for (const channel of channels.cache.values()) follow(channel, ensureListed);
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
