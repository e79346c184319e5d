import { setTimeout as pause } from 'node:timers/promises';
import PQueue from 'p-queue';
import { fault, type Log } from '../../runtime/log.ts';
import { isOutage } from '../../redis/errors.ts';

const AWAY_EVERY_MS = 1000;
const FAULT_EVERY_MS = 60_000;
const TRIES_AT_MOST = 60;

/**
 * Work that is not urgent, a few tasks at a time, so that votes are not delayed. A new task for the same
 * subject replaces one that has not begun. A task that fails is tried again: each second while Redis is
 * down, else each minute for an hour. Then a recount has to repair it.
 */
export interface TaskQueue {
  /** Does the work soon; the subject is what it is about, such as `links of 123`. */
  add(subject: string, work: () => Promise<unknown>): void;
  /** Drops the waiting tasks. Resolves when the running ones have ended. */
  stop(): Promise<void>;
}

export function openTasks(log: Log, sideBySide = 1, awayEveryMs = AWAY_EVERY_MS): TaskQueue {
  const queue = new PQueue({ concurrency: sideBySide });
  const waiting = new Map<string, () => Promise<unknown>>();
  const stopping = new AbortController();

  function add(subject: string, work: () => Promise<unknown>, tries = 1): void {
    if (stopping.signal.aborted) return;
    const isWaiting = waiting.has(subject);
    waiting.set(subject, work);
    // An idle queue runs it before `add` returns.
    if (!isWaiting) void queue.add(() => run(subject, tries));
  }

  async function run(subject: string, tries: number): Promise<void> {
    const work = waiting.get(subject)!;
    waiting.delete(subject);
    const again = (nextTries: number): void => {
      if (!waiting.has(subject)) add(subject, work, nextTries);
    };
    try {
      await work();
    } catch (error) {
      if (isOutage(error)) {
        await pause(awayEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
        again(tries);
      } else if (!stopping.signal.aborted) {
        log.error({ ...fault(error), subject, tries }, 'A task failed.');
        // Somebody may repair the key or the permission. Other work goes on meanwhile.
        if (tries < TRIES_AT_MOST) setTimeout(() => again(tries + 1), FAULT_EVERY_MS).unref();
      }
    }
  }

  return {
    add,
    async stop(): Promise<void> {
      stopping.abort();
      queue.clear();
      await queue.onIdle();
    },
  };
}
