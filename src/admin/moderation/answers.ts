import { messageLink } from '../../text/mentions.ts';
import { answer, updateMessage } from '../../discord/interactions/answer.ts';
import type {
  GuildCommand,
  GuildCompletion,
  GuildComponent,
  GuildForm,
  GuildMessageCommand,
} from '../../discord/commands/command.ts';
import { requireMemberPermissions } from '../../discord/access/permissions.ts';
import { UserError } from '../../discord/user-error.ts';
import { mayView } from '../../discord/access/visibility.ts';
import { type Article, readArticle } from '../../ranking/articles/articles.ts';
import { readRemoved } from '../../ranking/articles/removed.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { cleanTitle, plainText } from '../../text/clean.ts';
import { translate } from '../../text/catalogue.ts';
import type { Act, ModerationParts } from './audit-entries.ts';
import { lockBy, removeBy, restoreBy, retitleBy } from './actions.ts';

/** The interaction of a moderator, or of the poster: the command, or a button or form of it. */
export type Moderating = GuildCommand | GuildMessageCommand | GuildComponent | GuildForm;

/** A button or a form is answered in the place of its message, whose other buttons are stale now. */
function answerDone(interaction: Moderating, content: string): Promise<void> {
  return 'commandName' in interaction
    ? answer(interaction, content)
    : updateMessage(interaction, { content, components: [] });
}

/** The article of an answer, so that several answers can be told apart. */
function titleText({ title }: Pick<Article, 'title'>): string {
  return `**${plainText(title, 100)}**`;
}

/** The article with a link to its message. */
export function articleText(guild: Snowflake, article: Article): string {
  return `${titleText(article)} ${messageLink(guild, article)}`;
}

const removedMore = { removed: null, unedited: 'mod.unedited', foreign: 'mod.imported' } as const;

/** Removes an article and answers with the result. */
export async function answerRemove(
  interaction: Moderating,
  app: ModerationParts,
  article: Article,
  act: Act,
): Promise<void> {
  const { locale } = interaction;
  const outcome = await removeBy(app, article, act);
  if (outcome === 'unchanged') throw new UserError('mod.removed.already');
  if (outcome === 'unknown') throw new UserError('article.unknown');
  const more = removedMore[outcome];
  const lines = [
    titleText(article),
    translate(locale, act.own === true ? 'me.removed' : 'mod.removed'),
    ...(more === null ? [] : [translate(locale, more)]),
  ];
  await answerDone(interaction, lines.join('\n'));
}

/** Restores a removed article and answers with the result. */
export async function answerRestore(
  interaction: Moderating,
  app: ModerationParts,
  id: string | null,
  act: Act,
): Promise<void> {
  const { guildId, locale, member } = interaction;
  const removed = id === null ? null : await readRemoved(app.ranking, guildId, id);
  if (!removed) {
    const present = id === null ? null : await readArticle(app.ranking, guildId, id);
    if (!present || !mayView(member, present.home)) throw new UserError('mod.removed.unknown');
    throw new UserError('mod.restored.already', { message: messageLink(guildId, present) });
  }
  demandModerator(interaction, removed.article, 'mod.removed.unknown');
  const outcome = await restoreBy(app, removed.article, act);
  switch (outcome.status) {
    case 'restored':
    case 'unchanged': {
      const key = outcome.status === 'restored' ? 'mod.restored' : 'mod.restored.already';
      const message = articleText(guildId, removed.article);
      return answerDone(interaction, translate(locale, key, { message }));
    }
    case 'duplicate': {
      const other = await readArticle(app.ranking, guildId, outcome.article);
      if (!other || !mayView(member, other.home)) throw new UserError('mod.restored.hidden');
      throw new UserError('mod.restored.duplicate', { message: messageLink(guildId, other) });
    }
    case 'unknown':
      throw new UserError('mod.removed.unknown');
  }
}

/** Stops or reopens the voting on an article and answers with the result. */
export async function answerLock(
  interaction: Moderating,
  app: ModerationParts,
  { article, locked, act }: { article: Article; locked: boolean; act: Act },
): Promise<void> {
  const { guildId, locale } = interaction;
  const message = articleText(guildId, article);
  switch (await lockBy(app, article, locked, act)) {
    case 'changed':
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

/** Gives an article another title and answers with the result. */
export async function answerRetitle(
  interaction: Moderating,
  app: ModerationParts,
  { article, typed, act }: { article: Article; typed: string; act: Act },
): Promise<void> {
  const { guildId, locale } = interaction;
  const title = cleanTitle(typed);
  if (title === '') throw new UserError('mod.title.empty');
  switch (await retitleBy(app, article, title, act)) {
    case 'retitled': {
      const message = articleText(guildId, { ...article, title });
      return answerDone(interaction, translate(locale, 'mod.retitled', { message }));
    }
    case 'unchanged':
      throw new UserError('mod.retitle.unchanged');
    case 'unknown':
      throw new UserError('article.unknown');
  }
}

/**
 * Refuses a member who does not moderate the article's home channel, or the server if that channel is
 * gone.
 */
export function demandModerator(
  interaction: Moderating,
  { home }: Article,
  unknown: 'article.unknown' | 'mod.removed.unknown',
): void {
  const channel = interaction.guild.channels.cache.get(home);
  if (!channel) return demandServerModerator(interaction);
  if (!mayView(interaction.member, home)) throw new UserError(unknown);
  requireMemberPermissions(interaction.member, channel, ['ManageMessages']);
}

export function demandServerModerator(interaction: Moderating): void {
  if (!isModerator(interaction)) throw new UserError('mod.forbidden');
}

/** Needs the permission by roles too: a permission in one channel is not valid in the others. */
export function isModerator({
  guild,
  member,
  memberPermissions,
}: Moderating | GuildCompletion): boolean {
  const held = memberPermissions.has('ManageMessages');
  return held && (guild.ownerId === member.id || member.permissions.has('ManageMessages'));
}
