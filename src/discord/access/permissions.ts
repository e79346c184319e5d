import {
  type BaseInteraction,
  type Guild,
  type GuildBasedChannel,
  type GuildMember,
  PermissionsBitField,
  type PermissionsString,
} from 'discord.js';
import { type Key, languageOf, translate } from '../../text/catalogue.ts';
import { UserError } from '../user-error.ts';
import { timedOutUntilMs } from './active-member.ts';

/** One that the catalogue names. */
export type Permission = {
  [Name in PermissionsString]: `permission.${Name}` extends Key ? Name : never;
}[PermissionsString];

export const NEEDED_PERMISSIONS: readonly Permission[] = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'AddReactions',
];

/** The permissions to write a message, such as a digest or a line of the log, in a text channel. */
export const MESSAGE_PERMISSIONS: readonly Permission[] = [
  'ViewChannel',
  'SendMessages',
  'EmbedLinks',
];

/** Permissions that improve single features. The invite asks only for the first. */
export const OPTIONAL_PERMISSIONS: readonly Permission[] = [
  'ManageMessages',
  'CreatePublicThreads',
  'MentionEveryone',
];

/**
 * Manage Messages is for removing reactions that do not count, so that members see only counted votes.
 * Connect is for the chat of voice and stage channels.
 */
export const INVITED: readonly Permission[] = [...NEEDED_PERMISSIONS, 'ManageMessages', 'Connect'];

export function inviteLink(applicationId: string): string {
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String(PermissionsBitField.resolve(INVITED)),
  });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
}

/** The permissions for reading a channel. Voice and stage channels also need Connect. */
export function viewPermissions(channel: GuildBasedChannel): Permission[] {
  return channel.isVoiceBased() ? ['ViewChannel', 'Connect'] : ['ViewChannel'];
}

/** What a member who is timed out keeps (docs). */
const KEPT_WHILE_TIMED_OUT: readonly Permission[] = ['ViewChannel', 'ReadMessageHistory'];

/** Guilds that demand 2FA of moderators and refused the bot, whose owner has none (60003). */
const refusedTwoFactor = new WeakSet<Guild>();

/** The end of the bot's last timeout that is over: Discord sends a time that has passed again and again. */
const endedTimeouts = new WeakMap<Guild, number>();

/** Call it when Discord refused to moderate without 2FA, and when it let the bot moderate. */
export function noteTwoFactor(guild: Guild | undefined, isRefused: boolean): void {
  if (guild === undefined) return;
  if (isRefused) refusedTwoFactor.add(guild);
  else refusedTwoFactor.delete(guild);
}

/** What takes permissions from the bot in a guild, whatever its roles say; null if nothing does. */
export function suspensionOf(
  guild: Guild,
): { reason: 'timeout'; untilMs: number } | { reason: 'two-factor' } | null {
  const { me } = guild.members;
  const untilMs = me ? timedOutUntilMs(me) : 0;
  if (untilMs > (endedTimeouts.get(guild) ?? 0)) return { reason: 'timeout', untilMs };
  return refusedTwoFactor.has(guild) ? { reason: 'two-factor' } : null;
}

/** Ends the bot's timeout if its time has passed, of which Discord tells nothing. Returns whether it did. */
export function endTimeout(guild: Guild, now: number): boolean {
  const suspension = suspensionOf(guild);
  if (suspension?.reason !== 'timeout' || suspension.untilMs > now) return false;
  endedTimeouts.set(guild, suspension.untilMs);
  return true;
}

/** Whether a permission of the bot's roles counts as missing now. */
function isSuspended(guild: Guild, name: Permission): boolean {
  const suspension = suspensionOf(guild);
  if (suspension?.reason === 'timeout') return !KEPT_WHILE_TIMED_OUT.includes(name);
  return suspension !== null && name === 'ManageMessages';
}

/** A member's permissions; null in a thread whose channel is not known, which the library's types hide. */
export function permissionsIn(
  channel: GuildBasedChannel,
  member: GuildMember,
): Readonly<PermissionsBitField> | null {
  return channel.permissionsFor(member);
}

/**
 * The permissions that a member lacks in a channel, which are all where they are not known; without a member, those that Frontpage lacks, which
 * are none if its own member is not cached.
 */
export function missingPermissions(
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
  member = channel.guild.members.me,
): Permission[] {
  if (member === null) return [];
  const held = permissionsIn(channel, member);
  const isOwn = member.id === channel.client.user.id;
  return wanted
    .flatMap((name) => (name === 'ViewChannel' ? viewPermissions(channel) : [name]))
    .filter((name) => held?.has(name) !== true || (isOwn && isSuspended(channel.guild, name)));
}

/** Whether Frontpage may read the messages there. Without it, Discord returns an empty list, no error. */
export function mayReadHistory(channel: GuildBasedChannel): boolean {
  return missingPermissions(channel, ['ViewChannel', 'ReadMessageHistory']).length === 0;
}

/**
 * Throws a `UserError` that names what a member, or else Frontpage, lacks in the channel. Discord's own
 * settings only hide commands.
 */
export function requirePermissions(
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
  member?: GuildMember,
): void {
  const lack = missingPermissions(channel, wanted, member);
  if (lack.length === 0) return;
  const key = member ? 'permission.member' : 'permission.missing';
  throw new UserError(key, { channel: `<#${channel.id}>`, permissions: permissionNames(lack) });
}

/** Refuses members without Manage Server. Discord's own settings only hide a command. */
export function requireManager({ memberPermissions }: BaseInteraction<'cached'>): void {
  if (!memberPermissions.has('ManageGuild')) throw new UserError('permission.manager');
}

/** The names as Discord's settings show them, in the reader's language. */
export function permissionNames(permissions: readonly Permission[]): (locale: string) => string {
  return (locale) =>
    new Intl.ListFormat(languageOf(locale)).format(
      permissions.map((name) => translate(locale, `permission.${name}` as const)),
    );
}
