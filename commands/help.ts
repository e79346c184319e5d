import {
  type APIApplicationCommand,
  type APIApplicationCommandOption,
  type APIEmbed,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  PermissionFlagsBits,
} from 'discord.js';
import { answer } from '../src/discord/interactions/answer.ts';
import { COLOUR } from '../src/discord/colours.ts';
import type { Command, GuildCommand } from '../src/discord/commands/command.ts';
import { localized } from '../src/discord/commands/localized.ts';
import { languageOf, translate } from '../src/text/catalogue.ts';
import { limits } from '../src/discord/limits.ts';

export default {
  data: { ...localized('command.help') },

  async run(interaction, app) {
    const { locale } = interaction;
    const deployed = await app.deployedCommands();
    const commands = deployed.filter((one) => mayUse(interaction, one));
    const lines = AUDIENCES.flatMap((audience) => {
      const of = commands.filter((command) => audienceOf(command) === audience).toSorted(byUse);
      if (of.length === 0) return [];
      const heading = `**${translate(locale, `help.${audience}`)}**`;
      return ['', heading, ...of.flatMap((command) => linesOf(command, locale))];
    });
    await answer(interaction, {
      embeds: embedsOf([translate(locale, 'help.intro'), ...lines]),
    });
  },
} satisfies Command;

const AUDIENCES = ['members', 'moderators', 'admins'] as const;

/** The audience that a command has unless the guild's admins change it. */
function audienceOf({ default_member_permissions: needed }: APIApplicationCommand) {
  if (needed === null || needed === undefined) return 'members';
  return needed === String(PermissionFlagsBits.ManageMessages) ? 'moderators' : 'admins';
}

/** The commands that a newcomer needs come first. */
const FIRST = ['post', 'top', 'search', 'me', 'stats', 'help'];

/** Message commands come after the others. */
function byUse(a: APIApplicationCommand, b: APIApplicationCommand): number {
  return orderInHelp(a) - orderInHelp(b) || (a.name < b.name ? -1 : 1);
}

function orderInHelp({ name, type }: APIApplicationCommand): number {
  if (type !== ApplicationCommandType.ChatInput) return FIRST.length + 1;
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

/** A command checks permissions again when it runs, even if the guild's settings allow it. */
function mayUse(
  { memberPermissions }: GuildCommand,
  { default_member_permissions: needed }: APIApplicationCommand,
): boolean {
  if (needed === null || needed === undefined) return true;
  // An empty value means: only administrators.
  return needed === '0'
    ? memberPermissions.has('Administrator')
    : memberPermissions.has(BigInt(needed));
}

/** Mentions of commands can be clicked. A command with subcommands has a line for each of them. */
function linesOf(command: APIApplicationCommand, locale: string): string[] {
  const { id, name, type } = command;
  if (type !== ApplicationCommandType.ChatInput) {
    const shown = own(command.name_localizations, locale) ?? name;
    return [`**${shown}** — ${translate(locale, 'help.message')}`];
  }
  const leaves = (named: Named, words: string): string[] => {
    const within = (named.options ?? []).filter(isSubcommand);
    if (within.length > 0) return within.flatMap((sub) => leaves(sub, `${words} ${sub.name}`));
    return [
      `</${words}:${id}> — ${own(named.description_localizations, locale) ?? named.description}`,
    ];
  };
  return leaves(command, name);
}

/** A command, a group of subcommands, or a subcommand. */
type Named = Pick<APIApplicationCommand, 'description' | 'description_localizations' | 'options'>;

function isSubcommand({ type }: APIApplicationCommandOption): boolean {
  return (
    type === ApplicationCommandOptionType.Subcommand ||
    type === ApplicationCommandOptionType.SubcommandGroup
  );
}

function own(
  localized: Partial<Record<string, string | null>> | null | undefined,
  locale: string,
): string | undefined {
  return localized?.[languageOf(locale)] ?? undefined;
}

function embedsOf(lines: readonly string[]): APIEmbed[] {
  const title = 'Frontpage';
  const pages: string[] = [''];
  let { length } = title;
  for (const line of lines) {
    if (length + line.length + 1 > limits.embedsLength) break;
    length += line.length + 1;
    if (pages.at(-1)!.length + line.length + 1 > limits.embedDescriptionLength) pages.push('');
    pages[pages.length - 1] += `${line}\n`;
  }
  return pages.map((description, i) => ({
    color: COLOUR,
    ...(i === 0 ? { title } : {}),
    description,
  }));
}
