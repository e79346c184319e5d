import {
  type APIApplicationCommand,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  PermissionFlagsBits,
} from 'discord.js';
import { answer } from '../src/discord/interactions/answer.ts';
import type { GuildCommand } from '../src/discord/commands/command.ts';
import { card } from '../src/discord/interactions/components.ts';
import { groupOf, mayView } from '../src/discord/access/visibility.ts';
import { localized } from '../src/discord/commands/localized.ts';
import { languageOf, translate } from '../src/text/catalogue.ts';
import type { Board } from '../src/board/board.ts';
import type { GuildRules } from '../src/community/guild-rules.ts';
import { offeredIn } from '../src/community/vote-offer.ts';
import { THUMBS } from '../src/ranking/vote-signs.ts';
import { voteRefusalText } from '../src/community/may-vote.ts';
import type { Clock } from '../src/runtime/clock.ts';
import type { Discord } from '../src/discord/discord.ts';
import type { BotCommand } from '../src/bot.ts';

interface HelpNeeds extends Discord {
  /** Its channel is named to who may view it. */
  board: Board;
  /** Whose votes count, and what members vote with. */
  rules: GuildRules;
  /** Discord's time. */
  clock: Clock;
}

export default {
  reads: true,
  data: { ...localized('command.help') },

  async run(interaction, needs) {
    const { locale, member, guildId } = interaction;
    const board = await needs.board.read(guildId);
    const channel = board?.state.message ? board.choice.channel : null;
    const isSeen = channel !== null && mayView(member, channel);
    const deployed = await needs.deployedCommands();
    const commands = deployed.filter((one) => mayUse(interaction, one));
    const lines = AUDIENCES.flatMap((audience) => {
      const of = commands
        .filter((command) => audienceOf(command) === audience)
        .toSorted((a, b) => orderInHelp(a) - orderInHelp(b) || (a.name < b.name ? -1 : 1));
      if (of.length === 0) return [];
      const heading = `**${translate(locale, `help.${audience}`)}**`;
      return ['', heading, ...of.map((command) => lineOf(command, locale))];
    });
    const now = needs.clock.now();
    const rules = await needs.rules.read(guildId);
    const home = interaction.channel && groupOf(interaction.channel)?.id;
    const { up, down, isDownOffered } = offeredIn(rules.settings, home ?? null);
    const hasOwn = up !== THUMBS.up || down !== THUMBS.down;
    const is = isDownOffered ? 'both' : 'up';
    const intro = [
      ...voteRefusalText(rules, member, { now, locale }),
      translate(locale, 'help.intro', { is, up, down }),
      translate(locale, 'help.own', { up }),
      ...(hasOwn ? [translate(locale, 'help.signs')] : []),
      ...(isSeen ? [translate(locale, 'help.board', { channel: `<#${channel}>` })] : []),
    ];
    const help = card('Frontpage', [...intro, ...lines]);
    await answer(interaction, { embeds: [help] });
  },
} satisfies BotCommand<HelpNeeds>;

const { Subcommand } = ApplicationCommandOptionType;
const AUDIENCES = ['members', 'moderators', 'admins'] as const;

/** The audience that a command has unless the guild's admins change it. */
function audienceOf({ default_member_permissions: needed }: APIApplicationCommand) {
  if (needed === null || needed === undefined) return 'members';
  return needed === String(PermissionFlagsBits.ManageMessages) ? 'moderators' : 'admins';
}

/** The commands that a newcomer needs come first. */
const FIRST = ['post', 'me', 'top', 'search', 'stats', 'help'];

/** Message commands come after the others. */
function orderInHelp({ name, type }: APIApplicationCommand): number {
  if (type !== ApplicationCommandType.ChatInput) return FIRST.length + 1;
  return FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length;
}

/** A command checks permissions again when it runs, even if the guild's settings allow it. */
function mayUse(
  { memberPermissions }: GuildCommand,
  { default_member_permissions: needed }: APIApplicationCommand,
): boolean {
  return needed === null || needed === undefined || memberPermissions.has(BigInt(needed));
}

/** One line. Mentions of commands can be clicked; a command with subcommands has one for each. */
function lineOf(command: APIApplicationCommand, locale: string): string {
  const { id, name, type, options = [] } = command;
  if (type !== ApplicationCommandType.ChatInput) {
    const shown = own(command.name_localizations, locale) ?? name;
    const where = type === ApplicationCommandType.User ? 'help.member' : 'help.message';
    return `**${shown}** — ${translate(locale, where)}`;
  }
  const words = options
    .filter(({ type: kind }) => kind === Subcommand)
    .map((sub) => `${name} ${sub.name}`);
  const mentions = (words.length > 0 ? words : [name]).map((each) => `</${each}:${id}>`);
  const about = own(command.description_localizations, locale) ?? command.description;
  return `${mentions.join(' ')} — ${about}`;
}

function own(
  localized: Partial<Record<string, string | null>> | null | undefined,
  locale: string,
): string | undefined {
  return localized?.[languageOf(locale)] ?? undefined;
}
