import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * The articles whose message is being sent or committed, by channel.
 * The gateway may send the message and reactions to it before the article is in the ranking.
 */
export type PendingPosts = ReturnType<typeof trackPendingPosts>;

export function trackPendingPosts() {
  const channels = new Map<Snowflake, Set<Promise<void>>>();
  return {
    /** Marks a pending post in the channel until the returned function is called. */
    begin(channel: Snowflake): () => void {
      let end: (() => void) | undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const posts = channels.get(channel) ?? new Set();
      channels.set(channel, posts.add(ended));
      return () => {
        posts.delete(ended);
        if (posts.size === 0) channels.delete(channel);
        end?.();
      };
    },
    /** Settles when all present pending posts of the channel have ended; null if there are none. */
    underWay(channel: Snowflake): Promise<unknown> | null {
      const posts = channels.get(channel);
      return posts ? Promise.all(posts) : null;
    },
  };
}
