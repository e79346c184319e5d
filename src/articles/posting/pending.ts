import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * The articles whose message is being sent or committed, by channel.
 * The gateway may send the message and reactions to it before the article is in the ranking.
 */
export function trackPendingPosts() {
  const channels = new Map<Snowflake, Set<Promise<unknown>>>();
  return {
    /** Marks a post in the channel as pending until it settles. */
    async track<T>(channel: Snowflake, post: Promise<T>): Promise<T> {
      const posts = channels.get(channel) ?? new Set();
      channels.set(channel, posts.add(post));
      try {
        return await post;
      } finally {
        posts.delete(post);
        if (posts.size === 0) channels.delete(channel);
      }
    },
    /** Settles when all present pending posts of the channel have ended; null if there are none. */
    underWay(channel: Snowflake): Promise<unknown> | null {
      const posts = channels.get(channel);
      return posts ? Promise.allSettled(posts) : null;
    },
  };
}
