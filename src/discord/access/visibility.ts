import {
  type ApplicationCommandOptionAllowedChannelType,
  ChannelFlags,
  ChannelType,
  type Client,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  type NonThreadGuildBasedChannel,
  type Role,
} from 'discord.js';
import { cleanLine } from '../../text/clean.ts';
import { UserError } from '../user-error.ts';
import { permissionsIn, requirePermissions, viewPermissions } from './permissions.ts';
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

/**
 * The home of an article whose message stands in a channel; null: none may stand there. Everybody who may view the
 * home sees its articles, so a private thread holds none.
 */
export function homeIn(channel: GuildBasedChannel): NonThreadGuildBasedChannel | null {
  return homeInType(channel.type, channel.isThread() ? channel.parent : channel);
}

/** The same, of a channel of this type that is its group itself, or a thread of it. */
export function homeInType(
  type: ChannelType,
  group: GuildBasedChannel | null | undefined,
): NonThreadGuildBasedChannel | null {
  if (!group || group.isThread() || type === ChannelType.PrivateThread) return null;
  return groupOf(group);
}

/** The channels that are groups. Forums are among them, but hold no messages of their own. */
export function groupsOf(guild: Guild): NonThreadGuildBasedChannel[] {
  return [...guild.channels.cache.values()].filter(
    (channel): channel is NonThreadGuildBasedChannel => groupOf(channel) === channel,
  );
}

/**
 * A group's name in lists. A channel's name can consist of invisible characters only, and Discord hides that of
 * one that the bot may not view.
 */
export function groupName({ name, id, flags }: GuildBasedChannel): string {
  if (flags.has(ChannelFlags.ChannelObfuscated)) return id;
  return cleanLine(name, limits.nameLength) || id;
}

/** Who counts as everybody in a guild. `role`: null for @everyone. */
export type Everybody = { role: Snowflake | null; seesAgeRestricted: boolean };

const EVERYONE: Everybody = { role: null, seesAgeRestricted: false };
const deciders = new WeakMap<Client, (guild: Snowflake) => Everybody>();

/** Says who counts as everybody in the guilds of a client. Until then, and where it is unknown, @everyone does. */
export function decideEverybody(client: Client, decide: (guild: Snowflake) => Everybody): void {
  deciders.set(client, decide);
}

/**
 * Whether a group's articles are in the guild-wide lists: everybody here may view it without a step in between,
 * so it is no spoiler channel, which members opt in to view, and not age-restricted, unless the guild counts
 * these as well. False for an unknown channel, and for a thread, which is no group.
 */
export function isListed(group: GuildBasedChannel | undefined): boolean {
  return group !== undefined && isOpenTo(group, everybodyIn(group.guild));
}

/**
 * The lists that hold together what a member may view: the guild's, null, of what everybody may view, and of each
 * other channel its own.
 */
export function listsFor(member: GuildMember): (Snowflake | null)[] {
  const closed = groupsOf(member.guild).filter(
    (group) => !isListed(group) && mayView(member, group.id),
  );
  return [null, ...closed.map(({ id }) => id)];
}

/** Whether anybody who joins may view a group as above: what the pages on the web show. */
export function isPublic(group: GuildBasedChannel | undefined): boolean {
  return group !== undefined && isOpenTo(group, EVERYONE);
}

function everybodyIn({ client, id }: Guild): Everybody {
  return deciders.get(client)?.(id) ?? EVERYONE;
}

function isOpenTo(group: GuildBasedChannel, { role, seesAgeRestricted }: Everybody): boolean {
  if (group.isThread()) return false;
  if (!seesAgeRestricted && 'nsfw' in group && group.nsfw) return false;
  if (group.flags.has(ChannelFlags.IsSpoilerChannel)) return false;
  const { roles } = group.guild;
  // A role that was deleted is nobody's.
  const everybody = roles.cache.get(role ?? '') ?? roles.everyone;
  return group.permissionsFor(everybody).has(viewPermissions(group));
}

