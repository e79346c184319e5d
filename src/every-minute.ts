import { type Clock, MINUTE_MS } from './clock.ts';

/** A clock that is moved, as in development, is noticed this fast. */
const LOOK_MS = 250;

/**
 * Does the work at each full minute of the clock and when the clock is moved, but never twice at the same
 * time. If the process is busy at the full minute, the work begins as soon as possible. Returns a
 * function that stops it.
 */
export function everyMinute(clock: Clock, work: () => Promise<void>): () => void {
  let doneMinute = minuteOf(clock);
  let isBusy = false;
  const timer = setInterval(async () => {
    const minute = minuteOf(clock);
    if (isBusy || minute === doneMinute) return;
    doneMinute = minute;
    isBusy = true;
    await work().finally(() => (isBusy = false));
  }, LOOK_MS);
  return () => clearInterval(timer);
}

function minuteOf(clock: Clock): number {
  return Math.floor(clock.now() / MINUTE_MS);
}
