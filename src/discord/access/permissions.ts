import {
  type BaseInteraction,
  type GuildBasedChannel,
  type GuildMember,
  PermissionsBitField,
  type PermissionsString,
} from 'discord.js';
import { type Key, translate } from '../../text/catalogue.ts';
import { UserError } from '../user-error.ts';

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
const INVITED: readonly Permission[] = [...NEEDED_PERMISSIONS, 'ManageMessages', 'Connect'];

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

/**
 * The permissions that a member lacks in a channel; without a member, those that Frontpage lacks, which
 * are none if its own member is not cached.
 */
export function missingPermissions(
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
  member = channel.guild.members.me,
): Permission[] {
  if (member === null) return [];
  const held = channel.permissionsFor(member);
  return wanted
    .flatMap((name) => (name === 'ViewChannel' ? viewPermissions(channel) : [name]))
    .filter((name) => !held.has(name));
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
    new Intl.ListFormat(locale).format(
      permissions.map((name) => translate(locale, `permission.${name}` as const)),
    );
}
