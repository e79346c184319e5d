import PQueue from 'p-queue';

/**
 * All changes that the bot makes to reactions, one after the other. Discord allows one in 250 ms,
 * whatever its headers say.
 */
export type ReactionQueue = {
  /** The change handles its own faults. */
  add(change: () => Promise<void>): void;
  /** Drops the waiting changes. Resolves when the running one has ended. */
  stop(): Promise<void>;
};

const everyMs = 250;

export function openReactionQueue(): ReactionQueue {
  const queue = new PQueue({ concurrency: 1, interval: everyMs, intervalCap: 1, strict: true });
  let stopped = false;
  return {
    add(change) {
      if (!stopped) void queue.add(change);
    },
    async stop() {
      stopped = true;
      queue.clear();
      await queue.onIdle();
    },
  };
}
