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
