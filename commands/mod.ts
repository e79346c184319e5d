import { PermissionFlagsBits } from 'discord.js';
import { answer } from '../src/discord/answer.ts';
import { messageLink } from '../src/discord/article-lines.ts';
import { blockBy, handleOf, subjectNames, unblockBy } from '../src/discord/blocking.ts';
import type { Bot } from '../src/discord/bot.ts';
import type { Choice, Command, GuildCommand, GuildCompletion } from '../src/discord/command.ts';
import { completeArticles } from '../src/discord/completion.ts';
import { isGroup, reasonText, untilText } from '../src/discord/may-post.ts';
import {
  blockedDoings,
  MAX_BLOCK_DAYS,
  MAX_REASON_LENGTH,
  modData,
  type ModSubcommand,
} from '../src/discord/mod-command.ts';
import {
  type Act,
  lockBy,
  moveBy,
  removeBy,
  restoreBy,
  retitleBy,
} from '../src/discord/moderation.ts';
import { deedLine, doingText, mayRead, subjectText } from '../src/discord/moderation-log.ts';
import { groupOption } from '../src/discord/options.ts';
import { demandOfMember } from '../src/discord/permissions.ts';
import { settingText } from '../src/discord/setting-values.ts';
import { cleanTitle, code, fitting, shortened } from '../src/discord/title.ts';
import { canBeUndone, undo } from '../src/discord/undo.ts';
import { UserError } from '../src/discord/user-error.ts';
import { mayView } from '../src/discord/visibility.ts';
import {
  type Block,
  holds,
  isSharedEnding,
  memberSubject,
  originSubject,
} from '../src/store/blocks.ts';
import { type Deed, readDeeds } from '../src/store/deeds.ts';
import { isSettingName } from '../src/store/settings.ts';
import { translate } from '../src/text/catalogue.ts';
import { type Article, readArticle } from '../src/voting/articles.ts';
import { listRemoved, readRemoved } from '../src/voting/removed.ts';
import { zSnowflake } from '../src/voting/snowflake.ts';
import { readUncounted } from '../src/voting/uncounted.ts';

type Run = (interaction: GuildCommand, bot: Bot) => Promise<void>;

const run: Record<ModSubcommand, Run> = {
  remove,
  restore,
  lock: (interaction, bot) => setLock(interaction, bot, true),
  unlock: (interaction, bot) => setLock(interaction, bot, false),
  move,
  retitle,
  block,
  unblock,
  blocks,
  votes,
  log,
  undo: undoDeed,
};

const shownAtMost = 20;
const choicesAtMost = 25;
const nameLength = 100;
const dayMs = 86_400_000;

export default {
  data: modData,
  readOnly: ['blocks', 'votes', 'log'],

  async run(interaction, bot) {
    await run[interaction.options.getSubcommand() as ModSubcommand](interaction, bot);
  },

  async complete(interaction, bot) {
    if (!interaction.memberPermissions.has(PermissionFlagsBits.ManageMessages)) return [];
    const { name, value } = interaction.options.getFocused(true);
    const typed = value.trim().toLocaleLowerCase();
    if (name === 'article') {
      return interaction.options.getSubcommand() === 'restore'
        ? completeRemoved(interaction, bot, typed)
        : completeArticles(interaction, bot, value);
    }
    // What concerns the whole server needs the permission in the whole server.
    if (!isModerator(interaction)) return [];
    if (name === 'deed') return completeDeeds(interaction, bot, typed);
    return name === 'block' ? completeBlocks(interaction, bot, typed) : [];
  },
} satisfies Command;

async function remove(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { locale } = interaction;
  const outcome = await removeBy(bot, await chosenArticle(interaction, bot), actOf(interaction));
  switch (outcome) {
    case 'buried':
      return answer(interaction, translate(locale, 'mod.removed'));
    case 'unedited':
      return answer(
        interaction,
        `${translate(locale, 'mod.removed')}\n${translate(locale, 'mod.unedited')}`,
      );
    case 'foreign':
      return answer(
        interaction,
        `${translate(locale, 'mod.removed')}\n${translate(locale, 'mod.imported')}`,
      );
    case 'unchanged':
      throw new UserError('mod.removed.already');
    case 'unknown':
      throw new UserError('mod.article.unknown');
  }
}

