import type { APIMessage } from 'discord.js';
import { remember } from '../discord/remember.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/**
 * The messages in which articles were found: somebody else's, to which the article's own message replies. The 👍 that
 * they show are votes too. All of it can be lost: Discord tells which message is replied to.
 */
export interface Sources {
  /** Notes that an article was found in a message. */
  note(source: Snowflake, article: Snowflake): void;
  /** The article that was found in a message; null if this process knows of none. */
  articleOf(source: Snowflake): Snowflake | null;
}

/** Beyond this, the nightly recount reads the votes under the oldest. */
const REMEMBERED = 10_000;

export function openSources(): Sources {
  const articles = new Map<Snowflake, Snowflake>();
  return {
    note: (source, article) => remember(articles, source, article, REMEMBERED),
    articleOf: (source) => articles.get(source) ?? null,
  };
}

/**
 * The message in which an article was found, by the article's own message; null: it was posted by a command, beside its
 * poster's own message, or the message is gone.
 */
export function sourceOf(
  { channel, poster }: Pick<Article, 'channel' | 'poster'>,
  message: APIMessage,
): Snowflake | null {
  const { message_reference: reference, referenced_message: said } = message;
  // A late answer to a command is a reply too.
  if (message.interaction_metadata !== undefined || reference?.channel_id !== channel) return null;
  if (said === null || said?.author.id === poster) return null;
  return reference.message_id ?? null;
}

/** A reaction there is another one than the same under the article. */
export function atSource(emoji: string): string {
  return `${emoji} at source`;
}
