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
import { reportedView, reportsPage } from '../src/moderation/reports-page.ts';
import { blockValues, reasonText, subjectsText } from '../src/community/block-texts.ts';
import { MAX_REASON_LENGTH } from '../src/community/moderation-log.ts';
import { cleanLine, code, decoded, fitting, shortened } from '../src/text/clean.ts';
import { pageButtons, TURNS, zPage } from '../src/articles/lists/article-page.ts';
import { button, card, choiceSelect, row } from '../src/discord/interactions/components.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  type BlockSubject,
  hostOf,
  isSharedEnding,
  MAX_SITE_LENGTH,
  memberSubject,
  siteSubject,
  subjectKey,
  type SubjectKind,
  wordsSubject,
  zSubject,
} from '../src/community/block-subject.ts';
import { STARS_AT_MOST } from '../src/community/blocked-words.ts';
import { type Block, BLOCK_SCOPES, blockScopes, holds } from '../src/community/blocks.ts';
import { translate } from '../src/text/catalogue.ts';
import { limits } from '../src/discord/limits.ts';
import { requireWalk } from '../src/community/member-limits.ts';
import type { MemberNames } from '../src/discord/member-names.ts';
import type { Ranking } from '../src/ranking/ranking.ts';
import type { Community } from '../src/community/community.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import type { BotCommand } from '../src/bot.ts';

const MAX_BLOCK_DAYS = 3650;
/** With the longest sites and reasons, of about 500 characters a line, so many fit into an embed. */
const BLOCKS_A_PAGE = 8;
/** A page of the list of blocks, a block of it that is lifted, what of a block is still here, or a reported article. */
const zArgs = z.union([
  z.tuple([z.literal('blocks'), z.enum(TURNS), zPage]),
  z.tuple([z.literal('lift')]),
  z.tuple([z.literal('report')]),
  // A site may have the sign that separates them.
  z.tuple([z.literal('sweep')], z.string()),
]);
/** Many phrases come at once, from another list. */
const MAX_TYPED_WORDS = 1000;
const zDays = z.int().min(1).max(MAX_BLOCK_DAYS).optional();

/** Each kind of subject is chosen by an option of its own. */
const subjectOptions = {
  member: {
    type: ApplicationCommandOptionType.User,
    ...localized('command.mod.option.member'),
  } as const,
  site: textOption('command.mod.option.site', { max_length: MAX_SITE_LENGTH }),
  words: textOption('command.mod.option.words', { max_length: MAX_TYPED_WORDS }),
} satisfies Record<SubjectKind, object>;
const reason = textOption('command.mod.option.reason', { max_length: MAX_REASON_LENGTH });

interface ModNeeds extends Community {
  /** Where what a block does not let in may still be. */
  ranking: Ranking;
  /** Writes blocks, and reports them. */
  moderation: Moderation;
  /** What the blocked members are called. */
  names: MemberNames;
  /** Discord's time. */
  clock: Clock;
}

/** Blocks of members, sites and words, and what members report. Articles are moderated by a message command. */
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
      subcommand('command.mod.reports'),
    ],
  },

  async run(interaction, needs) {
    const subcommand = interaction.options.getSubcommand();
    // Who moderates one channel decides about what is reported there.
    if (subcommand !== 'reports') requireServerModerator(interaction);
    switch (subcommand) {
      case 'block':
        return block(interaction, needs);
      case 'unblock':
        return unblock(interaction, needs);
      case 'blocks':
        return answer(interaction, await blocks(interaction, needs, 1));
      case 'reports':
        return answer(interaction, await reportsPage(interaction, needs));
      default:
        throw new UserError('stale');
    }
  },

  async component(interaction, args, needs) {
    const parsed = parseArgs(zArgs, args);
    if (parsed[0] !== 'report') requireServerModerator(interaction);
    switch (parsed[0]) {
      case 'report': {
        const [chosen = ''] = interaction.isStringSelectMenu() ? interaction.values : [];
        return updateMessage(interaction, await reportedView(interaction, needs, chosen));
      }
      case 'sweep':
        return sweep(interaction, needs, parsed.slice(1).join('|'));
      case 'lift': {
        const [chosen = ''] = interaction.isStringSelectMenu() ? interaction.values : [];
        const subject = zSubject.safeParse(chosen);
        if (!subject.success) throw new UserError('stale');
        const act = { by: interaction.member };
        if ((await needs.moderation.unblock([subject.data], act)) === 'unknown')
          throw new UserError('mod.block.unknown');
        return updateMessage(interaction, await blocks(interaction, needs, 1));
      }
      case 'blocks':
        return updateMessage(interaction, await blocks(interaction, needs, parsed[2]));
      default:
        return parsed[0] satisfies never;
    }
  },
} satisfies BotCommand<ModNeeds>;

async function block(interaction: GuildCommand, needs: ModNeeds): Promise<void> {
  const { locale, member, options } = interaction;
  const subjects = subjectsOf(interaction);
  const target = options.getUser('member');
  const typed = options.getString('site') ?? '';
  if (target && (target.bot || target.id === member.id)) throw new UserError('mod.block.self');
  const ending = subjects.find((subject) => subject.kind === 'site' && isSharedEnding(subject));
  if (ending !== undefined) throw new UserError('mod.block.ending', { input: code(typed) });
  const what = validOption(interaction, 'what', z.enum(blockScopes).default('both'));
  const days = validOption(interaction, 'days', zDays);
  const now = needs.clock.now();
  const blocked = await needs.moderation.block(member, subjects, {
    // A site and words have no votes, whatever was chosen.
    ...(target ? BLOCK_SCOPES[what] : BLOCK_SCOPES.post),
    reason: reasonOf(interaction),
    sinceMs: now,
    untilMs: days === undefined ? null : now + days * DAY_MS,
  });
  const lines = [translate(locale, 'mod.blocked', blockValues(locale, ...blocked))];
  // Links of one site are compared under one host: `youtube.com` for `youtu.be`.
  const isOther = ({ subject }: Block) =>
    subject.kind === 'site' && !typed.toLowerCase().includes(hostOf(subject));
  if (blocked.some(isOther)) {
    lines.push(translate(locale, 'mod.blocked.site', { input: code(typed) }));
  }
  const still = await stillHere(interaction, needs, blocked);
  await answer(interaction, {
    content: [...lines, ...still.lines].join('\n'),
    components: still.components,
  });
}

