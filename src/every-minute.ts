import { schedule } from 'node-cron';
import type { StoppableClock } from './clock.ts';

/** When the work runs, how late it may begin, and after how long without it the scheduler counts as stuck. */
const minutely = { pattern: '* * * * *', lateMs: 59_000, stillMs: 75_000 };

/**
 * Does the work at each full minute and when the clock is moved, but never twice at the same time. If
 * the process is busy at the full minute, the work begins as soon as possible. Returns a function that
 * stops it.
 */
export function everyMinute(
  clock: Pick<StoppableClock, 'onMove'>,
  work: () => Promise<void>,
  { pattern, lateMs, stillMs } = minutely,
): () => unknown {
  let busy: Promise<void> | undefined;
  let ranMs = performance.now();
  function run(): Promise<void> {
    ranMs = performance.now();
    return (busy ??= work().finally(() => (busy = undefined)));
  }
  // The scheduler must not write to the terminal: it warns of late runs, unless told not to, and of
  // work that takes longer than a minute, if the promise is returned.
  const options = { missedExecutionTolerance: lateMs, suppressMissedWarning: true };
  const job = schedule(pattern, () => void run(), options);
  clock.onMove(() => void Promise.resolve(busy).then(run, run));
  // The scheduler waits for a time of the machine's clock. If that is set back, it waits for days.
  const watch = setInterval(() => {
    if (performance.now() - ranMs > stillMs) void run();
  }, stillMs / 5);
  return () => {
    clearInterval(watch);
    return job.destroy();
  };
}
