import {
  type APIApplicationCommandBasicOption,
  ApplicationCommandOptionType as Type,
  type ChannelType,
  InteractionContextType,
  type NonThreadGuildBasedChannel,
  PermissionFlagsBits,
  type RESTPostAPIChatInputApplicationCommandsJSONBody,
} from 'discord.js';
import { z } from 'zod';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import {
  choiceOption,
  localized,
  optionText,
  subcommand,
  textOption,
} from '../../discord/commands/localized.ts';
import {
  MESSAGE_PERMISSIONS,
  missingPermissions,
  requirePermissions,
  type Permission,
} from '../../discord/access/permissions.ts';
import { zSnowflake } from '../../runtime/snowflake.ts';
import { UserError } from '../../discord/user-error.ts';
import { isListed, requireView } from '../../discord/access/visibility.ts';
import type { Digest } from '../digest-settings.ts';
import { translate } from '../../text/catalogue.ts';
import { DIGEST_CHANNEL_TYPES } from '../posting/posting-context.ts';

const SUBCOMMANDS = ['set', 'show', 'now', 'preview', 'delete'] as const;
export type Subcommand = (typeof SUBCOMMANDS)[number];

const zEvery = z.enum(['day', 'week', 'month']);
/** Discord's own limits can be bypassed. */
const zOptions = z
  .object({
    channel: zSnowflake,
    time: z.string(),
    timezone: z.string(),
    every: zEvery,
    days: z.string(),
  })
  .partial();

/** What a manager chose; what is absent stays. The command has what is asked most, `more.ts` the rest. */
export type DigestOptions = z.infer<typeof zOptions> &
  Partial<
    Pick<Digest, 'count' | 'selection' | 'groups' | 'role' | 'postEmpty' | 'publish' | 'silent'>
  >;

const name = textOption('command.digest.option.name', { max_length: 32, autocomplete: true });

const settings: APIApplicationCommandBasicOption[] = [
  {
    ...localized('command.digest.option.channel'),
    type: Type.Channel,
    channel_types: [...DIGEST_CHANNEL_TYPES],
  },
  textOption('command.digest.option.time', { max_length: 30 }),
  textOption('command.digest.option.timezone', { autocomplete: true }),
  choiceOption('command.digest.option.every', zEvery.options, (every) => `digest.every.${every}`),
  textOption('command.digest.option.days', { max_length: 100 }),
  name,
];

/** Discord hides it from members who may not manage the server; the command itself checks again. */
export const digestData: RESTPostAPIChatInputApplicationCommandsJSONBody = {
  ...localized('command.digest'),
  contexts: [InteractionContextType.Guild],
  default_member_permissions: String(PermissionFlagsBits.ManageGuild),
  options: SUBCOMMANDS.map((each) =>
    subcommand(`command.digest.${each}`, each === 'set' ? settings : [name]),
  ),
};

/** Reads the options of `/digest set` that are given. */
export function readOptions(interaction: GuildCommand): DigestOptions {
  const typed = interaction.options.data[0]?.options ?? [];
  const parsed = zOptions.safeParse(Object.fromEntries(typed.map((it) => [it.name, it.value])));
  if (!parsed.success) {
    const option = optionText(interaction, String(parsed.error.issues[0]?.path[0]));
    throw new UserError('invalid.option', { option });
  }
  return parsed.data;
}

/**
 * Refuses a digest whose channel cannot be used, or whose sources not all of its readers may see.
 * Returns a warning, or null.
 */
export function inspect(interaction: GuildCommand | GuildComponent, digest: Digest): string | null {
  const { guild } = interaction;
  if (digest.role === guild.id) throw new UserError('digest.invalid.role');
  const role = guild.roles.cache.get(digest.role ?? '');
  const besides: Permission[] = role && !role.mentionable ? ['MentionEveryone'] : [];
  const warning = inspectChannel(interaction, digest.channel, besides);
  const channel = guild.channels.cache.get(digest.channel);
  if (channel) requirePermissions(channel, besides, interaction.member);
  for (const id of digest.groups) {
    const group = guild.channels.cache.get(id) as NonThreadGuildBasedChannel | undefined;
    if (group && group.id !== digest.channel && !isListed(group)) {
      throw new UserError('digest.invalid.private', { source: `<#${id}>` });
    }
  }
  return warning;
}

/** Refuses a channel of the wrong kind, or where a permission is missing. Returns a warning, or null. */
export function inspectChannel(
  { guild, member, locale }: Pick<GuildCommand, 'guild' | 'member' | 'locale'>,
  id: string,
  besides: Permission[] = [],
): string | null {
  const channel = guild.channels.cache.get(id);
  if (!channel) throw new UserError('channel.unknown');
  requireView(member, channel.id);
  if (!(DIGEST_CHANNEL_TYPES as readonly ChannelType[]).includes(channel.type)) {
    throw new UserError('digest.invalid.channel');
  }
  requirePermissions(channel, [...MESSAGE_PERMISSIONS, ...besides]);
  if (missingPermissions(channel, ['ReadMessageHistory']).length === 0) return null;
  return translate(locale, 'digest.unread', { channel: `<#${channel.id}>` });
}
