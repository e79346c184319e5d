import { setTimeout as pause } from 'node:timers/promises';

/** Waits, or rejects as soon as the signal is aborted. */
export async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal });
}
