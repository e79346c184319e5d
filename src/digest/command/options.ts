import { type ChannelType, type NonThreadGuildBasedChannel } from 'discord.js';
import type { GuildCommand } from '../../discord/commands/command.ts';
import { demand, missing, type Permission } from '../../discord/access/permissions.ts';
import { code } from '../../text/clean.ts';
import { UserError } from '../../discord/user-error.ts';
import { groupOf, isListed, mayView } from '../../discord/access/visibility.ts';
import type { Digest } from '../../records/digests/digest.ts';
import { translate } from '../../text/catalogue.ts';
import { digestChannelTypes, digestPermissions } from '../posting/channel.ts';
import type { DigestOptions } from './apply-options.ts';

/** Reads the options of `/digest set`, and looks up channels and roles in the guild. */
export function readOptions(interaction: GuildCommand): DigestOptions {
  const { options } = interaction;
  const text = (name: string) => options.getString(name);
  return {
    channel: options.getChannel('channel')?.id ?? null,
    time: text('time'),
    timezone: text('timezone'),
    count: options.getInteger('count'),
    every: text('every'),
    days: text('days'),
    source: sourceOf(interaction, text('source')),
    selection: text('selection'),
    minimum: text('minimum'),
    role: roleOf(interaction),
    silent: options.getBoolean('silent'),
    thread: options.getBoolean('thread'),
    language: text('language'),
    empty: options.getBoolean('empty'),
    reset: text('reset'),
  };
}

/**
 * Refuses a digest whose channel cannot be used, or whose sources not all of its readers may see.
 * Returns a warning, or null.
 */
export function inspect(interaction: GuildCommand, digest: Digest): string | null {
  const { guild } = interaction;
  const role = digest.role === null ? undefined : guild.roles.cache.get(digest.role);
  const besides: Permission[] = role && !role.mentionable ? ['MentionEveryone'] : [];
  const warning = inspectChannel(interaction, digest.channel, digest.thread, besides);
  for (const id of digest.groups) {
    const group = guild.channels.cache.get(id) as NonThreadGuildBasedChannel | undefined;
    if (group && group.id !== digest.channel && !isListed(group)) {
      throw new UserError('digest.invalid.private', { source: `<#${id}>` });
    }
  }
  return warning;
}

/** Refuses a channel of the wrong kind, or one in which Frontpage lacks a permission. Returns a warning, or null. */
export function inspectChannel(
  { guild, member, locale }: Pick<GuildCommand, 'guild' | 'member' | 'locale'>,
  id: string,
  thread: boolean,
  besides: Permission[] = [],
): string | null {
  const channel = guild.channels.cache.get(id);
  if (!channel || !mayView(member, channel.id)) throw new UserError('channel.unknown');
  if (!(digestChannelTypes as readonly ChannelType[]).includes(channel.type)) {
    throw new UserError('digest.invalid.channel');
  }
  const wanted = digestPermissions(thread).filter((each) => each !== 'ReadMessageHistory');
  demand(channel, [...wanted, ...besides]);
  if (missing(channel, ['ReadMessageHistory']).length === 0) return null;
  return translate(locale, 'digest.unread', { channel: `<#${channel.id}>` });
}

function roleOf({ options, guildId }: GuildCommand): string | null {
  const role = options.getRole('role');
  if (role?.id === guildId) throw new UserError('digest.invalid.role');
  return role?.id ?? null;
}

/** Parses mentions of channels, or `all` in any language, which gives an empty list. */
function sourceOf({ guild, member }: GuildCommand, typed: string | null): string[] | null {
  if (typed === null) return null;
  if (/^\s*(all|全部|所有频道|\*)\s*$/i.test(typed)) return [];
  const ids = [...typed.matchAll(/<#(\d+)>/g)].map(([, id = '']) => id);
  const besides = typed.replace(/<#\d+>/g, '').replace(/[\s,，、;]+/g, '');
  const groups = ids.map((id) => {
    const channel = guild.channels.cache.get(id);
    return channel && mayView(member, id) ? groupOf(channel) : null;
  });
  if (ids.length === 0 || besides !== '' || groups.includes(null)) {
    throw new UserError('digest.invalid.source', { given: code(typed) });
  }
  return [...new Set(groups.flatMap((group) => group?.id ?? []))];
}
