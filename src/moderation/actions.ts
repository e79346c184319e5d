import type { NonThreadGuildBasedChannel } from 'discord.js';
import { messageLink } from '../text/mentions.ts';
import { answer, updateMessage } from '../discord/interactions/answer.ts';
import type { Article } from '../ranking/row.ts';
import {
  commentArticle,
  lockArticle,
  moveArticle,
  retitleArticle,
} from '../ranking/articles/edit.ts';
import { readRemoved, restoreArticle } from '../ranking/articles/removed.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { subjectText } from '../community/block-texts.ts';
import type { BlockNeeds } from './change-blocks.ts';
import { mayModerateServer } from './may-moderate.ts';
import type { SweepNeeds } from './sweep.ts';
import { answerReports, type ReportNeeds } from './reports.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  type MayStandNeeds,
  refusalOf,
  requireMayStand,
  wantedOf,
} from '../community/may-stand.ts';
import { requireUnblocked } from '../articles/posting/posting-rules.ts';
import { findArticle } from '../articles/find-article.ts';
import type {
  GuildCommand,
  GuildComponent,
  GuildForm,
  GuildMemberCommand,
  GuildMessageCommand,
} from '../discord/commands/command.ts';
import { requirePermissions } from '../discord/access/permissions.ts';
import { UserError } from '../discord/user-error.ts';
import type { ActionRow } from '../discord/interactions/components.ts';
import { isListed, mayView } from '../discord/access/visibility.ts';
import { asSpoiler, cleanComment, cleanTitle, code, isSpoiler, plainText } from '../text/clean.ts';
import { translate } from '../text/catalogue.ts';
import { type Act, logAction, loggedName } from '../community/moderation-log.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';

/** What acts with articles need. */
export interface ActionNeeds extends MayStandNeeds, BlockNeeds, SweepNeeds, ReportNeeds {
  /** Where it stands which articles are members' own messages. */
  store: Store;
  /** The articles, and what was removed of them. */
  ranking: Ranking;
  /** Discord's time. */
  clock: Clock;
}

/** The interaction of a moderator, or of the poster: the command, or a button or form of it. */
export type Moderating =
  | GuildCommand
  | GuildMessageCommand
  | GuildMemberCommand
  | GuildComponent
  | GuildForm;

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
export function requireServerModerator({ member, memberPermissions }: Moderating): void {
  if (!memberPermissions.has('ManageMessages') || !mayModerateServer(member))
    throw new UserError('mod.forbidden');
}

/** Does something with an article, reports it in the log channel and answers with the result. */
export type ArticleAction<Options> = (
  interaction: Moderating,
  needs: ActionNeeds,
  article: Article,
  options: Options,
) => Promise<void>;

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
  const { blocks } = await needs.rules.read(guildId);
  const refusal = refusalOf(blocks, wantedOf(article), needs.clock.now());
  if (refusal !== null && refusal !== 'tangled')
    throw new UserError('mod.restored.blocked', { subject: subjectText(refusal.subject) });
  const { status, detail } = await needs.listing.write({ guild: guildId, ...article }, (listed) =>
    restoreArticle(needs.ranking, guildId, id, listed),
  );
  if (status === 'duplicate') {
    const other = await findArticle(needs, member, detail, null);
    if (!other) throw new UserError('mod.restored.hidden');
    throw new UserError('mod.restored.duplicate', { message: messageLink(guildId, other) });
  }
  if (status === 'restored') {
    needs.recountArticleSoon(guildId, id);
    await answerReports(needs, guildId, [id]);
  }
  await finish(interaction, needs, { article, status, what: 'restored' });
}

export const answerLock: ArticleAction<boolean> = async (interaction, needs, article, locked) => {
  const { guildId: guild } = interaction;
  if (needs.clock.now() >= article.closesAtMs) throw new UserError('mod.lock.closed');
  const { status } = await lockArticle(needs.ranking, { guild, article: article.id, locked });
  // A locked article took no votes.
  if (status === 'changed' && !locked) needs.recountArticleSoon(guild, article.id);
  if (status === 'changed') await answerReports(needs, guild, [article.id]);
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
  const title = isSpoiler(article.title) ? asSpoiler(clean) : clean;
  if (title === '') throw new UserError('mod.title.empty');
  await requireUnblocked(needs, interaction.member);
  const { guild, member } = interaction;
  await requireMayStand(needs, member, guild.channels.cache.get(article.home), {
    texts: [title],
  });
  const retitled = { guild: interaction.guildId, article: article.id, title };
  const { status } = await retitleArticle(needs.ranking, retitled);
  const change = `${code(article.title)} → ${code(title)}`;
  const after = { ...article, title };
  await finish(interaction, needs, { article, status, what: 'retitled', after, change });
};

export const answerComment: ArticleAction<string> = async (interaction, needs, article, typed) => {
  const { guild, member } = interaction;
  await requireUnblocked(needs, member);
  const comment = cleanComment(typed);
  const home = guild.channels.cache.get(article.home);
  await requireMayStand(needs, member, home, { texts: [comment] });
  const of = { guild: interaction.guildId, article: article.id };
  const { status } = await needs.messageUpdates.comment(of.guild, of.article, () =>
    commentArticle(needs.ranking, { ...of, comment }),
  );
  const change = code(comment, 400);
  await finish(interaction, needs, { article, status, what: 'commented', change });
};

/** Reports a change of an article and answers. Refuses where nothing changed. */
async function finish(
  interaction: Moderating,
  needs: ActionNeeds,
  done: {
    article: Article;
    status:
      | 'restored'
      | 'changed'
      | 'moved'
      | 'retitled'
      | 'commented'
      | 'unchanged'
      | 'closed'
      | 'unknown';
    what: 'restored' | 'locked' | 'unlocked' | 'moved' | 'retitled' | 'commented';
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
  await report(needs, article, { by: member }, what, change);
  await answerDone(interaction, translate(locale, `mod.${what}`, values));
}

/** Reports an action on an article, as it was before the action. `change`: what it was and is. */
export async function report(
  needs: ActionNeeds,
  article: Article,
  act: Act,
  what: 'removed' | 'restored' | 'locked' | 'unlocked' | 'moved' | 'retitled' | 'commented',
  change?: string,
): Promise<void> {
  const { guild } = act.by;
  const named = loggedName(guild, article);
  // A change may hold a title as well.
  const isOpen = isListed(guild.channels.cache.get(article.home));
  await logAction(needs, act, (locale, by) => {
    const line = translate(locale, `audit.${what}`, { by, article: named });
    return isOpen && change !== undefined ? `${line}\n${change}` : line;
  });
}

/**
 * A button or a form is answered in the place of its message, whose other buttons are stale now; of a message that
 * others see too, beside it.
 */
export async function answerDone(
  interaction: Moderating,
  content: string,
  components: ActionRow[] = [],
): Promise<void> {
  const done = { content, components };
  if (!('commandName' in interaction) && interaction.message?.flags.has('Ephemeral') === true)
    await updateMessage(interaction, done);
  else await answer(interaction, done);
}

/** The article of an answer, so that several answers can be told apart. */
export function titleText({ title }: Article): string {
  return `**${plainText(title, 100)}**`;
}

function articleText(guild: Snowflake, article: Article): string {
  return `${titleText(article)} ${messageLink(guild, article)}`;
}
