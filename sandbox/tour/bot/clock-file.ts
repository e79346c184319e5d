import { readFileSync, unwatchFile, watchFile } from 'node:fs';

import type { Clock } from '../../../discord-box/src/model/clock.ts';

type StoppableClock = Clock & {
  /** Calls the listener when the offset changes, which happens in development only. */
  onMove(listener: () => void): void;
  stop(): void;
};

/**
 * The system's time plus an offset.
 * In development the offset (whole milliseconds, as text) comes from a file that is watched,
 * so that the sandbox and the tests move time for every process at once.
 */
export function startClock(offsetFile: string): StoppableClock {
  let offsetMs = readOffset(offsetFile);
  const listeners: (() => void)[] = [];
  watchFile(offsetFile, { interval: 100, persistent: false }, () => {
    const before = offsetMs;
    offsetMs = readOffset(offsetFile);
    if (offsetMs !== before) for (const listener of listeners) listener();
  });
  return {
    now: () => Date.now() + offsetMs,
    onMove: (listener) => void listeners.push(listener),
    stop: () => unwatchFile(offsetFile),
  };
}

function readOffset(file: string): number {
  try {
    const offset = Number(readFileSync(file, 'utf8').trim());
    return Number.isSafeInteger(offset) ? offset : 0;
  } catch {
    return 0; // No file yet means no offset.
  }
}
