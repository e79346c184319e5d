import { type NonThreadGuildBasedChannel, Routes } from 'discord.js';
import { fault } from '../runtime/log.ts';
import { messageLink } from '../text/mentions.ts';
import { answer, updateMessage } from '../discord/interactions/answer.ts';
import { isImported } from '../articles/imported.ts';
import type { Article } from '../ranking/row.ts';
import { lockArticle, moveArticle, retitleArticle } from '../ranking/articles/edit.ts';
import { readRemoved, removeArticle, restoreArticle } from '../ranking/articles/removed.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { languageOfGuild } from '../community/settings.ts';
import { removedMessage } from '../articles/messages/article-message.ts';
import { requireUnblocked } from '../articles/posting/posting-rules.ts';
import { findArticle } from '../articles/find-article.ts';
import type {
  GuildCommand,
  GuildComponent,
  GuildForm,
  GuildMessageCommand,
} from '../discord/commands/command.ts';
import { requirePermissions } from '../discord/access/permissions.ts';
import { inOpenThread } from '../discord/requests/archived-threads.ts';
import { UserError } from '../discord/user-error.ts';
import { button, type ActionRow, row } from '../discord/interactions/components.ts';
import { isListed, mayView } from '../discord/access/visibility.ts';
import { asSpoiler, cleanTitle, code, isSpoiler, plainText } from '../text/clean.ts';
import { translate } from '../text/catalogue.ts';
import { type Act, logAction } from '../community/moderation-log.ts';
import type { LogChannelNeeds } from '../community/admin-messages.ts';
import type { Listing } from '../articles/listing.ts';
import type { MessageUpdates } from '../articles/messages/message-updates.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';

