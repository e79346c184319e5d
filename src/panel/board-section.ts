import type { Guild, GuildMember } from 'discord.js';
import { hasChannel, livingMentions } from '../community/dead-references.ts';
import { logAction } from '../community/moderation-log.ts';
import { inspectChannel } from '../digests/command/options.ts';
import { brokenText, DIGEST_CHANNEL_TYPES } from '../digests/posting/posting-context.ts';
import type { BoardTrouble, StoredBoard } from '../board/stored-board.ts';
import type { GuildComponent } from '../discord/commands/command.ts';
import { answer, updateMessage } from '../discord/interactions/answer.ts';
import { button, card, channelSelect, row } from '../discord/interactions/components.ts';
import { UserError } from '../discord/user-error.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { translate } from '../text/catalogue.ts';
import { messageLink, timestamp } from '../text/mentions.ts';
import type { Section } from './section.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import type { Board } from '../board/board.ts';
import type { Clock } from '../runtime/clock.ts';

/** What the section of the board needs. */
interface BoardSectionNeeds extends LogChannelNeeds {
  /** Put up and taken down. */
  board: Board;
  /** Discord's time. */
  clock: Clock;
}

/** Custom ids are `frontpage|board|<action>`. */
export const board: Section = {
  async open(interaction, needs) {
    await answer(interaction, await view(interaction, needs));
  },

  async component(interaction, [action], needs) {
    const before = await channelOf(interaction, needs);
    const [chosen = null] = interaction.isAnySelectMenu() ? interaction.values : [];
    switch (action) {
      case 'channel':
      case 'again': {
        const channel = action === 'again' ? before : chosen;
        if (channel === null) throw new UserError('stale');
        await putBoard(interaction, needs, channel);
        break;
      }
      case 'down':
        await takeBoardDown(interaction, needs);
        break;
      default:
        throw new UserError('stale');
    }
    await updateMessage(interaction, await view(interaction, needs));
  },
};

async function channelOf(
  { guildId }: GuildComponent,
  { board: of }: Pick<BoardSectionNeeds, 'board'>,
) {
  return (await of.read(guildId))?.choice.channel ?? null;
}

/** Puts the board into a channel where it may be. */
export async function putBoard(
  interaction: GuildComponent,
  needs: Omit<BoardSectionNeeds, 'clock'>,
  channel: Snowflake,
): Promise<void> {
  const { guildId, member } = interaction;
  const before = await channelOf(interaction, needs);
  inspectChannel(interaction, channel);
  await needs.board.put(guildId, channel, member.id);
  await logChange(needs, member, before, channel);
}

export async function takeBoardDown(
  interaction: GuildComponent,
  needs: Omit<BoardSectionNeeds, 'clock'>,
): Promise<void> {
  const before = await channelOf(interaction, needs);
  await needs.board.takeDown(interaction.guildId);
  await logChange(needs, interaction.member, before, null);
}

async function view({ guild, guildId, locale }: GuildComponent, needs: BoardSectionNeeds) {
  const stored = await needs.board.read(guildId);
  const act = (action: 'again' | 'down', style?: 'main' | 'danger') =>
    button(`frontpage|board|${action}`, translate(locale, `board.${action}`), style);
  const isDeleted = stored?.state.deleted === true;
  const buttons = [
    ...(isDeleted ? [act('again', 'main')] : []),
    ...(stored === null ? [] : [act('down', 'danger')]),
  ];
  const lines =
    stored === null
      ? [translate(locale, 'board.panel.about'), '', translate(locale, 'board.panel.none')]
      : boardLines(locale, guild, stored, needs.clock.now());
  const select = {
    custom_id: 'frontpage|board|channel',
    placeholder: translate(locale, 'board.pick'),
  };
  const chosen =
    stored !== null && hasChannel(guild, stored.choice.channel) ? [stored.choice.channel] : [];
  return {
    embeds: [card(translate(locale, 'board.panel.title'), lines)],
    components: [
      channelSelect(select, [...DIGEST_CHANNEL_TYPES], chosen, { least: 1, isOne: true }),
      ...(buttons.length > 0 ? [row(...buttons)] : []),
    ],
  };
}

/** What a board is, and how this one is. */
export function boardLines(
  locale: string,
  guild: Guild,
  stored: StoredBoard,
  now: number,
): string[] {
  return [translate(locale, 'board.panel.about'), '', ...stateLines(locale, guild, stored, now)];
}

function stateLines(
  locale: string,
  guild: Guild,
  { choice, state }: StoredBoard,
  now: number,
): string[] {
  const channel = `<#${choice.channel}>`;
  if (!hasChannel(guild, choice.channel)) return [translate(locale, 'board.gone')];
  if (state.deleted) return [translate(locale, 'board.panel.deleted', { channel })];
  if (state.trouble !== null) return [troubleText(locale, choice.channel, state.trouble)];
  if (state.message === null) return [translate(locale, 'board.panel.later', { channel })];
  const message = messageLink(guild.id, { channel: choice.channel, id: state.message });
  const lines = [translate(locale, 'board.panel.shown', { channel, message })];
  if (state.restUntilMs > now) {
    const when = timestamp(state.restUntilMs, 'R');
    lines.push(translate(locale, 'board.panel.waits', { when }));
  }
  return lines;
}

/** Why the board is not shown, and what can be done. */
export function troubleText(locale: string, channel: Snowflake, trouble: BoardTrouble): string {
  return trouble.reason === 'gone'
    ? translate(locale, 'board.gone')
    : brokenText(locale, channel, trouble);
}

async function logChange(
  needs: LogChannelNeeds,
  by: GuildMember,
  before: Snowflake | null,
  after: Snowflake | null,
): Promise<void> {
  if (before === after) return;
  await logAction(needs, { by }, (locale, who) =>
    translate(locale, 'audit.setting', {
      by: who,
      setting: translate(locale, 'frontpage.button.board'),
      before: named(locale, by.guild, before),
      after: named(locale, by.guild, after),
    }),
  );
}

function named(locale: string | null, guild: Guild, channel: Snowflake | null): string {
  if (channel === null) return translate(locale, 'settings.none');
  return livingMentions(guild, '#', [channel], locale).join('');
}