async function restore(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale, member } = interaction;
  const id = givenId(interaction, 'article');
  const removed = id === null ? null : await readRemoved(bot.ranking, guildId, id);
  if (!removed) {
    const present = id === null ? null : await readArticle(bot.ranking, guildId, id);
    if (!present || !mayView(member, present.home)) throw new UserError('mod.removed.unknown');
    throw new UserError('mod.restored.already', { message: messageLink(guildId, present) });
  }
  demandModerator(interaction, removed.article, 'mod.removed.unknown');
  const outcome = await restoreBy(bot, removed.article, actOf(interaction));
  switch (outcome.status) {
    case 'unburied':
    case 'unchanged': {
      const key = outcome.status === 'unburied' ? 'mod.restored' : 'mod.restored.already';
      const message = messageLink(guildId, removed.article);
      return answer(interaction, translate(locale, key, { message }));
    }
    case 'duplicate': {
      const other = await readArticle(bot.ranking, guildId, outcome.article);
      if (!other || !mayView(member, other.home)) throw new UserError('mod.restored.hidden');
      throw new UserError('mod.restored.duplicate', { message: messageLink(guildId, other) });
    }
    case 'unknown':
      throw new UserError('mod.removed.unknown');
  }
}

async function setLock(interaction: GuildCommand, bot: Bot, locked: boolean): Promise<void> {
  const { guildId, locale } = interaction;
  const article = await chosenArticle(interaction, bot);
  const message = messageLink(guildId, article);
  switch (await lockBy(bot, article, locked, actOf(interaction))) {
    case 'changed':
      return answer(
        interaction,
        translate(locale, locked ? 'mod.locked' : 'mod.unlocked', { message }),
      );
    case 'unchanged':
      throw new UserError('mod.lock.unchanged', { message });
    case 'closed':
      throw new UserError('mod.lock.closed');
    case 'unknown':
      throw new UserError('mod.article.unknown');
  }
}

async function move(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale, member } = interaction;
  const home = groupOption(interaction, 'channel');
  if (!home) throw new UserError('channel.unknown');
  demandOfMember(member, home, ['ManageMessages']);
  const channel = `<#${home.id}>`;
  const { settings } = await bot.rules.read(guildId);
  if (!isGroup(settings, home.id)) throw new UserError('channel.no-group', { channel });
  const article = await chosenArticle(interaction, bot);
  switch (await moveBy(bot, article, home, actOf(interaction))) {
    case 'moved': {
      const message = messageLink(guildId, article);
      return answer(interaction, translate(locale, 'mod.moved', { channel, message }));
    }
    case 'unchanged':
      throw new UserError('mod.move.unchanged');
    case 'unknown':
      throw new UserError('mod.article.unknown');
  }
}

async function retitle(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale, options } = interaction;
  const article = await chosenArticle(interaction, bot);
  const title = cleanTitle(String(options.get('title')?.value ?? ''));
  if (title === '') throw new UserError('mod.title.empty');
  switch (await retitleBy(bot, article, title, actOf(interaction))) {
    case 'retitled': {
      const message = messageLink(guildId, article);
      return answer(interaction, translate(locale, 'mod.retitled', { message }));
    }
    case 'unchanged':
      throw new UserError('mod.retitle.unchanged');
    case 'unknown':
      throw new UserError('mod.article.unknown');
  }
}

async function block(interaction: GuildCommand, bot: Bot): Promise<void> {
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
  const what = blockedDoings.find((known) => known === options.getString('what')) ?? 'both';
  const days = options.getInteger('days');
  if (days !== null && (days < 1 || days > MAX_BLOCK_DAYS)) {
    throw new UserError('invalid.option', { option: 'days' });
  }
  const now = bot.clock.now();
  const act = actOf(interaction);
  const wanted: Block = {
    subject,
    posting: target === null || what !== 'vote',
    voting: target !== null && what !== 'post',
    reason: act.reason,
    by: user.id,
    sinceMs: now,
    untilMs: days === null ? null : now + days * dayMs,
  };
  const blocked = await blockBy(bot, wanted, act);
  const values = {
    subject: subjectText(subject),
    until: untilText(blocked.untilMs),
    what: doingText(locale, blocked),
  };
  await answer(interaction, translate(locale, 'mod.blocked', values));
}