/** Why the guild-wide lists of these groups stay empty, and who would open most of them; null if they do not. */
export type Closed = { why: 'age' } | { why: 'role'; proposed: Role | null };

export function closedFor(groups: readonly NonThreadGuildBasedChannel[]): Closed | null {
  const [first] = groups;
  if (first === undefined || !areUnlisted(groups)) return null;
  const { guild } = first;
  const opened = (everybody: Everybody) =>
    groups.filter((group) => isOpenTo(group, everybody)).length;
  const { role } = everybodyIn(guild);
  if (opened({ role, seesAgeRestricted: true }) > 0) return { why: 'age' };
  // Bots have roles of their own, and who manages the server sees more than others.
  const roles = [...guild.roles.cache.values()].filter(
    (one) => !one.managed && one.id !== guild.id && !one.permissions.has('ManageGuild'),
  );
  const [most] = roles
    .map((one) => ({ one, count: opened({ role: one.id, seesAgeRestricted: true }) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || a.one.position - b.one.position);
  return { why: 'role', proposed: most?.one ?? null };
}

/** Whether the guild-wide lists stay empty, though there are channels that could hold articles. */
export function areUnlisted(groups: readonly NonThreadGuildBasedChannel[]): boolean {
  return groups.length > 0 && !groups.some(isListed);
}

/** Whether they stay empty for a member who may view such channels. */
export function seesMoreThanLists(member: GuildMember): boolean {
  return areUnlisted(groupsOf(member.guild).filter(({ id }) => mayView(member, id)));
}

/** Answers `isListed`, or another question, for channels by their ids. A guild of another process is believed to be listed. */
export function listedIn(
  { guilds }: Client,
  holds: (group: GuildBasedChannel | undefined) => boolean = isListed,
): (guild: Snowflake, home: Snowflake) => boolean {
  return (guild, home) => {
    const of = guilds.cache.get(guild);
    return of === undefined || holds(of.channels.cache.get(home));
  };
}

/** Whether somebody else than @everyone counts as everybody in a guild, so that its lists hold more than its pages. */
export function isGated(client: Client, guild: Snowflake): boolean {
  const { role, seesAgeRestricted } = deciders.get(client)?.(guild) ?? EVERYONE;
  return role !== null || seesAgeRestricted;
}

/**
 * False for an unknown channel, and for a thread of one. Of a channel that the bot may not view Discord says no
 * more than that it is there, so that only administrators are known to view it.
 */
export function mayView(member: GuildMember, channelId: string): boolean {
  const channel = member.guild.channels.cache.get(channelId);
  return (
    channel !== undefined && permissionsIn(channel, member)?.has(viewPermissions(channel)) === true
  );
}

/**
 * Throws `channel.unknown` unless the member may view the channel, or names what the bot lacks to see whether
 * they do.
 */
export function requireView(member: GuildMember, channelId: string): void {
  if (mayView(member, channelId)) return;
  const channel = member.guild.channels.cache.get(channelId);
  if (channel !== undefined) requirePermissions(channel, ['ViewChannel']);
  throw new UserError('channel.unknown');
}

/**
 * A guild's public data: its name, locale and public groups. Null for a guild that this process does
 * not serve.
 */
export function communityOf(client: Client, id: Snowflake) {
  const guild = client.guilds.cache.get(id);
  if (!guild?.available) return null;
  const groups = groupsOf(guild);
  const listed = new Set(groups.filter(isPublic));
  const ordered = [...listed].sort((a, b) => positionOf(a) - positionOf(b));
  return {
    name: cleanLine(guild.name, limits.nameLength) || guild.id,
    locale: guild.preferredLocale,
    icon: guild.icon,
    groups: ordered.map((group) => ({ id: group.id, name: groupName(group) })),
    hidden: groups.filter((group) => !listed.has(group)).map(({ id }) => id),
  };
}

/** Discord's order: channels without a category first, then by category and position. */
function positionOf(channel: NonThreadGuildBasedChannel): number {
  const category = channel.parent === null ? -1 : channel.parent.rawPosition;
  return category * 1000 + ('rawPosition' in channel ? channel.rawPosition : 0);
}
