import type { APIMessage } from 'discord.js';
import type { Article } from '../../ranking/articles/articles.ts';
import { signsText, type VoteSigns } from '../../ranking/vote-signs.ts';
import { titleOfLink } from '../../text/clean.ts';
import {
  articleMessage,
  type Carried,
  isRemovedMessage,
  readArticleMessage,
} from './article-message.ts';
import { isRemovedThreadName, threadName } from './thread-name.ts';

/** A message of the bot beside an article. */
export interface ComparedMessage {
  /** What the message shows; null: it is a tombstone, or shows no article. */
  shown: Carried | null;
  /**
   * The message is this article's: a tombstone, or the same channel, poster, link and signs, which never change. If it is not, Redis is wrong, such as after the restore of a forged file.
   */
  isOfArticle: boolean;
  /**
   * The message says what the article is: title, comment, groups, lock, result. A message without the result of a closed
   * article is only older. It may still have another form.
   */
  isStateEqual: boolean;
  /** The message and its thread show the article as it is, in any language. */
  isUpToDate: boolean;
  /** The message shows no preview, since a member's own message beside it does. */
  beside: boolean;
}

export function compareMessage(article: Article, message: APIMessage): ComparedMessage {
  const shown = readArticleMessage(message);
  // A tombstone does not contain `beside`. Only an article beside a member's own message is a reply
  // without an interaction: a late answer to a command is a reply too, but has one.
  const answers = message.message_reference !== undefined && !message.interaction_metadata;
  const beside = shown?.beside ?? answers;
  const wanted = readArticleMessage({ content: articleMessage({ ...article, beside }, null) });
  return {
    shown,
    isOfArticle:
      article.channel === message.channel_id &&
      (shown === null ? isRemovedMessage(message) : wanted === null || isSame(shown, wanted)),
    isStateEqual: shown !== null && (wanted === null || isSameState(shown, wanted)),
    isUpToDate:
      !lacksTitle(message.thread, article) && shown !== null && formOf(shown) === formOf(wanted),
    beside,
  };
}

function isSameState(shown: Carried, wanted: Carried): boolean {
  const isResult = wanted.closed && (shown.up !== wanted.up || shown.down !== wanted.down);
  return (
    shown.title === wanted.title &&
    isSameComment(shown.comment, wanted.comment) &&
    shown.groups.join() === wanted.groups.join() &&
    (wanted.closed || shown.locked === wanted.locked) &&
    !(shown.closed && (!wanted.closed || isResult))
  );
}

function isSame(shown: Carried, wanted: Carried): boolean {
  return (
    shown.poster === wanted.poster &&
    shown.link === wanted.link &&
    namesOf(shown.signs) === namesOf(wanted.signs)
  );
}

function formOf(carried: Carried | null): string {
  return JSON.stringify(carried && { ...carried, signs: namesOf(carried.signs) });
}

/** Without the ids of emoji: Discord can leave them out of a text when it does not know the emoji any more. */
function namesOf(signs: VoteSigns | undefined): string {
  return signs === undefined ? '' : signsText(signs).replace(/<a?(:\w+:)\d+>/g, '$1');
}

/** Whether two comments are one that may be cut: the room for it depends on the language and the ★. */
export function isSameComment(one = '', other = ''): boolean {
  const [short = '', long = ''] = [one, other].toSorted((a, b) => a.length - b.length);
  if (short === long) return true;
  return short.endsWith('…') && long.startsWith(short.replace(/…$/, ''));
}

/** Whether the thread still has a name from before: of a removed article, or until its title was found. */
export function lacksTitle(
  thread: APIMessage['thread'],
  { title, link }: Pick<Article, 'title' | 'link'>,
): boolean {
  if (isRemovedThreadName(thread?.name)) return true;
  const placeholder = threadName({ title: titleOfLink(link), link });
  return thread?.name === placeholder && threadName({ title, link }) !== placeholder;
}
