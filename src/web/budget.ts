import { setTimeout as pause } from 'node:timers/promises';
import type { Snowflake } from '../runtime/snowflake.ts';

/** The part of the process's time that pages and feeds may take; the bot answers members with the rest. */
const SHARE = 0.2;
/** Saved up while nobody visits, so that single visits do not wait (ms). */
const SAVED_AT_MOST_MS = 250;
/**
 * So many documents of a guild may wait, so that whoever opens some pages at once gets them all. At 100 ms of the
 * processor's time each, which is the most that one should take (`bench/documents.ts`), the last one waits four seconds.
 */
export const WAITING_OF_GUILD_AT_MOST = 8;
/** Of all guilds together. Where many crowd, a visitor is told to come again when he would have gone. */
const WAITING_AT_MOST = 64;
const LONGEST_WAIT_MS = 10_000;
/** Whoever waits for what one document used too much is served, or refused, in that time. */
const MOST_OWED_MS = SHARE * LONGEST_WAIT_MS;
/** After this time most of those who waited are served or gone. */
export const RETRY_AFTER_SECONDS = 5;

/** What a feed reader gets when there are too many, and who asks when it is no time even for a page that says so. */
export const TOO_MANY = 'Too many visits at once. Try again in a moment.\n';
export const TOO_MANY_HEADERS = { 'cache-control': 'no-store', 'content-type': 'text/plain' };

/** A visitor comes when the time for pages is used up. */
export class WebIsBusy extends Error {}

/** One for all: a stack for each would cost more than the rest of a refusal. */
const busy = new WebIsBusy();

/** Time for what visitors ask for, whatever each of it costs. */
export interface Budget {
  /**
   * Does the work when it is its turn: one in the whole process, guild by guild, and none while the
   * earlier ones have used up the time. Rejects with `WebIsBusy` where that would last too long.
   */
  turn<T>(guild: Snowflake, work: () => Promise<T>): Promise<T>;
}

type Waiting = { sinceMs: number; begin: () => Promise<void>; refuse: (reason: Error) => void };

export function openBudget(): Budget {
  /** The guild that had its turn longest ago is the first. */
  const waiting = new Map<Snowflake, Waiting[]>();
  let count = 0;
  let isRunning = false;
  let savedMs = SAVED_AT_MOST_MS;
  let savedAtMs = performance.now();

  function saved(): number {
    const now = performance.now();
    savedMs = Math.min(SAVED_AT_MOST_MS, savedMs + (now - savedAtMs) * SHARE);
    savedAtMs = now;
    return savedMs;
  }

  function takeNext(): Waiting {
    const [guild, [next, ...others]] = waiting.entries().next().value as [Snowflake, Waiting[]];
    waiting.delete(guild);
    if (others.length > 0) waiting.set(guild, others);
    count -= 1;
    return next!;
  }

  async function run(): Promise<void> {
    while (count > 0) {
      const missingMs = -saved();
      if (missingMs > 0) await pause(missingMs / SHARE);
      const next = takeNext();
      if (performance.now() - next.sinceMs > LONGEST_WAIT_MS) {
        next.refuse(busy);
        continue;
      }
      // What else the process does meanwhile counts too, so that pages yield to it. Waiting for Redis does not.
      const before = process.cpuUsage();
      await next.begin();
      const { user, system } = process.cpuUsage(before);
      savedMs = Math.max(savedMs - (user + system) / 1000, -MOST_OWED_MS);
    }
    isRunning = false;
  }

  return {
    turn<T>(guild: Snowflake, work: () => Promise<T>): Promise<T> {
      const ofGuild = waiting.get(guild) ?? [];
      if (count >= WAITING_AT_MOST || ofGuild.length >= WAITING_OF_GUILD_AT_MOST) {
        return Promise.reject(busy);
      }
      return new Promise<T>((resolve, refuse) => {
        const begin = () => work().then(resolve, refuse);
        waiting.set(guild, [...ofGuild, { sinceMs: performance.now(), begin, refuse }]);
        count += 1;
        if (isRunning) return;
        isRunning = true;
        void run();
      });
    },
  };
}
