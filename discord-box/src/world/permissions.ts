import { ChannelType, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { type Channel, isVoice } from '../model/channel.ts';
import type { Guild, Member } from '../model/guild.ts';
import type { World } from '../model/world.ts';
import type { Snowflake } from '../model/snowflakes.ts';

export const ALL_PERMISSIONS = Object.values(P).reduce((all, bit) => all | bit, 0n);

const IN_DIRECT_MESSAGES =
  P.ViewChannel |
  P.SendMessages |
  P.EmbedLinks |
  P.AttachFiles |
  P.ReadMessageHistory |
  P.AddReactions |
  P.UseExternalEmojis |
  P.UseApplicationCommands;

/** A member who may not send messages does not have these either, even if they are allowed. */
const WITHOUT_SENDING = P.MentionEveryone | P.SendTTSMessages | P.AttachFiles | P.EmbedLinks;
const WHILE_TIMED_OUT = P.ViewChannel | P.ReadMessageHistory;

/** What the roles alone give, without a channel's overwrites. 0 for someone who is not a member. */
export function guildPermissions(world: World, guild: Guild, userId: Snowflake): bigint {
  const member = guild.members.get(userId);
  if (member === undefined) return 0n;
  if (guild.ownerId === userId) return ALL_PERMISSIONS;
  let permissions = guild.roles.get(guild.id)?.permissions ?? 0n;
  for (const id of member.roleIds) permissions |= guild.roles.get(id)?.permissions ?? 0n;
  if ((permissions & P.Administrator) !== 0n) return ALL_PERMISSIONS;
  return mayOnlyRead(world, member) ? permissions & WHILE_TIMED_OUT : permissions;
}

/** Timed out, or quarantined by automatic moderation. */
function mayOnlyRead(
  { clock }: World,
  { timedOutUntilMs, isQuarantined }: Pick<Member, 'timedOutUntilMs' | 'isQuarantined'>,
): boolean {
  return isQuarantined !== false || (timedOutUntilMs !== null && timedOutUntilMs > clock.now());
}

/**
 * What a member may do in a channel: roles, then the channel's overwrites for @everyone, for the
 * roles and for the member, then what follows from not seeing or not sending.
 * A thread has its channel's overwrites.
 */
export function permissionsIn(world: World, channel: Channel, userId: Snowflake): bigint {
  if (channel.guildId === null) {
    return channel.recipientIds.includes(userId) ? IN_DIRECT_MESSAGES : 0n;
  }
  const guild = world.guilds.get(channel.guildId);
  const member = guild?.members.get(userId);
  if (guild === undefined || member === undefined) return 0n;
  const base = guildPermissions(world, guild, userId);
  if (base === ALL_PERMISSIONS) return base;
  const holder =
    channel.thread === null ? channel : world.channels.get(channel.parentId ?? channel.id);
  let permissions = holder === undefined ? 0n : overwritten(base, holder, guild, member);

  if (channel.type === ChannelType.PrivateThread) {
    const invited = channel.thread?.memberIds.has(userId) === true;
    if (!invited && (permissions & P.ManageThreads) === 0n) return 0n;
  }
  if ((permissions & P.ViewChannel) === 0n) return 0n;
  // Without Connect, all but its name is closed.
  if (isVoice(channel) && (permissions & P.Connect) === 0n) return P.ViewChannel;
  const sending = channel.thread === null ? P.SendMessages : P.SendMessagesInThreads;
  if ((permissions & sending) === 0n) permissions &= ~WITHOUT_SENDING;
  return mayOnlyRead(world, member) ? permissions & WHILE_TIMED_OUT : permissions;
}

function overwritten(
  base: bigint,
  channel: Channel,
  guild: Guild,
  member: { userId: Snowflake; roleIds: Set<Snowflake> },
): bigint {
  let permissions = base;
  const everyone = channel.overwrites.get(guild.id);
  if (everyone !== undefined) permissions = (permissions & ~everyone.deny) | everyone.allow;
  let allow = 0n;
  let deny = 0n;
  for (const id of member.roleIds) {
    allow |= channel.overwrites.get(id)?.allow ?? 0n;
    deny |= channel.overwrites.get(id)?.deny ?? 0n;
  }
  permissions = (permissions & ~deny) | allow;
  const own = channel.overwrites.get(member.userId);
  if (own !== undefined) permissions = (permissions & ~own.deny) | own.allow;
  return permissions;
}

export function may(world: World, channel: Channel, userId: Snowflake, wanted: bigint): boolean {
  return (permissionsIn(world, channel, userId) & wanted) === wanted;
}

export function mayView(world: World, channel: Channel, userId: Snowflake): boolean {
  return may(world, channel, userId, P.ViewChannel);
}

/** Whether a member may read the messages of a channel. */
export function mayRead(world: World, channel: Channel, userId: Snowflake): boolean {
  return may(world, channel, userId, isVoice(channel) ? P.ViewChannel | P.Connect : P.ViewChannel);
}

/** Sending in a thread is a permission of its own. */
export function maySend(world: World, channel: Channel, userId: Snowflake): boolean {
  const sending = channel.thread === null ? P.SendMessages : P.SendMessagesInThreads;
  return may(world, channel, userId, P.ViewChannel | sending);
}
