import type { REST } from 'discord.js';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import { NotDiscord } from '../api-errors.ts';

// What discord.js's REST client does otherwise than the bot needs. `gateway/client.ts` is the same for
// its connection.

/** More than the client's own limit of 15 s, which ends when the body begins. */
const UNREAD_MS = 20_000;

/**
 * Limits the time of each answer with its body. The first answer of an interaction has a third of the time that
 * Discord waits for it (`answerWithinMs`), after which it is sent again: the connection is probably dead.
 */
export function limitAnswers({ options }: REST, answerWithinMs: number): void {
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = (url, init) => {
    // A file may take longer to send.
    const isCallback =
      /\/interactions\/\d+\/[^/]+\/callback/.test(url) && typeof init.body === 'string';
    const ending = new AbortController();
    const end = (): void =>
      ending.abort(new DOMException('The answer took too long.', 'TimeoutError'));
    // Not AbortSignal.timeout(): within AbortSignal.any() nothing holds it, and after a garbage collection
    // it would never fire (https://dom.spec.whatwg.org/#abort-signal-garbage-collection).
    const limitMs = isCallback ? answerWithinMs / 3 : UNREAD_MS;
    // After a standstill of the process, what arrived meanwhile is read before the time is found to be over.
    setTimeout(() => setImmediate(end), limitMs).unref();
    if (init.signal?.aborted) ending.abort(init.signal.reason);
    init.signal?.addEventListener('abort', () => ending.abort(init.signal?.reason), { once: true });
    return makeRequest(url, { ...init, signal: ending.signal });
  };
}

/**
 * Makes an error of an answer that tells of a success in another form than Discord's: JSON, or nothing with
 * 204. Such as a proxy's page or redirection, after which the client would take a message for sent, edited or
 * deleted.
 */
export function refuseForeignAnswers({ options }: REST): void {
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = async (url, init) => {
    const response = await makeRequest(url, init);
    const { status, headers } = response;
    const isJson = headers.get('content-type')?.startsWith('application/json') === true;
    if (status >= 400 || status === 204 || isJson) return response;
    // Unread, it would hold its connection.
    void response.arrayBuffer().catch(() => {});
    throw new NotDiscord(`The answer is no JSON (${status}).`);
  };
}

/** Counts Discord's answers of any kind but faults of its servers: something is answered. */
export function countAnswers(rest: REST): () => number {
  let answers = 0;
  rest.on('response', (_, { status }) => {
    if (status < 500) answers += 1;
  });
  return () => answers;
}

/** The client drops its token after an answer of 401, and every later request would fail. */
export function keepToken(rest: REST, token: string): void {
  const setToken = rest.setToken.bind(rest);
  rest.setToken = (other: string | null) => setToken(other ?? token);
}

const LONG_MS = 30_000;

/**
 * Logs until when Discord, or Cloudflare in front of it, refuses all requests: discord.js waits without
 * a word. An answer that names a bucket is about the limit of a single route, and is not logged.
 */
export function tellLongWaits(rest: REST, clock: Clock, log: Log): void {
  let toldUntilMs = 0;
  rest.on('response', (_, { status, headers }) => {
    const waitMs = Number(headers.get('retry-after')) * 1000;
    const untilMs = clock.now() + waitMs;
    const isOfAll = status === 429 && !headers.has('x-ratelimit-bucket');
    if (!isOfAll || !(waitMs >= LONG_MS) || untilMs < toldUntilMs + LONG_MS) return;
    toldUntilMs = untilMs;
    const at = new Date(untilMs).toISOString().slice(0, 19);
    log.warn(
      `Discord takes no requests of this bot, or of this machine's address, until ${at} UTC, since there were too many. Frontpage waits; do not start it again and again.`,
    );
  });
}
