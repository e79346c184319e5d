import { readFileSync, unwatchFile, watchFile } from 'node:fs';

/** The one source of time. Milliseconds since the Unix epoch. */
export type Clock = { now(): number };

export type StoppableClock = Clock & { stop(): void };

/**
 * The system's time plus an offset.
 * In development the offset (whole milliseconds, as text) comes from a file that is watched,
 * so that the sandbox and the tests move time for every process at once.
 */
export function startClock(offsetFile?: string): StoppableClock {
  if (offsetFile === undefined) return { now: () => Date.now(), stop: () => {} };
  let offsetMs = readOffset(offsetFile);
  watchFile(offsetFile, { interval: 100, persistent: false }, () => {
    offsetMs = readOffset(offsetFile);
  });
  return { now: () => Date.now() + offsetMs, stop: () => unwatchFile(offsetFile) };
}

function readOffset(file: string): number {
  try {
    const offset = Number(readFileSync(file, 'utf8').trim());
    return Number.isSafeInteger(offset) ? offset : 0;
  } catch {
    return 0; // No file yet means no offset.
  }
}