async function unblock(interaction: GuildCommand, bot: Bot): Promise<void> {
  demandServerModerator(interaction);
  const given = interaction.options.getString('block') ?? '';
  const { blocks: all } = await bot.rules.refresh(interaction.guildId);
  // As it was chosen, or typed as it is shown: a domain, a mention.
  const typed = given
    .trim()
    .replace(/^<@(\d+)>$/, '$1')
    .toLowerCase();
  const isMeant = (one: string) =>
    handleOf(one) === given || one.slice(one.indexOf(':') + 1) === typed;
  const subject = [...all.keys()].find(isMeant) ?? given;
  if ((await unblockBy(bot, subject, actOf(interaction))) === 'unknown') {
    throw new UserError('mod.block.unknown');
  }
  const values = { subject: subjectText(subject) };
  await answer(interaction, translate(interaction.locale, 'mod.unblocked', values));
}

async function blocks(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { locale } = interaction;
  demandServerModerator(interaction);
  const active = await activeBlocks(interaction, bot);
  if (active.length === 0) return answer(interaction, translate(locale, 'mod.blocks.none'));
  const lines = active.map((one) =>
    translate(locale, 'mod.blocks.line', {
      subject: subjectText(one.subject),
      what: doingText(locale, one),
      until: untilText(one.untilMs),
      by: `<@${one.by}>`,
      reason: reasonText(one.reason),
    }),
  );
  await answerLines(interaction, translate(locale, 'mod.blocks.title'), lines);
}

async function votes(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale } = interaction;
  const article = await chosenArticle(interaction, bot);
  if (article.closed) throw new UserError('mod.votes.closed');
  const message = messageLink(guildId, article);
  const uncounted = [...(await readUncounted(bot.ranking, guildId, article.id))];
  if (uncounted.length === 0) {
    return answer(interaction, translate(locale, 'mod.votes.none', { message }));
  }
  const lines = uncounted.map(([id, { vote, reason, untilMs }]) => {
    const why = translate(locale, `mod.why.${reason}`);
    const until = untilMs === null ? '' : ` (<t:${Math.floor(untilMs / 1000)}:R>)`;
    const values = { vote: vote === 'up' ? '👍' : '👎', member: `<@${id}>`, why: why + until };
    return translate(locale, 'mod.votes.line', values);
  });
  const title = translate(locale, 'mod.votes.title', { count: uncounted.length, message });
  await answerLines(interaction, title, lines);
}

async function log(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale, member } = interaction;
  demandServerModerator(interaction);
  const deeds = (await readDeeds(bot.store, guildId)).filter((deed) => mayRead(member, deed));
  if (deeds.length === 0) return answer(interaction, translate(locale, 'mod.log.none'));
  const lines = deeds.map((deed) => {
    const reason = deed.reason === '' ? '' : ` · ${code(deed.reason)}`;
    return `<t:${Math.floor(deed.atMs / 1000)}:R> ${deedLine(locale, deed)}${reason}`;
  });
  await answerLines(interaction, translate(locale, 'mod.log.title'), lines);
}

async function undoDeed(interaction: GuildCommand, bot: Bot): Promise<void> {
  const { guildId, locale, member, guild } = interaction;
  demandServerModerator(interaction);
  const id = givenId(interaction, 'deed');
  const deed = (await readDeeds(bot.store, guildId)).find((one) => one.id === id);
  if (!deed || !mayRead(member, deed) || !canBeUndone(deed, member)) {
    throw new UserError('mod.deed.unknown');
  }
  const homes = deed.what === 'move' ? [deed.home, deed.after] : [deed.home];
  for (const home of homes) {
    const channel = typeof home !== 'string' ? undefined : guild.channels.cache.get(home);
    if (channel) demandOfMember(member, channel, ['ManageMessages']);
  }
  if ((await undo(bot, deed, actOf(interaction))) === 'changed') {
    throw new UserError('mod.undone.already');
  }
  await answer(interaction, translate(locale, 'mod.undone', { deed: deedLine(locale, deed) }));
}

/** An article of another guild, or in a channel that the asker may not view, is unknown. */
async function chosenArticle(interaction: GuildCommand, { ranking }: Bot): Promise<Article> {
  const id = givenId(interaction, 'article');
  const article = id === null ? null : await readArticle(ranking, interaction.guildId, id);
  if (!article) throw new UserError('mod.article.unknown');
  demandModerator(interaction, article, 'mod.article.unknown');
  return article;
}

