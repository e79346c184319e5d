import { schedule } from 'node-cron';
import { type Clock, MINUTE_MS } from './clock.ts';

const EACH_SECOND = '* * * * * *';

/** node-cron waits for a time of the machine's clock: if that is set back, it waits for days. */
const WATCH_MS = 15_000;

/** Recounts of many articles take minutes. */
const LONG_MS = 30 * MINUTE_MS;

/** What is done once a minute. */
export interface MinuteJob {
  /** What a host reads of it in the log. */
  name: string;
  /** Does it. Errors are its own matter. */
  run: () => Promise<void>;
}

/**
 * Does the work at each full minute of the clock and when the clock is moved, but never twice at the same
 * time. If the process is busy at the full minute, the work begins as soon as possible. `tellLong` is called
 * once for a work that has not ended after half an hour. Returns a function that stops it.
 */
export function everyMinute(
  clock: Clock,
  { name, run }: MinuteJob,
  tellLong: (name: string) => void,
): () => unknown {
  let doneMinute = minuteOf(clock);
  /** When the work that goes on began, and whether it was told that it takes long. */
  let busy: { sinceMs: number; isTold: boolean } | null = null;
  function look(): void {
    const minute = minuteOf(clock);
    if (busy !== null) {
      if (busy.isTold || clock.now() - busy.sinceMs < LONG_MS) return;
      busy.isTold = true;
      return tellLong(name);
    }
    if (minute === doneMinute) return;
    doneMinute = minute;
    busy = { sinceMs: clock.now(), isTold: false };
    void run().finally(() => (busy = null));
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
