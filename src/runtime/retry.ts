import type { Clock } from './clock.ts';

/** How long to wait between tries: each time twice as long as before. */
export interface Pauses {
  /** After the first failure (ms). */
  firstMs: number;
  /** At most (ms). */
  longestMs: number;
}

/** The pause after this many failures, which are counted from 1 (ms). */
export function pauseAfter(failures: number, { firstMs, longestMs }: Pauses): number {
  return Math.min(firstMs * 2 ** (failures - 1), longestMs);
}

export interface RetryOptions extends Pauses {
  /**
   * Called after each failure with the pause that would follow (ms). False: it is not tried again, and the
   * error is thrown.
   */
  isRetried(error: unknown, failures: number, pauseMs: number): boolean;
  /** Waits that long. It rejects to end the tries, such as when the bot is stopping. */
  wait(pauseMs: number): Promise<unknown>;
}

/** Does the work, and again after growing pauses while `isRetried` says so. */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pauseAfter(failures, options);
      if (!options.isRetried(error, failures, pauseMs)) throw error;
      await options.wait(pauseMs);
    }
  }
}

/** What failed rests before it is tried again, longer after each failure. */
export interface Rests<K> {
  /** Whether it is too early for the next try. */
  isResting(key: K): boolean;
  /**
   * It rests from now on, twice as long as after the failure before. While it rests this says nothing new: what
   * failed began before.
   */
  noteFailure(key: K): void;
  /** Its next failure is a first one. */
  noteSuccess(key: K): void;
}

export function openRests<K>(clock: Clock, pauses: Pauses): Rests<K> {
  const resting = new Map<K, { failures: number; untilMs: number }>();
  const isResting = (key: K): boolean => clock.now() < (resting.get(key)?.untilMs ?? 0);
  return {
    isResting,
    noteFailure(key) {
      if (isResting(key)) return;
      const failures = (resting.get(key)?.failures ?? 0) + 1;
      resting.set(key, { failures, untilMs: clock.now() + pauseAfter(failures, pauses) });
    },
    noteSuccess: (key) => void resting.delete(key),
  };
}
