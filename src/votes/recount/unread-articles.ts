import { remember } from '../../discord/remember.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Beyond this, the reason of an old one is said again. */
const REMEMBERED_AT_MOST = 10_000;

/** The articles that a recount could not read, and why. */
export interface UnreadArticles {
  /** Returns whether it is news: it was read before, or could not be for another reason. */
  note(article: Snowflake, why: string): boolean;
  /** Whether its last reading failed. */
  has(article: Snowflake): boolean;
  /** It was read. */
  forget(article: Snowflake): void;
}

export function openUnreadArticles(): UnreadArticles {
  const reasons = new Map<Snowflake, string>();
  return {
    note(article, why) {
      const isNews = reasons.get(article) !== why;
      remember(reasons, article, why, REMEMBERED_AT_MOST);
      return isNews;
    },
    has: (article) => reasons.has(article),
    forget: (article) => void reasons.delete(article),
  };
}
