import { ApplicationCommandOptionType, PermissionFlagsBits } from 'discord.js';
import { DAY_MS } from '../src/clock.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import { blockBy, unblockBy } from '../src/admin/moderation/change-blocks.ts';
import type { App } from '../src/app.ts';
import type { Command, GuildCommand } from '../src/discord/commands/command.ts';
import {
  choiceOption,
  localized,
  numberOption,
  subcommand,
  textOption,
} from '../src/discord/commands/localized.ts';
import { demandServerModerator } from '../src/admin/moderation/rights.ts';
import { reasonText, untilText } from '../src/articles/posting/block-text.ts';
import {
  type Act,
  blockScopeText,
  type ModerationParts,
  subjectText,
} from '../src/admin/moderation/log-action.ts';
import { cleanTitle, code, fitting, shortened } from '../src/text/clean.ts';
import { card } from '../src/discord/interactions/components.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  type Block,
  holds,
  isSharedEnding,
  MAX_ORIGIN_LENGTH,
  memberSubject,
  originSubject,
} from '../src/records/blocks.ts';
import { translate } from '../src/text/catalogue.ts';
import { limits } from '../src/discord/limits.ts';

const MAX_REASON_LENGTH = 200;
const MAX_BLOCK_DAYS = 3650;
const BLOCK_SCOPES = ['both', 'post', 'vote'] as const;
const SHOWN_AT_MOST = 20;

const subjectOptions = [
  { type: ApplicationCommandOptionType.User, ...localized('command.mod.option.member') } as const,
  textOption('command.mod.option.site', { max_length: MAX_ORIGIN_LENGTH }),
];
const reason = textOption('command.mod.option.reason', { max_length: MAX_REASON_LENGTH });

/** Blocks of members and sites. Articles are moderated by a message command. */
export default {
  data: {
    ...localized('command.mod'),
    default_member_permissions: String(PermissionFlagsBits.ManageMessages),
    options: [
      subcommand('command.mod.block', [
        ...subjectOptions,
        choiceOption('command.mod.option.what', BLOCK_SCOPES, (what) => `mod.what.${what}`),
        numberOption('command.mod.option.days', 1, MAX_BLOCK_DAYS),
        reason,
      ]),
      subcommand('command.mod.unblock', [...subjectOptions, reason]),
      subcommand('command.mod.blocks'),
    ],
  },

  async run(interaction, app) {
    demandServerModerator(interaction);
    switch (interaction.options.getSubcommand()) {
      case 'block':
        return block(interaction, app);
      case 'unblock':
        return unblock(interaction, app);
      default:
        return blocks(interaction, app);
    }
  },
} satisfies Command;

async function block(interaction: GuildCommand, app: ModerationParts): Promise<void> {
  const { locale, options, user } = interaction;
  const target = options.getUser('member');
  const origin = options.getString('site');
  if (target && (target.bot || target.id === user.id)) throw new UserError('mod.block.self');
  const subject = subjectOf(interaction);
  if (target === null && isSharedEnding(subject)) {
    throw new UserError('mod.block.ending', { given: code(origin ?? '') });
  }
  const what = BLOCK_SCOPES.find((known) => known === options.getString('what')) ?? 'both';
  const days = options.getInteger('days');
  if (days !== null && (days < 1 || days > MAX_BLOCK_DAYS)) {
    throw new UserError('invalid.option', { option: 'days' });
  }
  const now = app.clock.now();
  const act = actOf(interaction);
  const wanted: Block = {
    subject,
    posting: target === null || what !== 'vote',
    voting: target !== null && what !== 'post',
    reason: act.reason,
    by: user.id,
    sinceMs: now,
    untilMs: days === null ? null : now + days * DAY_MS,
  };
  const blocked = await blockBy(app, wanted, act);
  const values = {
    subject: subjectText(subject),
    until: untilText(blocked.untilMs),
    what: blockScopeText(locale, blocked),
  };
  const lines = [translate(locale, 'mod.blocked', values)];
  // Links of one site are compared under one host: `youtube.com` for `youtu.be`.
  const [host = ''] = subject.slice('origin:'.length).split('/');
  if (origin !== null && !origin.toLowerCase().includes(host)) {
    lines.push(translate(locale, 'mod.blocked.site', { given: code(origin) }));
  }
  await answer(interaction, lines.join('\n'));
}

async function unblock(interaction: GuildCommand, app: ModerationParts): Promise<void> {
  const subject = subjectOf(interaction);
  if ((await unblockBy(app, subject, actOf(interaction))) === 'unknown') {
    throw new UserError('mod.block.unknown');
  }
  const values = { subject: subjectText(subject) };
  await answer(interaction, translate(interaction.locale, 'mod.unblocked', values));
}

async function blocks(
  interaction: GuildCommand,
  { rules, clock }: Pick<App, 'clock' | 'rules'>,
): Promise<void> {
  const { guildId, locale } = interaction;
  const active = [...(await rules.read(guildId)).blocks.values()]
    .filter((one) => holds(one, clock.now()))
    .sort((a, b) => b.sinceMs - a.sinceMs);
  if (active.length === 0) return answer(interaction, translate(locale, 'mod.blocks.none'));
  // There can be thousands, so only the lines that are shown are made.
  const lines = active.slice(0, SHOWN_AT_MOST).map((one) =>
    translate(locale, 'mod.blocks.line', {
      subject: subjectText(one.subject),
      what: blockScopeText(locale, one),
      until: untilText(one.untilMs),
      by: `<@${one.by}>`,
      reason: reasonText(one.reason),
    }),
  );
  const shown = fitting(lines, {
    length: limits.embedDescriptionLength,
    total: active.length,
    more: (left) => translate(locale, 'mod.more', { more: left }),
  });
  await answer(interaction, { embeds: [card(translate(locale, 'mod.blocks.title'), shown)] });
}

/** The subject of a block: the given member, or the given site. */
function subjectOf({ options }: GuildCommand): string {
  const target = options.getUser('member');
  const origin = options.getString('site');
  if ((target === null) === (origin === null)) throw new UserError('mod.block.nothing');
  const subject = target ? memberSubject(target.id) : originSubject(origin ?? '');
  if (subject === null) throw new UserError('mod.block.origin', { given: code(origin ?? '') });
  return subject;
}

function actOf({ member, options }: GuildCommand): Required<Pick<Act, 'by' | 'reason'>> {
  const reason = options.getString('reason') ?? '';
  return { by: member, reason: shortened(cleanTitle(reason), MAX_REASON_LENGTH) };
}
