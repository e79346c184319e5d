import { schedule } from 'node-cron';
import type { StoppableClock } from './clock.ts';

/** A run that comes later than this is left to the next minute. */
const lateMs = 59_000;

/**
 * Does the work at each full minute and when the clock was moved, but never twice at the same time. A
 * process that was busy at the full minute does it as soon as it can. Returns what ends it.
 */
export function everyMinute(clock: StoppableClock, work: () => Promise<void>): () => unknown {
  let busy: Promise<void> | undefined;
  function run(): Promise<void> {
    return (busy ??= work().finally(() => (busy = undefined)));
  }
  // The scheduler must not write to the terminal: it warns of late runs, unless told not to, and of
  // work that takes longer than a minute, if the promise is returned.
  const options = { missedExecutionTolerance: lateMs, suppressMissedWarning: true };
  const job = schedule('* * * * *', () => void run(), options);
  clock.onMove(() => void Promise.resolve(busy).then(run, run));
  return () => job.destroy();
}
