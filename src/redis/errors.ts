import { fault, faultLine, type Log } from '../runtime/log.ts';

/** Errors that Redis answers while it cannot serve, or while its administrator forbids it to. */
const passing =
  /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|OOM|MISCONF|BUSY|NOREPLICAS|UNBLOCKED|NOSCRIPT|NOPERM|NOAUTH|WRONGPASS|EXECABORT)\b/;
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

/** Longer than a minute, after which most work is tried again. */
const SAME_AGAIN_MS = 90_000;
const REMEMBERED = 1000;

/** Logs a warning about work that failed and will be tried again. */
export type Warn = (error: unknown, fields: object, message: string) => void;

/**
 * Logs what fails again and again as a warning when it is new, and else for debugging. An outage fails in
 * the same way for every guild and each minute, so it is new when it was not given for a while. A damaged
 * key fails for each vote, and is a warning every 90 s.
 */
export function openWarnings(log: Log): Warn {
  const warnedAtMs = new Map<string, number>();
  return (error, fields, message) => {
    const nowMs = performance.now();
    const what = isOutage(error) ? message : JSON.stringify([message, fields, String(error)]);
    const isKnown = nowMs - (warnedAtMs.get(what) ?? -Infinity) < SAME_AGAIN_MS;
    if (warnedAtMs.size > REMEMBERED) warnedAtMs.clear();
    if (isOutage(error) || !isKnown) warnedAtMs.set(what, nowMs);
    // The stack of an outage is the driver's.
    const told = isOutage(error) ? faultLine(error) : fault(error);
    if (isKnown) log.debug({ ...told, ...fields }, message);
    else log.warn({ ...told, ...fields }, message);
  };
}

/** Whether Redis refused a command although it can be reached, such as for a key of a wrong type. */
export function isFaultOfRedis(error: unknown): boolean {
  return error instanceof Error && error.name === 'ReplyError' && !isOutage(error);
}

/** Whether a message is an answer of Redis, such as `WRONGPASS …`, and not of Node or the driver. */
export function isReply(message: string): boolean {
  return /^[A-Z]{3,}\s/.test(message);
}

/** For a read that goes on without a key of a wrong type. */
export function nullIfWrongType(error: Error): null {
  if (error.message.includes('WRONGTYPE')) return null;
  throw error;
}

/**
 * Whether an error means that Redis is away for a time. It compares names and messages of errors,
 * because callers do not know the driver; the tests compare them with the real driver. Redis may
 * have applied a command that failed in this way.
 */
export function isOutage(error: unknown): boolean {
  // Requests to Discord fail with a status, or are given up with a DOMException.
  if (!(error instanceof Error) || error instanceof DOMException || 'status' in error) return false;
  if (outages.has(error.name)) return true;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string' && socketCodes.has(code) && syscall !== undefined) return true;
  return passing.test(error.message) || unreached.test(error.message);
}
