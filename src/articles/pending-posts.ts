import { remember } from '../discord/remember.ts';
import { compareIds, type Snowflake } from '../runtime/snowflake.ts';

/** Articles that wait for nothing. Beyond this, an article waits for the channel's older requests. */
const REMEMBERED_AT_MOST = 1000;

/**
 * The articles whose message is being sent or committed, by channel.
 * The gateway may send the message and reactions to it before the article is in the ranking.
 */
export interface PendingPosts {
  /** Marks a post in the channel as pending until it settles. `by`: the id of what asked for it. */
  track<T>(channel: Snowflake, by: Snowflake, post: Promise<T>): Promise<T>;
  /** Call it when a pending post is in the ranking: nothing about it need wait for the others. */
  noteCommitted(article: Snowflake): void;
  /** Settles when all present pending posts of the channel have ended; null if there are none. */
  underWay(channel: Snowflake): Promise<unknown> | null;
  /**
   * Settles when the article is committed, or no pending post can be it; null if that is so already.
   * Several that wait for one article go on in the order of their calls.
   */
  commitOf(channel: Snowflake, article: Snowflake): Promise<void> | null;
}

export function trackPendingPosts(): PendingPosts {
  /** Each channel's posts, with the ids of what asked for them. */
  const channels = new Map<Snowflake, Map<Promise<unknown>, Snowflake>>();
  const committed = new Map<Snowflake, true>();
  /** One wait for each article: callers that wait each by themselves can overtake one another. */
  const waits = new Map<Snowflake, Promise<void>>();

  /** The posts that may still commit an article. What asked for an article is older than its message. */
  function postsOf(channel: Snowflake, article: Snowflake): Promise<unknown>[] {
    const posts = channels.get(channel);
    if (!posts || committed.has(article)) return [];
    return [...posts].flatMap(([post, by]) => (compareIds(by, article) < 0 ? [post] : []));
  }

  async function settled(channel: Snowflake, article: Snowflake): Promise<void> {
    for (;;) {
      const posts = postsOf(channel, article);
      if (posts.length === 0) return;
      await Promise.race(posts).catch(() => {});
    }
  }

  return {
    async track<T>(channel: Snowflake, by: Snowflake, post: Promise<T>): Promise<T> {
      const posts = channels.get(channel) ?? new Map<Promise<unknown>, Snowflake>();
      channels.set(channel, posts.set(post, by));
      try {
        return await post;
      } finally {
        posts.delete(post);
        if (posts.size === 0) channels.delete(channel);
      }
    },
    noteCommitted: (article: Snowflake): void =>
      remember(committed, article, true, REMEMBERED_AT_MOST),
    underWay(channel: Snowflake): Promise<unknown> | null {
      const posts = channels.get(channel);
      return posts ? Promise.allSettled(posts.keys()) : null;
    },
    commitOf(channel: Snowflake, article: Snowflake): Promise<void> | null {
      const before = waits.get(article);
      if (before !== undefined || postsOf(channel, article).length === 0) return before ?? null;
      const wait = settled(channel, article);
      waits.set(article, wait);
      // Its callers go on right after this, so that a later caller cannot overtake them.
      void wait.finally(() => waits.delete(article));
      return wait;
    },
  };
}
