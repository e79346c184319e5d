import type { APIMessage } from 'discord.js';
import type { Article } from '../../ranking/articles/articles.ts';
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
   * The message is this article's: a tombstone, or the same channel, poster, link and comment, which never
   * change. If it is not, Redis is wrong, such as after the restore of a forged file.
   */
  isOfArticle: boolean;
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
    isUpToDate:
      !lacksTitle(message.thread, article) &&
      shown !== null &&
      JSON.stringify(shown) === JSON.stringify(wanted),
    beside,
  };
}

/** Whether both show one article. The room for a comment depends on the language and the ★. */
function isSame(shown: Carried, wanted: Carried): boolean {
  const [short = '', long = ''] = [shown.comment ?? '', wanted.comment ?? ''].toSorted(
    (a, b) => a.length - b.length,
  );
  const isCut = short !== '' && long.startsWith(short.replace(/…$/, ''));
  return shown.poster === wanted.poster && shown.link === wanted.link && (isCut || short === long);
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
