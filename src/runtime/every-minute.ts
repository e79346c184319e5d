import { schedule } from 'node-cron';
import { type Clock, MINUTE_MS } from './clock.ts';

const EACH_SECOND = '* * * * * *';

/** node-cron waits for a time of the machine's clock: if that is set back, it waits for days. */
const WATCH_MS = 15_000;

/**
 * Does the work at each full minute of the clock and when the clock is moved, but never twice at the same
 * time. If the process is busy at the full minute, the work begins as soon as possible. Returns a
 * function that stops it.
 */
export function everyMinute(clock: Clock, work: () => Promise<void>): () => unknown {
  let doneMinute = minuteOf(clock);
  let isBusy = false;
  function look(): void {
    const minute = minuteOf(clock);
    if (isBusy || minute === doneMinute) return;
    doneMinute = minute;
    isBusy = true;
    void work().finally(() => (isBusy = false));
  }
  // Nothing but the log writes to the terminal, and the next second makes up for a missed one.
  const job = schedule(EACH_SECOND, look, { suppressMissedWarning: true });
  const watch = setInterval(look, WATCH_MS);
  return () => {
    clearInterval(watch);
    return job.destroy();
  };
}

function minuteOf(clock: Clock): number {
  return Math.floor(clock.now() / MINUTE_MS);
}