/** Whoever moderates the home channel; where that is gone, whoever moderates the server. */
function demandModerator(
  interaction: GuildCommand,
  { home }: Article,
  unknown: 'mod.article.unknown' | 'mod.removed.unknown',
): void {
  const channel = interaction.guild.channels.cache.get(home);
  if (!channel) return demandServerModerator(interaction);
  if (!mayView(interaction.member, home)) throw new UserError(unknown);
  demandOfMember(interaction.member, channel, ['ManageMessages']);
}

function demandServerModerator(interaction: GuildCommand): void {
  if (!isModerator(interaction)) throw new UserError('mod.forbidden');
}

/** Roles alone count: a permission in one channel is none in the others. */
function isModerator({ guild, member, memberPermissions }: GuildCommand | GuildCompletion) {
  const held = memberPermissions.has(PermissionFlagsBits.ManageMessages);
  return held && (guild.ownerId === member.id || member.permissions.has('ManageMessages'));
}

function actOf({ id, member, options }: GuildCommand): Act {
  const reason = options.getString('reason') ?? '';
  return { id, by: member, reason: shortened(cleanTitle(reason), MAX_REASON_LENGTH) };
}

function givenId({ options }: GuildCommand, name: string): string | null {
  return zSnowflake.safeParse(options.get(name)?.value).data ?? null;
}

async function activeBlocks({ guildId }: GuildCommand | GuildCompletion, bot: Bot) {
  const { blocks: all } = await bot.rules.read(guildId);
  return [...all.values()]
    .filter((one) => holds(one, bot.clock.now()))
    .sort((a, b) => b.sinceMs - a.sinceMs);
}

async function completeRemoved(
  { guildId, member }: GuildCompletion,
  { ranking }: Bot,
  typed: string,
): Promise<Choice[]> {
  return (await listRemoved(ranking, guildId))
    .map(({ article }) => article)
    .filter(({ home, title }) => mayView(member, home) && contains(title, typed))
    .slice(0, choicesAtMost)
    .map(({ id, title }) => ({ name: shortened(title, nameLength), value: id }));
}

async function completeBlocks(
  interaction: GuildCompletion,
  bot: Bot,
  typed: string,
): Promise<Choice[]> {
  const active = await activeBlocks(interaction, bot);
  const names = await subjectNames(
    interaction,
    active.map(({ subject }) => subject),
  );
  return active
    .map(({ subject, reason }) => ({
      name: shortened(
        [names.get(subject) ?? subject, reason].filter(Boolean).join(' · '),
        nameLength,
      ),
      value: handleOf(subject),
    }))
    .filter(({ name }) => contains(name, typed))
    .slice(0, choicesAtMost);
}

async function completeDeeds(
  interaction: GuildCompletion,
  { store }: Bot,
  typed: string,
): Promise<Choice[]> {
  const { guildId, locale, member } = interaction;
  const deeds = (await readDeeds(store, guildId)).filter(
    (deed) => mayRead(member, deed) && canBeUndone(deed, member),
  );
  const names = await subjectNames(
    interaction,
    deeds.flatMap(({ subject }) => subject ?? []),
  );
  const nameOf = (deed: Deed): string => {
    const named = deed.subject ?? '';
    const subject = isSettingName(named) ? settingText(locale, named) : (names.get(named) ?? named);
    const about = deed.title || subject || deed.article || '';
    const what = translate(locale, `deed.name.${deed.what}`);
    return shortened(`${what} · ${about}`, nameLength);
  };
  return deeds
    .map((deed) => ({ name: nameOf(deed), value: deed.id }))
    .filter(({ name }) => contains(name, typed))
    .slice(0, choicesAtMost);
}

function contains(text: string, typed: string): boolean {
  return text.toLocaleLowerCase().includes(typed);
}

async function answerLines(
  interaction: GuildCommand,
  title: string,
  lines: string[],
): Promise<void> {
  const more = (left: number) => translate(interaction.locale, 'mod.more', { more: left });
  // Content for links and mentions that open; the embed holds what is long.
  await answer(interaction, {
    content: title,
    embeds: [{ description: fitting(lines, { length: 4000, most: shownAtMost, more }) }],
  });
}
