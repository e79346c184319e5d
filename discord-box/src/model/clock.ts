/** The one source of time. Milliseconds since the Unix epoch. Limits need one that runs. */
export type Clock = { now(): number };

/** A clock that runs, and that tests move: everything that goes by time here goes by it. */
export type MovableClock = Clock & { move(ms: number): void };

/** It begins now, or at the given time. */
export function openClock(startMs = Date.now()): MovableClock {
  let offsetMs = startMs - Date.now();
  return {
    now: () => Date.now() + offsetMs,
    move: (ms) => {
      offsetMs += ms;
    },
  };
}
