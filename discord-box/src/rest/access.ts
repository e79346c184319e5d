import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import type { Context } from 'hono';
import { channelInPast } from '../world/messages/past.ts';
import type { Channel } from '../model/channel.ts';
import type { Guild, Role } from '../model/guild.ts';
import type { Message } from '../model/message.ts';
import type { World } from '../model/world.ts';
import { guildPermissions, may, mayRead, mayView } from '../world/permissions.ts';
import { archiveIfIdle } from '../world/messages/threads.ts';
import { refuse } from './errors.ts';

/** What the bot can reach, refused as Discord refuses it. */

export function reachGuild(world: World, id: string): Guild {
  const guild = world.guilds.get(id);
  if (guild === undefined || guild.unavailable || !guild.members.has(world.application.botId)) {
    throw refuse('unknownGuild');
  }
  return guild;
}

/** The position of a member's highest role. */
export function highestRole(guild: Guild, userId: string): number {
  const ids = [...(guild.members.get(userId)?.roleIds ?? [])];
  return Math.max(0, ...ids.map((id) => guild.roles.get(id)?.position ?? 0));
}

/** The bot moderates those alone whose highest role is below its own, and never the owner. */
export function needAbove(world: World, guild: Guild, { userId }: { userId: string }): void {
  if (!isBelow(world, guild, userId)) throw refuse('missingPermissions');
}

export function isBelow(world: World, guild: Guild, userId: string): boolean {
  const { botId } = world.application;
  if (guild.ownerId === botId) return true;
  return guild.ownerId !== userId && highestRole(guild, userId) < highestRole(guild, botId);
}

/** A role that the bot may give, take and change: one that stands below its own highest. */
export function reachLowerRole(world: World, guild: Guild, id: string): Role {
  needGuildPermission(world, guild, P.ManageRoles);
  const role = guild.roles.get(id);
  if (role === undefined) throw refuse('unknownRole');
  if (role.managed || role.position >= highestRole(guild, world.application.botId)) {
    throw refuse('missingPermissions');
  }
  return role;
}

/** A channel that exists in a guild of the bot and that it may view; else 10003 or 50001. */
export function reachChannel(world: World, id: string): Channel {
  const channel = world.channels.get(id);
  if (channel === undefined) throw refuse('unknownChannel');
  if (channel.guildId === null) return channel;
  archiveIfIdle(world, channel);
  const guild = world.guilds.get(channel.guildId);
  if (guild === undefined || guild.unavailable) throw refuse('unknownChannel');
  if (!mayView(world, channel, world.application.botId)) throw refuse('missingAccess');
  return channel;
}

/** A channel whose messages the bot may read; else 10003 or 50001. */
export function reachMessages(world: World, id: string): Channel {
  const channel = reachChannel(world, id);
  const { botId } = world.application;
  if (channel.guildId !== null && !mayRead(world, channel, botId)) throw refuse('missingAccess');
  return channel;
}

export function needPermission(world: World, channel: Channel, wanted: bigint): void {
  if (!may(world, channel, world.application.botId, wanted)) throw refuse('missingPermissions');
  needTwoFactors(world, world.guilds.get(channel.guildId ?? ''), wanted);
}

export function needGuildPermission(world: World, guild: Guild, wanted: bigint): void {
  const permissions = guildPermissions(world, guild, world.application.botId);
  if ((permissions & wanted) !== wanted) throw refuse('missingPermissions');
  needTwoFactors(world, guild, wanted);
}

/** What a guild that demands two factors gives to nobody whose owner signs in without them. */
const ELEVATED =
  P.KickMembers |
  P.BanMembers |
  P.Administrator |
  P.ManageChannels |
  P.ManageGuild |
  P.ManageMessages |
  P.ManageRoles |
  P.ManageWebhooks |
  P.ManageGuildExpressions |
  P.ManageThreads;

function needTwoFactors(world: World, guild: Guild | undefined, wanted: bigint): void {
  if (guild?.demandsTwoFactors !== true || world.application.ownerHasTwoFactors) return;
  if ((wanted & ELEVATED) !== 0n) throw refuse('twoFactorsNeeded');
}

export function mayReadHistory(world: World, channel: Channel): boolean {
  return may(world, channel, world.application.botId, P.ReadMessageHistory);
}

/** A message in a channel that the bot reads; an ephemeral one is not found this way. */
export function reachMessage(channel: Channel, id: string): Message {
  const message = channel.messages.get(id);
  if (message === undefined || message.onlyFor !== null) throw refuse('unknownMessage');
  return message;
}

/** The channel as this response shows it: a moment ago, if a fault makes it lag behind the gateway. */
export function asRead(context: Context, channel: Channel): Channel {
  const staleMs = context.get('staleMs') as number | undefined;
  return staleMs === undefined ? channel : channelInPast(channel, staleMs);
}

/** How many of who reacted a page may show, by a fault. */
export function reactorsAtMost(context: Context): number {
  return (context.get('reactorsAtMost') as number | undefined) ?? Infinity;
}

export function refuseArchived(channel: Channel): void {
  if (channel.thread?.archived === true) throw refuse('threadArchived');
}

/** Without Manage Threads, nothing is written or changed in a locked thread. */
export function refuseLocked(world: World, channel: Channel): void {
  if (channel.thread?.locked !== true) return;
  if (!may(world, channel, world.application.botId, P.ManageThreads)) throw refuse('threadLocked');
}
