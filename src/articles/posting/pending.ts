import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * The articles whose message is being sent or committed, by channel.
 * The gateway may tell of the message, and of reactions to it, before the ranking knows it.
 */
export type PendingPosts = {
  /** Until the function that it returns is called, something is under way in the channel. */
  begin(channel: Snowflake): () => void;
  /** Settles when all that is under way in the channel now has ended; null where nothing is. */
  underWay(channel: Snowflake): Promise<unknown> | null;
};

export function trackPendingPosts(): PendingPosts {
  const channels = new Map<Snowflake, Set<Promise<void>>>();
  return {
    begin(channel) {
      let end: (() => void) | undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const sends = channels.get(channel) ?? new Set();
      channels.set(channel, sends.add(ended));
      return () => {
        sends.delete(ended);
        if (sends.size === 0) channels.delete(channel);
        end?.();
      };
    },
    underWay(channel) {
      const sends = channels.get(channel);
      return sends ? Promise.all(sends) : null;
    },
  };
}
