import { DiscordAPIError, type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { fault } from '../../log.ts';
import type { AuditEntry } from '../../records/audit-log.ts';
import { isImported } from '../../records/history/imported.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { lockArticle, moveArticle, retitleArticle } from '../../ranking/articles/edit.ts';
import {
  removeArticle,
  restoreArticle,
  type RestoreOutcome,
} from '../../ranking/articles/removed.ts';
import type { App } from '../../app.ts';
import { languageOfGuild } from '../../records/settings.ts';
import { type Act, logAction, type ModerationParts, newEntry } from './audit-entries.ts';
import { removedMessage } from '../../articles/messages/removed-message.ts';
import { demandUnblocked } from '../../articles/posting/posting-rules.ts';
import { NotOurs } from '../../discord/requests/own-messages.ts';
import { isListed } from '../../discord/access/visibility.ts';

/**
 * Removes an article from all lists and replaces its message with a tombstone. `foreign`: the article is
 * removed, but its message stays, because an imported article's message belongs to its poster.
 */
export async function removeBy(
  app: ModerationParts,
  article: Article,
  act: Act,
): Promise<'removed' | 'foreign' | 'unchanged' | 'unknown' | 'unedited'> {
  const guild = act.by.guild.id;
  const { status } = await removeArticle(app.ranking, guild, article.id, app.clock.now());
  if (status !== 'removed') return status;
  await logAction(app, guild, entryOf(app, article, act, 'remove'));
  if (await isImported(app.store, guild, article.id)) return 'foreign';
  const rules = await app.rules.read(guild);
  const body = removedMessage(
    { own: act.own === true, reason: act.reason },
    languageOfGuild(rules, act.by.guild),
  );
  try {
    await app.ownMessages.demand({ guild, channel: article.channel, message: article.id });
    await app.client.rest.patch(Routes.channelMessage(article.channel, article.id), { body });
    return 'removed';
  } catch (error) {
    app.log.warn({ ...fault(error), article: article.id }, 'A removal could not be shown.');
    if (!(error instanceof DiscordAPIError || error instanceof NotOurs)) throw error;
    return 'unedited';
  } finally {
    // An edit that began before the removal may have arrived after it.
    app.messageUpdates.note(guild, article.id);
  }
}

/**
 * Restores a removed article. The next recount finds votes from the time in between. Throws a
 * `UserError` if the member is blocked from posting.
 */
export async function restoreBy(
  app: ModerationParts,
  article: Article,
  act: Act,
): Promise<RestoreOutcome> {
  const { guild } = act.by;
  await demandUnblocked(app, act.by);
  const home = guild.channels.cache.get(article.home);
  const listed = isListed(home);
  const outcome = await restoreArticle(app.ranking, guild.id, article.id, listed);
  if (outcome.status === 'restored') {
    app.messageUpdates.note(guild.id, article.id);
    await logAction(app, guild.id, entryOf(app, article, act, 'restore'));
  }
  return outcome;
}

export async function lockBy(
  app: ModerationParts,
  article: Article,
  locked: boolean,
  act: Act,
): Promise<'changed' | 'unchanged' | 'closed' | 'unknown'> {
  const guild = act.by.guild.id;
  const change = { guild, article: article.id, locked };
  if (app.clock.now() >= article.closesAtMs) return 'closed';
  const { status } = await lockArticle(app.ranking, change);
  if (status === 'changed') {
    app.messageUpdates.note(guild, article.id);
    await logAction(app, guild, entryOf(app, article, act, locked ? 'lock' : 'unlock'));
  }
  return status;
}

/** Throws a `UserError` if the member is blocked from posting. */
export async function moveBy(
  app: ModerationParts,
  article: Article,
  home: NonThreadGuildBasedChannel,
  act: Act,
): Promise<'moved' | 'unchanged' | 'unknown'> {
  const guild = act.by.guild.id;
  await demandUnblocked(app, act.by);
  const move = { guild, article: article.id, home: home.id, listed: isListed(home) };
  const { status } = await moveArticle(app.ranking, move);
  if (status === 'moved') {
    app.messageUpdates.note(guild, article.id);
    const change = { before: article.home, after: home.id };
    await logAction(app, guild, { ...entryOf(app, article, act, 'move'), ...change });
  }
  return status;
}

/** `title` is clean already. Throws a `UserError` if the member is blocked from posting. */
export async function retitleBy(
  app: ModerationParts,
  article: Article,
  title: string,
  act: Act,
): Promise<'retitled' | 'unchanged' | 'unknown'> {
  const guild = act.by.guild.id;
  await demandUnblocked(app, act.by);
  const { status } = await retitleArticle(app.ranking, { guild, article: article.id, title });
  if (status === 'retitled') {
    app.messageUpdates.note(guild, article.id);
    const change = { before: article.title, after: title };
    await logAction(app, guild, { ...entryOf(app, article, act, 'retitle'), ...change });
  }
  return status;
}

/** An entry about an article, as it was before the action. */
function entryOf(
  app: Pick<App, 'clock'>,
  article: Article,
  act: Act,
  what: AuditEntry['what'],
): AuditEntry {
  const { id, home, title } = article;
  return newEntry(app, act, what, { article: id, home, title });
}
