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

/** Gives the first answers of interactions a time-out, after which they are sent again. */
export function limitCallbacks({ options }: REST): void {
  const makeRequest = options.makeRequest.bind(options);
  options.makeRequest = (url, init) => {
    // A file may take longer to send.
    const isLimited = /\/interactions\/.*\/callback/.test(url) && typeof init.body === 'string';
    if (!isLimited) return makeRequest(url, init);
    const signals = [AbortSignal.timeout(UNANSWERED_MS), ...(init.signal ? [init.signal] : [])];
    return makeRequest(url, { ...init, signal: AbortSignal.any(signals) });
  };
}

/** The client drops its token after an answer of 401, and every later request would fail. */
export function keepToken(rest: REST, token: string): void {
  const setToken = rest.setToken.bind(rest);
  rest.setToken = (given: string | null) => setToken(given ?? token);
}