/** What acts with articles need. */
export interface ActionNeeds extends LogChannelNeeds {
  /** The articles, and what was removed of them. */
  ranking: Ranking;
  /** Where it stands which articles are members' own messages. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Edits the messages of the articles that are moderated. */
  messageUpdates: MessageUpdates;
  /** Keeps the lists equal to what everyone may view, also while an article is moved. */
  listing: Listing;
  /** Reads who reacted to an article that is open again. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
}

/** The interaction of a moderator, or of the poster: the command, or a button or form of it. */
export type Moderating = GuildCommand | GuildMessageCommand | GuildComponent | GuildForm;

/**
 * Refuses a member who does not moderate the article's home channel, or the server if that channel is
 * gone.
 */
export function requireModerator(interaction: Moderating, { home }: Article): void {
  const channel = interaction.guild.channels.cache.get(home);
  if (!channel) return requireServerModerator(interaction);
  if (!mayView(interaction.member, home)) throw new UserError('article.unknown');
  requirePermissions(channel, ['ManageMessages'], interaction.member);
}

/** Needs the permission by roles too: a permission in one channel is not valid in the others. */
export function requireServerModerator({ guild, member, memberPermissions }: Moderating): void {
  const isAbove = guild.ownerId === member.id || member.permissions.has('ManageMessages');
  if (!memberPermissions.has('ManageMessages') || !isAbove) throw new UserError('mod.forbidden');
}

/** Does something with an article, reports it in the log channel and answers with the result. */
type ArticleAction<Options> = (
  interaction: Moderating,
  needs: ActionNeeds,
  article: Article,
  options: Options,
) => Promise<void>;

/** Removes an article from all lists and replaces its message with a tombstone. */
export const answerRemove: ArticleAction<Pick<Act, 'own' | 'reason'>> = async (
  interaction,
  needs,
  article,
  options,
) => {
  const { guildId, locale, member } = interaction;
  const { own = false } = options;
  const { status } = await removeArticle(
    needs.ranking,
    guildId,
    article.id,
    needs.clock.now(),
    own,
  );
  if (status === 'unchanged') throw new UserError('mod.removed.already');
  if (status === 'unknown') throw new UserError('article.unknown');
  const act = { by: member, ...options };
  // Nobody reads on while the log channel waits for its limit.
  const shown = showRemoval(needs, article, act);
  await Promise.all([shown, report(needs, article, act, 'removed')]);
  const more = removedMore[await shown];
  const lines = [
    titleText(article),
    translate(locale, own ? 'me.removed' : 'mod.removed'),
    ...(more === null ? [] : [translate(locale, more)]),
  ];
  const back = button(`moderate|restore|${article.id}`, translate(locale, 'moderate.restore'));
  await answerDone(interaction, lines.join('\n'), own ? [] : [row(back)]);
};

const removedMore = { removed: null, unedited: 'mod.unedited', foreign: 'mod.imported' } as const;

/** `foreign`: the message stays, because an imported article's message belongs to its poster. */
export async function showRemoval(
  needs: ActionNeeds,
  { id, channel }: Article,
  { by, own = false, reason = '' }: Act,
): Promise<keyof typeof removedMore> {
  const guild = by.guild.id;
  if (await isImported(needs.store, guild, id)) return 'foreign';
  const locale = languageOfGuild(await needs.rules.read(guild), by.guild);
  try {
    await needs.requests.requireOwn({ guild, channel, message: id });
    const body = removedMessage({ own, reason }, locale);
    const route = Routes.channelMessage(channel, id);
    await inOpenThread(needs.requests, { guild, channel }, () =>
      needs.client.rest.patch(route, { body }),
    );
    return 'removed';
  } catch (error) {
    needs.log.warn({ ...fault(error), article: id }, 'A removal could not be shown.');
    return 'unedited';
  } finally {
    // An edit that began before the removal may have arrived after it.
    needs.messageUpdates.note(guild, id);
  }
}

/** Restores a removed article, and counts the votes that it could not take meanwhile. */
export async function answerRestore(
  interaction: Moderating,
  needs: ActionNeeds,
  id: Snowflake,
): Promise<void> {
  const { guildId, member } = interaction;
  const removed = await readRemoved(needs.ranking, guildId, id);
  if (!removed) {
    const present = await findArticle(needs, member, id, null);
    if (!present) throw new UserError('article.unknown');
    throw new UserError('mod.restored.already', { message: messageLink(guildId, present) });
  }
  const { article } = removed;
  requireModerator(interaction, article);
  await requireUnblocked(needs, member);
  const { status, detail } = await needs.listing.write({ guild: guildId, ...article }, (listed) =>
    restoreArticle(needs.ranking, guildId, id, listed),
  );
  if (status === 'duplicate') {
    const other = await findArticle(needs, member, detail, null);
    if (!other) throw new UserError('mod.restored.hidden');
    throw new UserError('mod.restored.duplicate', { message: messageLink(guildId, other) });
  }
  if (status === 'restored') needs.recountArticleSoon(guildId, id);
  await finish(interaction, needs, { article, status, what: 'restored' });
}

export const answerLock: ArticleAction<boolean> = async (interaction, needs, article, locked) => {
  const { guildId: guild } = interaction;
  if (needs.clock.now() >= article.closesAtMs) throw new UserError('mod.lock.closed');
  const { status } = await lockArticle(needs.ranking, { guild, article: article.id, locked });
  // A locked article took no votes.
  if (status === 'changed' && !locked) needs.recountArticleSoon(guild, article.id);
  await finish(interaction, needs, { article, status, what: locked ? 'locked' : 'unlocked' });
};

export const answerMove: ArticleAction<NonThreadGuildBasedChannel> = async (
  interaction,
  needs,
  article,
  channel,
) => {
  await requireUnblocked(needs, interaction.member);
  const { guildId: guild } = interaction;
  const home = channel.id;
  const { status } = await needs.listing.write({ ...article, guild, home }, (listed) =>
    moveArticle(needs.ranking, { guild, article: article.id, home, listed }),
  );
  const change = `<#${article.home}> → <#${home}>`;
  const after = { ...article, home };
  await finish(interaction, needs, { article, status, what: 'moved', after, change });
};

export const answerRetitle: ArticleAction<string> = async (interaction, needs, article, typed) => {
  const clean = cleanTitle(typed);
  // What its poster marked stays a spoiler.
  const title = isSpoiler(article.title) && clean !== '' ? asSpoiler(clean) : clean;
  if (title === '') throw new UserError('mod.title.empty');
  await requireUnblocked(needs, interaction.member);
  const retitled = { guild: interaction.guildId, article: article.id, title };
  const { status } = await retitleArticle(needs.ranking, retitled);
  const change = `${code(article.title)} → ${code(title)}`;
  const after = { ...article, title };
  await finish(interaction, needs, { article, status, what: 'retitled', after, change });
};

/** Has the article's message show a change, reports it and answers. Refuses where nothing changed. */
async function finish(
  interaction: Moderating,
  needs: ActionNeeds,
  done: {
    article: Article;
    status: 'restored' | 'changed' | 'moved' | 'retitled' | 'unchanged' | 'closed' | 'unknown';
    what: 'restored' | 'locked' | 'unlocked' | 'moved' | 'retitled';
    after?: Article;
    change?: string;
  },
): Promise<void> {
  const { guildId, locale, member } = interaction;
  const { article, status, what, after = article, change } = done;
  const values = { message: articleText(guildId, after), channel: `<#${after.home}>` };
  if (status === 'unchanged') throw new UserError('mod.unchanged', { ...values, what });
  if (status === 'closed') throw new UserError('mod.lock.closed');
  if (status === 'unknown') throw new UserError('article.unknown');
  needs.messageUpdates.note(guildId, article.id);
  await report(needs, article, { by: member }, what, change);
  await answerDone(interaction, translate(locale, `mod.${what}`, values));
}

/** Reports an action on an article, as it was before the action. `change`: what it was and is. */
async function report(
  needs: ActionNeeds,
  { id, home, title }: Article,
  act: Act,
  what: 'removed' | 'restored' | 'locked' | 'unlocked' | 'moved' | 'retitled',
  change?: string,
): Promise<void> {
  // Do not show titles of a hidden channel to moderators who may not view it.
  const isOpen = isListed(act.by.guild.channels.cache.get(home));
  await logAction(needs, act, (locale, by) => {
    const article = isOpen ? code(title) : `\`${id}\``;
    const line = translate(locale, `audit.${what}`, { by, article });
    return isOpen && change !== undefined ? `${line}\n${change}` : line;
  });
}

/** A button or a form is answered in the place of its message, whose other buttons are stale now. */
async function answerDone(
  interaction: Moderating,
  content: string,
  components: ActionRow[] = [],
): Promise<void> {
  const done = { content, components };
  if ('commandName' in interaction) await answer(interaction, done);
  else await updateMessage(interaction, done);
}

/** The article of an answer, so that several answers can be told apart. */
function titleText({ title }: Article): string {
  return `**${plainText(title, 100)}**`;
}

function articleText(guild: Snowflake, article: Article): string {
  return `${titleText(article)} ${messageLink(guild, article)}`;
}
