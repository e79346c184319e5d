import {
  type GuildBasedChannel,
  type GuildMember,
  PermissionFlagsBits,
  type PermissionsBitField,
} from 'discord.js';
import type { Key } from '../text/catalogue.ts';
import { translate } from '../text/catalogue.ts';
import { UserError } from './user-error.ts';

type PermissionKey = Extract<Key, `permission.${string}`>;
type Known = {
  [K in PermissionKey]: K extends `permission.${infer Name}` ? Name : never;
}[PermissionKey];
/** The permissions that Frontpage ever asks for. */
export type Permission = Extract<Known, keyof typeof PermissionFlagsBits>;

/** What Frontpage cannot do its work without. */
export const needed = [
  'ViewChannel',
  'SendMessages',
  'SendMessagesInThreads',
  'EmbedLinks',
  'AttachFiles',
  'ReadMessageHistory',
  'AddReactions',
] as const satisfies Permission[];

/** What makes single features better. The invite asks for the first; the others are left to the guild. */
export const optional = [
  'ManageMessages',
  'CreatePublicThreads',
  'MentionEveryone',
] as const satisfies Permission[];

/**
 * The link with which an admin adds the bot: with what it needs, and with Manage Messages, so that the
 * reactions that members see are the votes that count.
 */
export function inviteLink(applicationId: string): string {
  const permissions = [...needed, 'ManageMessages' as const].reduce(
    (all, name) => all | PermissionFlagsBits[name],
    0n,
  );
  const query = new URLSearchParams({
    client_id: applicationId,
    scope: 'bot applications.commands',
    permissions: String(permissions),
  });
  return `https://discord.com/oauth2/authorize?${query.toString()}`;
}

/** What Frontpage itself lacks in a channel, as far as it can know before it tries. */
export function missing(channel: GuildBasedChannel, wanted: readonly Permission[]): Permission[] {
  const me = channel.guild.members.me;
  return me ? lacking(channel.permissionsFor(me), wanted) : [];
}

/** Whether Frontpage may read the messages there; without the permission Discord shows an empty list. */
export function mayReadHistory(channel: GuildBasedChannel): boolean {
  return missing(channel, ['ViewChannel', 'ReadMessageHistory']).length === 0;
}

/** Refuses, naming the permissions, where Frontpage could not do what it is about to do. */
export function demand(channel: GuildBasedChannel, wanted: readonly Permission[]): void {
  const lack = missing(channel, wanted);
  if (lack.length > 0) {
    throw new UserError('permission.missing', {
      channel: `<#${channel.id}>`,
      permissions: names(lack),
    });
  }
}

/** Refuses a member without these permissions in a channel. Discord's own settings only hide commands. */
export function demandOfMember(
  member: GuildMember,
  channel: GuildBasedChannel,
  wanted: readonly Permission[],
): void {
  const lack = lacking(channel.permissionsFor(member), wanted);
  if (lack.length > 0) {
    throw new UserError('permission.member', {
      channel: `<#${channel.id}>`,
      permissions: names(lack),
    });
  }
}

function lacking(
  held: Readonly<PermissionsBitField> | null,
  wanted: readonly Permission[],
): Permission[] {
  return wanted.filter((name) => !held?.has(name));
}

/** The names as Discord's settings show them, in the reader's language. */
export function names(permissions: readonly Permission[]): (locale: string) => string {
  return (locale) =>
    new Intl.ListFormat(locale).format(
      permissions.map((name) => translate(locale, `permission.${name}` as const)),
    );
}
