import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'discord.js';
import PQueue from 'p-queue';

/**
 * Spaces requests that can wait evenly, over all that do, so that they never reach Discord's limit of
 * requests a second. Members' requests do not ask it, and find the rest of the limit free.
 */
export type Pace = {
  /** Resolves when the next request may be sent. Digests go before all that has no date. */
  turn(kind: 'digest' | 'background', signal?: AbortSignal): Promise<void>;
};

const partOfRequests = 0.88;
/** A late timer is made up for, but only so much: all that is late goes at once. */
const lateMs = 50;

export function openPace(client: Client): Pace {
  const gapMs = 1000 / (client.rest.options.globalRequestsPerSecond * partOfRequests);
  const queue = new PQueue({ concurrency: 1 });
  let nextMs = 0;

  async function wait(): Promise<void> {
    // Node warns of a negative time.
    await pause(Math.max(0, nextMs - performance.now()));
    nextMs = Math.max(nextMs, performance.now() - lateMs) + gapMs;
  }

  return {
    turn: (kind, signal) =>
      queue.add(wait, { priority: kind === 'digest' ? 1 : 0, ...(signal ? { signal } : {}) }),
  };
}
