import { DiscordAPIError, type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { fault } from '../../log.ts';
import { messageLink } from '../../text/mentions.ts';
import { answer, updateMessage } from '../../discord/interactions/answer.ts';
import { isImported } from '../../records/history/imports.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { lockArticle, moveArticle, retitleArticle } from '../../ranking/articles/edit.ts';
import { readRemoved, removeArticle, restoreArticle } from '../../ranking/articles/removed.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { languageOfGuild } from '../../records/settings.ts';
import { removedMessage } from '../../articles/messages/article-message.ts';
import { demandUnblocked } from '../../articles/posting/posting-rules.ts';
import { NotOurs } from '../../discord/requests/own-messages.ts';
import { UserError } from '../../discord/user-error.ts';
import { button, type ActionRow, row } from '../../discord/interactions/components.ts';
import { isListed, mayView } from '../../discord/access/visibility.ts';
import { cleanTitle, code, plainText } from '../../text/clean.ts';
import { translate } from '../../text/catalogue.ts';
import { type Act, logAction, type ModerationParts } from './log-action.ts';
import { demandModerator, type Moderating } from './rights.ts';

// Each function does one action on an article, records it and answers with the result.

/** A button or a form is answered in the place of its message, whose other buttons are stale now. */
function answerDone(
  interaction: Moderating,
  content: string,
  components: ActionRow[] = [],
): Promise<void> {
  const done = { content, components };
  return 'commandName' in interaction
    ? answer(interaction, done)
    : updateMessage(interaction, done);
}

/** The article of an answer, so that several answers can be told apart. */
function titleText({ title }: Pick<Article, 'title'>): string {
  return `**${plainText(title, 100)}**`;
}

function articleText(guild: Snowflake, article: Article): string {
  return `${titleText(article)} ${messageLink(guild, article)}`;
}

/** Reports an action on an article, as it was before the action. `change`: what it was and is. */
async function report(
  app: ModerationParts,
  { id, home, title }: Article,
  act: Act,
  what: 'remove' | 'restore' | 'lock' | 'unlock' | 'move' | 'retitle',
  change?: string,
): Promise<void> {
  // Do not show titles of a hidden channel to moderators who may not view it.
  const isOpen = isListed(act.by.guild.channels.cache.get(home));
  await logAction(app, act, (locale, by) => {
    const article = isOpen ? code(title) : `\`${id}\``;
    const line = translate(locale, `audit.${what}`, { by, article });
    return isOpen && change !== undefined ? `${line}\n${change}` : line;
  });
}

const removedMore = { removed: null, unedited: 'mod.unedited', foreign: 'mod.imported' } as const;

/** Removes an article from all lists and replaces its message with a tombstone. */
export async function answerRemove(
  interaction: Moderating,
  app: ModerationParts,
  article: Article,
  act: Act,
): Promise<void> {
  const { guildId, locale } = interaction;
  const { own = false } = act;
  const { status } = await removeArticle(app.ranking, guildId, article.id, app.clock.now(), own);
  if (status === 'unchanged') throw new UserError('mod.removed.already');
  if (status === 'unknown') throw new UserError('article.unknown');
  await report(app, article, act, 'remove');
  const more = removedMore[await showRemoval(app, article, act)];
  const lines = [
    titleText(article),
    translate(locale, own ? 'me.removed' : 'mod.removed'),
    ...(more === null ? [] : [translate(locale, more)]),
  ];
  const back = button(`moderate|restore|${article.id}`, translate(locale, 'moderate.restore'));
  await answerDone(interaction, lines.join('\n'), own ? [] : [row(back)]);
}

/** `foreign`: the message stays, because an imported article's message belongs to its poster. */
export async function showRemoval(
  app: ModerationParts,
  { id, channel }: Article,
  { by, own = false, reason = '' }: Act,
): Promise<keyof typeof removedMore> {
  const guild = by.guild.id;
  if (await isImported(app.store, guild, id)) return 'foreign';
  const locale = languageOfGuild(await app.rules.read(guild), by.guild);
  try {
    await app.ownMessages.demand({ guild, channel, message: id });
    const body = removedMessage({ own, reason }, locale);
    await app.client.rest.patch(Routes.channelMessage(channel, id), { body });
    return 'removed';
  } catch (error) {
    app.log.warn({ ...fault(error), article: id }, 'A removal could not be shown.');
    if (!(error instanceof DiscordAPIError || error instanceof NotOurs)) throw error;
    return 'unedited';
  } finally {
    // An edit that began before the removal may have arrived after it.
    app.messageUpdates.note(guild, id);
  }
}

/** Restores a removed article, and counts the votes that it could not take meanwhile. */
export async function answerRestore(
  interaction: Moderating,
  app: ModerationParts,
  id: string | null,
  act: Act,
): Promise<void> {
  const { guild, guildId, locale, member } = interaction;
  const removed = id === null ? null : await readRemoved(app.ranking, guildId, id);
  if (!removed) {
    const present = id === null ? null : await readArticle(app.ranking, guildId, id);
    if (!present || !mayView(member, present.home)) throw new UserError('mod.removed.unknown');
    throw new UserError('mod.restored.already', { message: messageLink(guildId, present) });
  }
  const { article } = removed;
  demandModerator(interaction, article, 'mod.removed.unknown');
  await demandUnblocked(app, member);
  const listed = isListed(guild.channels.cache.get(article.home));
  const outcome = await restoreArticle(app.ranking, guildId, article.id, listed);
  const message = articleText(guildId, article);
  switch (outcome.status) {
    case 'restored':
      app.messageUpdates.note(guildId, article.id);
      app.recountArticleSoon(guildId, article.id);
      await report(app, article, act, 'restore');
      return answerDone(interaction, translate(locale, 'mod.restored', { message }));
    case 'unchanged':
      return answerDone(interaction, translate(locale, 'mod.restored.already', { message }));
    case 'duplicate': {
      const other = await readArticle(app.ranking, guildId, outcome.detail!);
      if (!other || !mayView(member, other.home)) throw new UserError('mod.restored.hidden');
      throw new UserError('mod.restored.duplicate', { message: messageLink(guildId, other) });
    }
    case 'unknown':
      throw new UserError('mod.removed.unknown');
  }
}

export async function answerLock(
  interaction: Moderating,
  app: ModerationParts,
  { article, locked, act }: { article: Article; locked: boolean; act: Act },
): Promise<void> {
  const { guildId, locale } = interaction;
  const { id, closesAtMs } = article;
  if (app.clock.now() >= closesAtMs) throw new UserError('mod.lock.closed');
  const message = articleText(guildId, article);
  const { status } = await lockArticle(app.ranking, { guild: guildId, article: id, locked });
  switch (status) {
    case 'changed':
      app.messageUpdates.note(guildId, id);
      // A locked article took no votes.
      if (!locked) app.recountArticleSoon(guildId, id);
      await report(app, article, act, locked ? 'lock' : 'unlock');
      return answerDone(
        interaction,
        translate(locale, locked ? 'mod.locked' : 'mod.unlocked', { message }),
      );
    case 'unchanged':
      throw new UserError('mod.lock.unchanged', { message });
    case 'closed':
      throw new UserError('mod.lock.closed');
    case 'unknown':
      throw new UserError('article.unknown');
  }
}

export async function answerMove(
  interaction: Moderating,
  app: ModerationParts,
  { article, home, act }: { article: Article; home: NonThreadGuildBasedChannel; act: Act },
): Promise<void> {
  const { guildId, locale, member } = interaction;
  await demandUnblocked(app, member);
  const move = { guild: guildId, article: article.id, home: home.id, listed: isListed(home) };
  const { status } = await moveArticle(app.ranking, move);
  if (status === 'unchanged') throw new UserError('mod.move.unchanged');
  if (status === 'unknown') throw new UserError('article.unknown');
  app.messageUpdates.note(guildId, article.id);
  await report(app, article, act, 'move', `<#${article.home}> → <#${home.id}>`);
  const values = { channel: `<#${home.id}>`, message: articleText(guildId, article) };
  await answerDone(interaction, translate(locale, 'mod.moved', values));
}

export async function answerRetitle(
  interaction: Moderating,
  app: ModerationParts,
  { article, typed, act }: { article: Article; typed: string; act: Act },
): Promise<void> {
  const { guildId, locale, member } = interaction;
  const title = cleanTitle(typed);
  if (title === '') throw new UserError('mod.title.empty');
  await demandUnblocked(app, member);
  const change = { guild: guildId, article: article.id, title };
  const { status } = await retitleArticle(app.ranking, change);
  if (status === 'unchanged') throw new UserError('mod.retitle.unchanged');
  if (status === 'unknown') throw new UserError('article.unknown');
  app.messageUpdates.note(guildId, article.id);
  await report(app, article, act, 'retitle', `${code(article.title)} → ${code(title)}`);
  const message = articleText(guildId, { ...article, title });
  await answerDone(interaction, translate(locale, 'mod.retitled', { message }));
}
