import type { REST, RESTOptions } from 'discord.js';

// What discord.js's REST client does otherwise than the bot needs. `gateway/client.ts` is the same for
// its connection.

type Answer = Awaited<ReturnType<RESTOptions['makeRequest']>>;

/** Calls back at each answer of Discord. The client's own event for that would copy every body. */
export function onAnswer({ options }: REST, listener: (answer: Answer, url: string) => void): void {
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = async (url, init) => {
    const answer = await makeRequest(url, init);
    listener(answer, url);
    return answer;
  };
}

/** An answer to an interaction that takes longer was probably sent over a dead connection. */
const UNANSWERED_MS = 1000;
/** More than the client's own limit of 15 s, which ends when the body begins. */
const UNREAD_MS = 20_000;

/**
 * Limits the time of each answer with its body. The first answers of interactions have less, after which
 * they are sent again.
 */
export function limitAnswers({ options }: REST): void {
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = (url, init) => {
    // A file may take longer to send.
    const isCallback = /\/interactions\/.*\/callback/.test(url) && typeof init.body === 'string';
    const limit = AbortSignal.timeout(isCallback ? UNANSWERED_MS : UNREAD_MS);
    const signal = init.signal ? AbortSignal.any([limit, init.signal]) : limit;
    return makeRequest(url, { ...init, signal });
  };
}

/** The client drops its token after an answer of 401, and every later request would fail. */
export function keepToken(rest: REST, token: string): void {
  const setToken = rest.setToken.bind(rest);
  rest.setToken = (given: string | null) => setToken(given ?? token);
}
