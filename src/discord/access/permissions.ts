import {
  type GuildBasedChannel,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
} from 'discord.js';
import type { Key } from '../../text/catalogue.ts';
import { translate } from '../../text/catalogue.ts';
import { UserError } from '../user-error.ts';

type PermissionKey = Extract<Key, `permission.${string}`>;
type Known = {
  [K in PermissionKey]: K extends `permission.${infer Name}` ? Name : never;
}[PermissionKey];
export type Permission = Extract<Known, keyof typeof PermissionFlagsBits>;

export const NEEDED_PERMISSIONS = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'AddReactions',
] as const satisfies Permission[];

/** The permissions to write a message, such as a digest or a line of the log, in a text channel. */
export const MESSAGE_PERMISSIONS = ['ViewChannel', 'SendMessages', 'EmbedLinks'] as const;

/** Permissions that improve single features. The invite asks only for the first. */
export const OPTIONAL_PERMISSIONS = [
  'ManageMessages',
  'CreatePublicThreads',
  'MentionEveryone',
] as const satisfies Permission[];

/**
 * Manage Messages is for removing reactions that do not count, so that members see only counted votes.
 * Connect is for the chat of voice and stage channels.
 */
const INVITED = [
  ...NEEDED_PERMISSIONS,
  'ManageMessages',
  'Connect',
] as const satisfies Permission[];

export function inviteLink(applicationId: string): string {
  const permissions = INVITED.reduce((all, name) => all | PermissionFlagsBits[name], 0n);
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
}

/** The permissions that Frontpage lacks in a channel; empty if its own member is not cached. */
export function missingPermissions(
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
): Permission[] {
  const me = channel.guild.members.me;
  return me ? missingOf(channel, me, wanted) : [];
}

/** The permissions for reading a channel. Voice and stage channels also need Connect. */
export function viewPermissions(channel: GuildBasedChannel): Permission[] {
  return channel.isVoiceBased() ? ['ViewChannel', 'Connect'] : ['ViewChannel'];
}

/** Whether Frontpage may read the messages there. Without it, Discord returns an empty list, no error. */
export function mayReadHistory(channel: GuildBasedChannel): boolean {
  return missingPermissions(channel, ['ViewChannel', 'ReadMessageHistory']).length === 0;
}

/** Throws a `UserError` that names the permissions that Frontpage lacks in the channel. */
export function requirePermissions(
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
): void {
  refuseLack('permission.missing', channel, missingPermissions(channel, wanted));
}

/** Refuses members without Manage Server. Discord's own settings only hide a command. */
export function requireManager({
  memberPermissions,
}: {
  memberPermissions: Readonly<PermissionsBitField>;
}): void {
  if (!memberPermissions.has('ManageGuild')) throw new UserError('permission.manager');
}

/** Refuses a member without these permissions in a channel. Discord's own settings only hide commands. */
export function requireMemberPermissions(
  member: GuildMember,
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
): void {
  refuseLack('permission.member', channel, missingOf(channel, member, wanted));
}

function refuseLack(key: Key, { id }: GuildBasedChannel, lack: readonly Permission[]): void {
  if (lack.length === 0) return;
  throw new UserError(key, { channel: `<#${id}>`, permissions: permissionNames(lack) });
}

function missingOf(
  channel: GuildBasedChannel,
  member: GuildMember,
  wanted: readonly Permission[],
): Permission[] {
  const held = channel.permissionsFor(member);
  const all = wanted.flatMap((name) =>
    name === 'ViewChannel' ? viewPermissions(channel) : [name],
  );
  return all.filter((name) => !held.has(name));
}

/** The names as Discord's settings show them, in the reader's language. */
export function permissionNames(permissions: readonly Permission[]): (locale: string) => string {
  return (locale) =>
    new Intl.ListFormat(locale).format(
      permissions.map((name) => translate(locale, `permission.${name}` as const)),
    );
}
