import { PermissionFlagsBits } from 'discord.js';
import { DAY_MS } from '../src/clock.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import {
  blockBy,
  plainName,
  subjectNames,
  unblockBy,
} from '../src/admin/moderation/change-blocks.ts';
import type { App } from '../src/app.ts';
import type {
  Choice,
  Command,
  GuildCommand,
  GuildCompletion,
} from '../src/discord/commands/command.ts';
import { findRemoved, lastRemoved, typedId } from '../src/articles/find-article.ts';
import { articleOption } from '../src/articles/lists/article-option.ts';
import {
  answerLock,
  answerRemove,
  answerRestore,
  answerRetitle,
  articleText,
  demandModerator,
  demandServerModerator,
  isModerator,
} from '../src/admin/moderation/answers.ts';
import { completeArticles } from '../src/articles/lists/autocomplete.ts';
import { reasonText, untilText } from '../src/articles/posting/block-text.ts';
import { timestamp } from '../src/text/mentions.ts';
import { isGroup } from '../src/eligibility/guild-rules.ts';
import {
  BLOCK_SCOPES,
  MAX_BLOCK_DAYS,
  MAX_REASON_LENGTH,
  modData,
  type ModSubcommand,
} from '../src/admin/moderation/mod-command.ts';
import { moveBy } from '../src/admin/moderation/actions.ts';
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
import { canBeUndone, undo } from '../src/admin/moderation/undo.ts';
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
import { type AuditEntry, readAuditLog } from '../src/records/audit-log.ts';
import { isSettingName } from '../src/records/settings.ts';
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
  undo: undoEntry,
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
    if (!isModerator(interaction)) return [];
    if (name === 'entry') return completeEntries(interaction, app, typed);
    return name === 'block' ? completeBlocks(interaction, app, typed) : [];
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
  const { guildId, locale, member } = interaction;
  const home = groupOption(interaction, 'channel');
  if (!home) throw new UserError('channel.unknown');
  requireMemberPermissions(member, home, ['ManageMessages']);
  const channel = `<#${home.id}>`;
  const { settings } = await app.rules.read(guildId);
  if (!isGroup(settings, home.id)) throw new UserError('channel.no-group', { channel });
  const article = await chosenArticle(interaction, app);
  switch (await moveBy(app, article, home, actOf(interaction))) {
    case 'moved': {
      const message = articleText(guildId, article);
      return answer(interaction, translate(locale, 'mod.moved', { channel, message }));
    }
    case 'unchanged':
      throw new UserError('mod.move.unchanged');
    case 'unknown':
      throw new UserError('article.unknown');
  }
}

async function block(interaction: GuildCommand, app: ModerationParts): Promise<void> {
  const { locale, options, user } = interaction;
  demandServerModerator(interaction);
  const target = options.getUser('member');
  const origin = options.getString('origin');
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
  const subject = meant.find((one) => all.has(one)) ?? given;
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

async function undoEntry(interaction: GuildCommand, app: ModerationParts): Promise<void> {
  const { guildId, locale, member, guild } = interaction;
  demandServerModerator(interaction);
  const id = typedId(interaction.options.get('entry')?.value, guildId);
  const entry = (await readAuditLog(app.store, guildId)).find((one) => one.id === id);
  if (!entry || !maySeeEntry(member, entry) || !canBeUndone(entry, member)) {
    throw new UserError('mod.entry.unknown');
  }
  const homes = entry.what === 'move' ? [entry.home, entry.after] : [entry.home];
  for (const home of homes) {
    const channel = typeof home !== 'string' ? undefined : guild.channels.cache.get(home);
    if (channel) requireMemberPermissions(member, channel, ['ManageMessages']);
  }
  if (!(await undo(app, entry, actOf(interaction)))) {
    throw new UserError('mod.undone.already');
  }
  await answer(interaction, translate(locale, 'mod.undone', { entry: auditLine(locale, entry) }));
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

function actOf({ id, member, options }: GuildCommand): Act {
  const reason = options.getString('reason') ?? '';
  return { id, by: member, reason: shortened(cleanTitle(reason), MAX_REASON_LENGTH) };
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
  const members = active.filter(({ subject }) => blockedMember(subject) !== null);
  const names = await subjectNames(
    app.displayNames,
    interaction.guildId,
    members.slice(0, limits.choices).map(({ subject }) => subject),
  );
  const nameOf = ({ subject, reason }: Block): string =>
    [names.get(subject) ?? plainName(subject), reason].filter(Boolean).join(' · ');
  return firstChoices(active, typed, nameOf, ({ subject }) => subject);
}

async function completeEntries(
  interaction: GuildCompletion,
  { store, displayNames }: Pick<App, 'store' | 'displayNames'>,
  typed: string,
): Promise<Choice[]> {
  const { guildId, locale, member } = interaction;
  const entries = (await readAuditLog(store, guildId)).filter(
    (entry) => maySeeEntry(member, entry) && canBeUndone(entry, member),
  );
  const names = await subjectNames(
    displayNames,
    guildId,
    entries.flatMap(({ subject }) => subject ?? []),
  );
  const nameOf = (entry: AuditEntry): string => {
    const named = entry.subject ?? '';
    const subject = isSettingName(named)
      ? translate(locale, `settings.${named}`)
      : (names.get(named) ?? named);
    const about = entry.title || subject || entry.article || '';
    const what = translate(locale, `audit.name.${entry.what}`);
    return `${what} · ${about}`;
  };
  return firstChoices(entries, typed, nameOf, ({ id }) => id);
}

/** The first ones whose name contains what was typed. */
function firstChoices<T>(
  all: readonly T[],
  typed: string,
  nameOf: (one: T) => string,
  valueOf: (one: T) => string,
): Choice[] {
  const choices: Choice[] = [];
  for (const one of all) {
    if (choices.length === limits.choices) break;
    const name = nameOf(one);
    if (contains(name, typed)) choices.push({ name, value: valueOf(one) });
  }
  return choices;
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
