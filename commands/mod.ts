import { createHash } from 'node:crypto';
import { PermissionFlagsBits } from 'discord.js';
import { DAY_MS } from '../src/clock.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import { blockBy, unblockBy } from '../src/admin/moderation/change-blocks.ts';
import type { App } from '../src/app.ts';
import type {
  Choice,
  Command,
  GuildCommand,
  GuildCompletion,
} from '../src/discord/commands/command.ts';
import { findRemoved, lastRemoved } from '../src/articles/find-article.ts';
import { articleOption } from '../src/articles/lists/article-option.ts';
import {
  answerLock,
  answerMove,
  answerRemove,
  answerRestore,
  answerRetitle,
} from '../src/admin/moderation/actions.ts';
import {
  demandModerator,
  demandServerModerator,
  isModerator,
} from '../src/admin/moderation/rights.ts';
import { completeArticles } from '../src/articles/lists/autocomplete.ts';
import { originName, reasonText, untilText } from '../src/articles/posting/block-text.ts';
import { timestamp } from '../src/text/mentions.ts';
import { isGroup } from '../src/eligibility/guild-rules.ts';
import {
  BLOCK_SCOPES,
  MAX_BLOCK_DAYS,
  MAX_REASON_LENGTH,
  modData,
  type ModSubcommand,
} from '../src/admin/moderation/mod-command.ts';
import {
  type Act,
  auditLine,
  changeText,
  blockScopeText,
  maySeeEntry,
  subjectText,
  type ModerationParts,
} from '../src/admin/moderation/audit-entries.ts';
import { groupOption } from '../src/discord/commands/checked-options.ts';
import { requireMemberPermissions } from '../src/discord/access/permissions.ts';
import { cleanTitle, code, fitting, shortened } from '../src/text/clean.ts';
import { card } from '../src/discord/interactions/components.ts';
import { UserError } from '../src/discord/user-error.ts';
import { mayView } from '../src/discord/access/visibility.ts';
import {
  type Block,
  blockedMember,
  holds,
  isSharedEnding,
  memberSubject,
  originSubject,
} from '../src/records/blocks.ts';
import { readAuditLog } from '../src/records/audit-log.ts';
import { translate } from '../src/text/catalogue.ts';
import type { Article } from '../src/ranking/articles/articles.ts';
import { limits } from '../src/discord/limits.ts';

type Run = (interaction: GuildCommand, app: App) => Promise<void>;

const run: Record<ModSubcommand, Run> = {
  async remove(interaction, app) {
    await answerRemove(interaction, app, await chosenArticle(interaction, app), actOf(interaction));
  },
  async restore(interaction, app) {
    const typed = interaction.options.get('article')?.value;
    const id = await findRemoved(app, interaction.member, typed);
    await answerRestore(interaction, app, id, actOf(interaction));
  },
  lock: (interaction, app) => setLock(interaction, app, true),
  unlock: (interaction, app) => setLock(interaction, app, false),
  move,
  async retitle(interaction, app) {
    const title = String(interaction.options.get('title')?.value ?? '');
    const article = await chosenArticle(interaction, app);
    await answerRetitle(interaction, app, { article, typed: title, act: actOf(interaction) });
  },
  block,
  unblock,
  blocks,
  log,
};

const SHOWN_AT_MOST = 20;

export default {
  data: modData,

  async run(interaction, app) {
    await run[interaction.options.getSubcommand() as ModSubcommand](interaction, app);
  },

  async complete(interaction, app) {
    if (!interaction.memberPermissions.has(PermissionFlagsBits.ManageMessages)) return [];
    const { name, value } = interaction.options.getFocused(true);
    const typed = value.trim().toLocaleLowerCase();
    if (name === 'article') {
      return interaction.options.getSubcommand() === 'restore'
        ? completeRemoved(interaction, app, typed)
        : completeArticles(interaction, app, value);
    }
    // Server-wide actions need the permission in the whole server.
    if (name !== 'block' || !isModerator(interaction)) return [];
    return completeBlocks(interaction, app, typed);
  },
} satisfies Command;

async function setLock(
  interaction: GuildCommand,
  app: ModerationParts,
  locked: boolean,
): Promise<void> {
  const article = await chosenArticle(interaction, app);
  await answerLock(interaction, app, { article, locked, act: actOf(interaction) });
}

async function move(interaction: GuildCommand, app: ModerationParts): Promise<void> {
  const { guildId, member } = interaction;
  const home = groupOption(interaction, 'channel');
  if (!home) throw new UserError('channel.unknown');
  requireMemberPermissions(member, home, ['ManageMessages']);
  const { settings } = await app.rules.read(guildId);
  if (!isGroup(settings, home.id)) {
    throw new UserError('channel.no-group', { channel: `<#${home.id}>` });
  }
  const article = await chosenArticle(interaction, app);
  await answerMove(interaction, app, { article, home, act: actOf(interaction) });
}

