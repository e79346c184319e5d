import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord.js';
import { z } from 'zod';
import { type Clock, DAY_MS } from '../src/runtime/clock.ts';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import type { GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { parseArgs, validOption } from '../src/discord/commands/checked-options.ts';
import {
  choiceOption,
  localized,
  numberOption,
  subcommand,
  textOption,
} from '../src/discord/commands/localized.ts';
import { requireServerModerator } from '../src/moderation/actions.ts';
import { blockValues, reasonText, subjectText } from '../src/community/block-texts.ts';
import { MAX_REASON_LENGTH } from '../src/community/moderation-log.ts';
import { cleanLine, code, fitting } from '../src/text/clean.ts';
import { pageButtons, TURNS, zPage } from '../src/articles/lists/article-page.ts';
import { card } from '../src/discord/interactions/components.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  type BlockSubject,
  hostOf,
  isSharedEnding,
  MAX_SITE_LENGTH,
  memberSubject,
  siteSubject,
  type SubjectKind,
} from '../src/community/block-subject.ts';
import { BLOCK_SCOPES, blockScopes, holds } from '../src/community/blocks.ts';
import { translate } from '../src/text/catalogue.ts';
import { limits } from '../src/discord/limits.ts';
import type { Community } from '../src/community/community.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import type { BotCommand } from '../src/bot.ts';

const MAX_BLOCK_DAYS = 3650;
/** With the longest sites and reasons, of about 500 characters a line, so many fit into an embed. */
const BLOCKS_A_PAGE = 8;
/** A page of the list of blocks. */
const zArgs = z.tuple([z.literal('blocks'), z.enum(TURNS), zPage]);
const zDays = z.int().min(1).max(MAX_BLOCK_DAYS).optional();

/** Each kind of subject is chosen by an option of its own. */
const subjectOptions = {
  member: {
    type: ApplicationCommandOptionType.User,
    ...localized('command.mod.option.member'),
  } as const,
  site: textOption('command.mod.option.site', { max_length: MAX_SITE_LENGTH }),
} satisfies Record<SubjectKind, object>;
const reason = textOption('command.mod.option.reason', { max_length: MAX_REASON_LENGTH });

interface ModNeeds extends Community {
  /** Writes blocks, and reports them. */
  moderation: Moderation;
  /** Discord's time. */
  clock: Clock;
}

/** Blocks of members and sites. Articles are moderated by a message command. */
export default {
  data: {
    ...localized('command.mod'),
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    options: [
      subcommand('command.mod.block', [
        ...Object.values(subjectOptions),
        choiceOption('command.mod.option.what', blockScopes, (what) => `mod.what.${what}`),
        numberOption('command.mod.option.days', 1, MAX_BLOCK_DAYS),
        reason,
      ]),
      subcommand('command.mod.unblock', [...Object.values(subjectOptions), reason]),
      subcommand('command.mod.blocks'),
    ],
  },

  async run(interaction, needs) {
    requireServerModerator(interaction);
    switch (interaction.options.getSubcommand()) {
      case 'block':
        return block(interaction, needs);
      case 'unblock':
        return unblock(interaction, needs);
      case 'blocks':
        return answer(interaction, await blocks(interaction, needs, 1));
      default:
        throw new UserError('stale');
    }
  },

  async component(interaction, args, needs) {
    requireServerModerator(interaction);
    const [, , page] = parseArgs(zArgs, args);
    await updateMessage(interaction, await blocks(interaction, needs, page));
  },
} satisfies BotCommand<ModNeeds>;

async function block(interaction: GuildCommand, needs: ModNeeds): Promise<void> {
  const { locale, member, options } = interaction;
  const subject = subjectOf(interaction);
  const target = options.getUser('member');
  const typed = options.getString('site') ?? '';
  if (target && (target.bot || target.id === member.id)) throw new UserError('mod.block.self');
  if (subject.kind === 'site' && isSharedEnding(subject)) {
    throw new UserError('mod.block.ending', { input: code(typed) });
  }
  const what = validOption(interaction, 'what', z.enum(blockScopes).default('both'));
  const days = validOption(interaction, 'days', zDays);
  const now = needs.clock.now();
  const blocked = await needs.moderation.block(member, {
    subject,
    // A site has no votes, whatever was chosen.
    ...(subject.kind === 'site' ? BLOCK_SCOPES.post : BLOCK_SCOPES[what]),
    reason: reasonOf(interaction),
    sinceMs: now,
    untilMs: days === undefined ? null : now + days * DAY_MS,
  });
  const lines = [translate(locale, 'mod.blocked', blockValues(locale, blocked))];
  // Links of one site are compared under one host: `youtube.com` for `youtu.be`.
  if (subject.kind === 'site' && !typed.toLowerCase().includes(hostOf(subject))) {
    lines.push(translate(locale, 'mod.blocked.site', { input: code(typed) }));
  }
  await answer(interaction, lines.join('\n'));
}

async function unblock(interaction: GuildCommand, needs: ModNeeds): Promise<void> {
  const subject = subjectOf(interaction);
  const act = { by: interaction.member, reason: reasonOf(interaction) };
  if ((await needs.moderation.unblock(subject, act)) === 'unknown')
    throw new UserError('mod.block.unknown');
  const values = { subject: subjectText(subject) };
  await answer(interaction, translate(interaction.locale, 'mod.unblocked', values));
}

/** A page of the blocks that hold now, the newest first. */
async function blocks(
  { guildId, locale }: GuildCommand | GuildComponent,
  { rules, clock }: ModNeeds,
  wished: number,
) {
  const active = [...(await rules.read(guildId)).blocks.values()]
    .filter((one) => holds(one, clock.now()))
    .sort((a, b) => b.sinceMs - a.sinceMs);
  const total = active.length;
  const pages = Math.max(1, Math.ceil(total / BLOCKS_A_PAGE));
  // Some may have ended since the page before was shown.
  const page = Math.min(wished, pages);
  // There can be thousands, so only the lines that are shown are made.
  const lines = active.slice((page - 1) * BLOCKS_A_PAGE, page * BLOCKS_A_PAGE).map((one) =>
    translate(locale, 'mod.blocks.line', {
      ...blockValues(locale, one),
      by: `<@${one.by}>`,
      reason: reasonText(one.reason),
    }),
  );
  const shown = fitting(lines, {
    length: limits.embedDescriptionLength,
    more: (left) => translate(locale, 'mod.more', { more: left }),
  });
  const embed = card(
    translate(locale, 'mod.blocks.title'),
    shown || translate(locale, 'mod.blocks.none'),
  );
  const text = translate(locale, 'mod.blocks.footer', { page, pages, total });
  return {
    embeds: [pages > 1 ? { ...embed, footer: { text } } : embed],
    components: pages > 1 ? [pageButtons(locale, { page, idOf: blocksId }, pages)] : [],
  };
}

const blocksId = (turn: string, page: number) => ['mod', 'blocks', turn, page].join('|');

/** The subject of a block: the given member, or the given site. */
function subjectOf({ options }: GuildCommand): BlockSubject {
  const target = options.getUser('member');
  const typed = options.getString('site');
  if ((target === null) === (typed === null)) throw new UserError('mod.block.nothing');
  const subject = target ? memberSubject(target.id) : siteSubject(typed ?? '');
  if (subject === null) throw new UserError('mod.block.origin', { input: code(typed ?? '') });
  return subject;
}

function reasonOf({ options }: GuildCommand): string {
  return cleanLine(options.getString('reason') ?? '', MAX_REASON_LENGTH);
}
