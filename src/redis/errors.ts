import { setTimeout as pause } from 'node:timers/promises';
import { fault, type Log } from '../log.ts';

/** What Redis itself answers when it cannot serve for now. */
const passing =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|OOM|MISCONF|BUSY|NOREPLICAS|UNBLOCKED)\b/;
const unreached =
  /^(Command timed out|Connection is closed|Stream isn't writeable|Socket timeout|Too many Cluster redirections|Cluster isn't ready|None of startup nodes is available)/;
const outages = new Set(['MaxRetriesPerRequestError', 'AbortError', 'ClusterAllFailedError']);
const socketCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
]);

/** By default a cluster waits 15 s for a master before it agrees on who follows it. */
const takeOverMs = 30_000;
const retryEveryMs = 500;

/**
 * Does the work again while Redis is away, for as long as another server needs to take over; then
 * it throws. The work must be one that may be done twice.
 */
export async function retryThroughOutage<T>(work: () => Promise<T>): Promise<T> {
  const untilMs = performance.now() + takeOverMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOutage(error) || performance.now() > untilMs) throw error;
      await pause(retryEveryMs);
    }
  }
}

const sameAgainMs = 10_000;

/** Warns of work that failed and is tried again. */
export type Warn = (error: unknown, fields: object, message: string) => void;

/**
 * An outage is the same for every guild: the first of many warnings in the same words is enough, and
 * the others are logged for debugging only.
 */
export function openWarnings(log: Log): Warn {
  const warnedAtMs = new Map<string, number>();
  return (error, fields, message) => {
    const nowMs = performance.now();
    const isKnown = nowMs - (warnedAtMs.get(message) ?? -Infinity) < sameAgainMs;
    if (isOutage(error) && isKnown) return log.debug({ ...fault(error), ...fields }, message);
    if (isOutage(error)) warnedAtMs.set(message, nowMs);
    log.warn({ ...fault(error), ...fields }, message);
  };
}

/**
 * Whether an error means that Redis is away and will be back. The edge does not know the driver, so
 * it goes by names and words, which the tests hold against the real one.
 * What failed so may have been applied all the same.
 */
export function isOutage(error: unknown): boolean {
  // Requests to Discord fail with a status, or are given up with a DOMException.
  if (!(error instanceof Error) || error instanceof DOMException || 'status' in error) return false;
  if (outages.has(error.name)) return true;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && socketCodes.has(code) && syscall !== undefined) return true;
  return passing.test(error.message) || unreached.test(error.message);
}
