import { setTimeout as pause } from 'node:timers/promises';
import PQueue from 'p-queue';
import { fault, type Log } from '../../log.ts';
import { isFaultOfRedis, isOutage } from '../../redis/errors.ts';

/**
 * Long work that is not urgent, a few tasks at a time, so that votes are not delayed. A new task for the
 * same subject replaces one that has not begun. While Redis is down, a task is retried, and once a
 * minute while Redis refuses it. Any other fault is logged, and a recount has to repair it.
 */
export type TaskQueue = {
  add(subject: string, work: () => Promise<unknown>): void;
  /** Drops the waiting tasks. Resolves when the running ones have ended. */
  stop(): Promise<void>;
};

const RETRY_EVERY_MS = 1000;
const FAULT_EVERY_MS = 60_000;

export function openTasks(log: Log, sideBySide = 1): TaskQueue {
  const queue = new PQueue({ concurrency: sideBySide });
  const waiting = new Map<string, () => Promise<unknown>>();
  const stopping = new AbortController();

  function add(subject: string, work: () => Promise<unknown>): void {
    if (stopping.signal.aborted) return;
    const isWaiting = waiting.has(subject);
    waiting.set(subject, work);
    // An idle queue runs it before `add` returns.
    if (!isWaiting) void queue.add(() => run(subject));
  }

  async function run(subject: string): Promise<void> {
    const work = waiting.get(subject)!;
    waiting.delete(subject);
    try {
      await work();
    } catch (error) {
      if (!isOutage(error)) {
        log.error({ ...fault(error), subject }, 'A change in the guild was not stored.');
        // Somebody may mend the key or the permission. Other work goes on meanwhile.
        if (isFaultOfRedis(error)) {
          setTimeout(() => waiting.has(subject) || add(subject, work), FAULT_EVERY_MS).unref();
        }
        return;
      }
      await pause(RETRY_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
      if (!waiting.has(subject)) add(subject, work);
    }
  }

  return {
    add,
    async stop() {
      stopping.abort();
      queue.clear();
      await queue.onIdle();
    },
  };
}
