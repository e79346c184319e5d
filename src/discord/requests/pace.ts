import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'discord.js';
import PQueue from 'p-queue';

/** 44 of Discord's 50 requests a second. The other 6 are for members. */
const PART_OF_REQUESTS = 0.88;
/** After a blocked event loop, at most the turns of this time are given at once, to stay below the limit. */
const LATE_MS = 50;

/**
 * Spaces all requests that can wait evenly, so that they never reach Discord's limit of requests a
 * second. Members' requests do not wait for a turn, and use the rest of the limit.
 */
export type Pace = ReturnType<typeof openPace>;

export function openPace(client: Client) {
  const gapMs = 1000 / (client.rest.options.globalRequestsPerSecond * PART_OF_REQUESTS);
  const queue = new PQueue({ concurrency: 1 });
  let nextMs = 0;

  async function wait(): Promise<void> {
    // Node warns of a negative time.
    await pause(Math.max(0, nextMs - performance.now()));
    nextMs = Math.max(nextMs, performance.now() - LATE_MS) + gapMs;
  }

  return {
    /** Resolves when the next request may be sent. Digests go before other work, which has no due time. */
    turn: (kind: 'digest' | 'background', signal?: AbortSignal): Promise<void> =>
      queue.add(wait, { priority: kind === 'digest' ? 1 : 0, ...(signal ? { signal } : {}) }),
  };
}
