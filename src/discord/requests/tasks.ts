import { setTimeout as pause } from 'node:timers/promises';
import { fault, type Log } from '../../log.ts';
import { isOutage } from '../../redis/errors.ts';

/**
 * Long work on the ranking that is not urgent. One task runs at a time, so that votes are not delayed.
 * A new task for the same subject replaces one that has not begun. While Redis is down, a task is
 * retried. Any other fault is logged, and a recount has to repair it.
 */
export type TaskQueue = {
  add(subject: string, work: () => Promise<unknown>): void;
  stop(): Promise<void>;
};

const retryEveryMs = 1000;

export function openTasks(log: Log): TaskQueue {
  const waiting = new Map<string, () => Promise<unknown>>();
  const stopping = new AbortController();
  let working: Promise<void> | undefined;

  async function work(): Promise<void> {
    for (let next = first(); next && !stopping.signal.aborted; next = first()) {
      const [subject, chore] = next;
      waiting.delete(subject);
      try {
        await chore();
      } catch (error) {
        if (!isOutage(error)) {
          log.error({ ...fault(error), subject }, 'A change in the guild was not stored.');
          continue;
        }
        if (!waiting.has(subject)) waiting.set(subject, chore);
        await pause(retryEveryMs, undefined, { signal: stopping.signal }).catch(() => {});
      }
    }
  }

  function first(): [string, () => Promise<unknown>] | undefined {
    return waiting.entries().next().value;
  }

  return {
    add(subject, chore) {
      waiting.set(subject, chore);
      working ??= work().finally(() => {
        working = undefined;
      });
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