async function block(interaction: GuildCommand, app: ModerationParts): Promise<void> {
  const { locale, options, user } = interaction;
  demandServerModerator(interaction);
  const target = options.getUser('member');
  const origin = options.getString('site');
  if ((target === null) === (origin === null)) throw new UserError('mod.block.nothing');
  if (target && (target.bot || target.id === user.id)) throw new UserError('mod.block.self');
  const subject = target ? memberSubject(target.id) : originSubject(origin ?? '');
  if (subject === null) throw new UserError('mod.block.origin', { given: code(origin ?? '') });
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
  demandServerModerator(interaction);
  const given = interaction.options.getString('block') ?? '';
  // The value is a chosen one, or typed as shown: a domain or a mention.
  const typed = given
    .trim()
    .replace(/^<@(\d+)>$/, '$1')
    .toLowerCase();
  const { blocks: all } = await app.rules.read(interaction.guildId);
  const meant = [given, `member:${typed}`, `origin:${typed}`, originSubject(typed) ?? given];
  const isChosen = (one: string) => blockChoice(one) === given;
  const subject = meant.find((one) => all.has(one)) ?? [...all.keys()].find(isChosen) ?? given;
  if ((await unblockBy(app, subject, actOf(interaction))) === 'unknown') {
    throw new UserError('mod.block.unknown');
  }
  const values = { subject: subjectText(subject) };
  await answer(interaction, translate(interaction.locale, 'mod.unblocked', values));
}

async function blocks(interaction: GuildCommand, app: Pick<App, 'clock' | 'rules'>): Promise<void> {
  const { locale } = interaction;
  demandServerModerator(interaction);
  const active = await activeBlocks(interaction, app);
  if (active.length === 0) return answer(interaction, translate(locale, 'mod.blocks.none'));
  await answerLines(interaction, translate(locale, 'mod.blocks.title'), active, (one) =>
    translate(locale, 'mod.blocks.line', {
      subject: subjectText(one.subject),
      what: blockScopeText(locale, one),
      until: untilText(one.untilMs),
      by: `<@${one.by}>`,
      reason: reasonText(one.reason),
    }),
  );
}

async function log(interaction: GuildCommand, app: Pick<App, 'store'>): Promise<void> {
  const { guildId, locale, member } = interaction;
  demandServerModerator(interaction);
  const entries = (await readAuditLog(app.store, guildId)).filter((entry) =>
    maySeeEntry(member, entry),
  );
  if (entries.length === 0) return answer(interaction, translate(locale, 'mod.log.none'));
  await answerLines(interaction, translate(locale, 'mod.log.title'), entries, (entry) => {
    const reason = entry.reason === '' ? '' : code(entry.reason);
    const line = `${timestamp(entry.atMs, 'R')} ${auditLine(locale, entry)}`;
    return [line, changeText(entry), reason].filter((part) => part !== '').join(' · ');
  });
}

/** An article of another guild, or in a channel that the member may not view, counts as unknown. */
async function chosenArticle(
  interaction: GuildCommand,
  app: Pick<App, 'ranking' | 'clock'>,
): Promise<Article> {
  const article = await articleOption(interaction, app);
  demandModerator(interaction, article, 'article.unknown');
  return article;
}

function actOf({ member, options }: GuildCommand): Act {
  const reason = options.getString('reason') ?? '';
  return { by: member, reason: shortened(cleanTitle(reason), MAX_REASON_LENGTH) };
}

async function activeBlocks(
  { guildId }: GuildCommand | GuildCompletion,
  app: Pick<App, 'clock' | 'rules'>,
) {
  const { blocks: all } = await app.rules.read(guildId);
  return [...all.values()]
    .filter((one) => holds(one, app.clock.now()))
    .sort((a, b) => b.sinceMs - a.sinceMs);
}

async function completeRemoved(
  { guildId, member }: GuildCompletion,
  app: Pick<App, 'ranking' | 'store'>,
  typed: string,
): Promise<Choice[]> {
  return (await lastRemoved(app, guildId))
    .filter(({ home, title }) => mayView(member, home) && contains(title, typed))
    .map(({ id, title }) => ({ name: title, value: id }));
}

async function completeBlocks(
  interaction: GuildCompletion,
  app: Pick<App, 'clock' | 'rules' | 'displayNames'>,
  typed: string,
): Promise<Choice[]> {
  const active = await activeBlocks(interaction, app);
  const members = active.flatMap(({ subject }) => blockedMember(subject) ?? []);
  const names = new Map<string, string | null>();
  await Promise.all(
    members.slice(0, limits.choices).map(async (member) => {
      names.set(member, await app.displayNames(interaction.guildId, member));
    }),
  );
  const nameOf = ({ subject, reason }: Block): string => {
    const member = blockedMember(subject);
    const who = member === null ? originName(subject) : `@${names.get(member) ?? member}`;
    return [who, reason].filter(Boolean).join(' · ');
  };
  return active
    .map((one) => ({ name: nameOf(one), value: blockChoice(one.subject) }))
    .filter(({ name }) => contains(name, typed));
}

/** A block as the value of a choice: its subject, or the hash of one that is too long. */
function blockChoice(subject: string): string {
  if (subject.length <= limits.choiceLength) return subject;
  return createHash('sha256').update(subject).digest('hex');
}

function contains(text: string, typed: string): boolean {
  return text.toLocaleLowerCase().includes(typed);
}

/** Makes only the lines that are shown: there can be thousands of subjects. */
async function answerLines<T>(
  interaction: GuildCommand,
  title: string,
  subjects: readonly T[],
  line: (subject: T) => string,
): Promise<void> {
  const more = (left: number) => translate(interaction.locale, 'mod.more', { more: left });
  const shown = fitting(subjects.slice(0, SHOWN_AT_MOST).map(line), {
    length: limits.embedDescriptionLength,
    total: subjects.length,
    more,
  });
  await answer(interaction, { embeds: [card(title, shown)] });
}