/** Says what of the blocks is still here. What one subject has here can be removed at once. */
async function stillHere(
  { locale, member }: GuildCommand,
  needs: ModNeeds,
  blocked: readonly Block[],
) {
  const posting = blocked.filter((block) => block.posting);
  // Who blocks very many at once is told of no number.
  const isSoon = needs.memberLimits.count('walk', member.guild.id, member.id) > 0;
  const found = isSoon ? [] : await needs.moderation.stillHere(member, posting);
  if (found.length === 0) return { lines: [], components: [] };
  const [subject] = blocked.map((block) => block.subject);
  const id = `mod|sweep|${subjectKey(subject!)}`;
  const isOne = blocked.length === 1 && id.length <= limits.customIdLength;
  const label = translate(locale, 'moderate.remove-all', { count: found.length });
  return {
    lines: [translate(locale, 'mod.still', { count: found.length })],
    components: isOne ? [row(button(id, label, 'danger'))] : [],
  };
}

async function sweep(interaction: GuildComponent, needs: ModNeeds, key: string): Promise<void> {
  const { guildId, member } = interaction;
  const subject = zSubject.safeParse(key).data;
  if (subject === undefined) throw new UserError('stale');
  requireWalk(needs, guildId, member.id);
  const block = (await needs.rules.read(guildId)).blocks.get(subjectKey(subject));
  if (!holds(block, needs.clock.now())) throw new UserError('mod.block.unknown');
  const found = await needs.moderation.stillHere(member, [block]);
  await needs.moderation.removeAll(interaction, found, block.reason);
}

async function unblock(interaction: GuildCommand, needs: ModNeeds): Promise<void> {
  const subjects = subjectsOf(interaction);
  const act = { by: interaction.member, reason: reasonOf(interaction) };
  if ((await needs.moderation.unblock(subjects, act)) === 'unknown')
    throw new UserError('mod.block.unknown');
  const values = { subject: subjectsText(subjects) };
  await answer(interaction, translate(interaction.locale, 'mod.unblocked', values));
}

/** A page of the blocks that hold now, the newest first. */
async function blocks(
  { guildId, locale }: GuildCommand | GuildComponent,
  { rules, clock, names }: ModNeeds,
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
  const onPage = active.slice((page - 1) * BLOCKS_A_PAGE, page * BLOCKS_A_PAGE);
  const lines = onPage.map((one) =>
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
  const members = onPage.flatMap(({ subject }) =>
    subject.kind === 'member' ? [subject.member] : [],
  );
  const known = members.length > 0 ? await names.soon(guildId, members) : new Map<string, string>();
  const liftable = onPage
    .map(({ subject }) => ({ value: subjectKey(subject), label: nameOf(known, subject) }))
    .filter(({ value }) => value.length <= limits.choiceLength);
  const placeholder = translate(locale, 'mod.blocks.lift');
  return {
    embeds: [pages > 1 ? { ...embed, footer: { text } } : embed],
    components: [
      ...(pages > 1 ? [pageButtons(locale, { page, idOf: blocksId }, pages)] : []),
      ...(liftable.length > 0
        ? [choiceSelect({ custom_id: 'mod|lift', placeholder }, liftable, null)]
        : []),
    ],
  };
}

/** As a select shows it, which has no mentions. */
function nameOf(known: ReadonlyMap<string, string>, subject: BlockSubject): string {
  switch (subject.kind) {
    case 'member':
      return shortened(
        `@${known.get(subject.member) ?? subject.member}`,
        limits.selectOptionLength,
      );
    case 'site':
      return shortened(decoded(subject.site), limits.choiceLength);
    case 'words':
      return subject.words;
    default:
      return subject satisfies never;
  }
}

const blocksId = (turn: string, page: number) => ['mod', 'blocks', turn, page].join('|');

/** The subjects of a block: the given member, the given site, or each of the given words. */
function subjectsOf({ options }: GuildCommand): [BlockSubject, ...BlockSubject[]] {
  const target = options.getUser('member');
  const site = options.getString('site');
  const words = options.getString('words');
  if ([target, site, words].filter((given) => given !== null).length !== 1)
    throw new UserError('mod.block.nothing');
  if (target) return [memberSubject(target.id)];
  if (site !== null) return [typedSubject(siteSubject(site), 'mod.block.origin', site)];
  const [first = '', ...more] = (words ?? '').split(/[,،，、;；]/).filter((each) => each.trim());
  const typedWords = (typed: string) =>
    typedSubject(wordsSubject(typed), 'mod.block.words', typed.trim());
  return [typedWords(first), ...more.map(typedWords)];
}

function typedSubject(
  subject: BlockSubject | null,
  refusal: 'mod.block.origin' | 'mod.block.words',
  typed: string,
): BlockSubject {
  if (subject !== null) return subject;
  throw new UserError(refusal, { input: code(typed), stars: STARS_AT_MOST });
}

function reasonOf({ options }: GuildCommand): string {
  return cleanLine(options.getString('reason') ?? '', MAX_REASON_LENGTH);
}
