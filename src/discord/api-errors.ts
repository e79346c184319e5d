import { DiscordAPIError, HTTPError, RateLimitError, RESTJSONErrorCodes } from 'discord.js';
import type { ZodType } from 'zod';

type Code = keyof typeof RESTJSONErrorCodes;

/** Whether Discord answered a request with one of these codes. */
export function isApiError(error: unknown, ...codes: Code[]): boolean {
  const wanted: number[] = codes.map((code) => RESTJSONErrorCodes[code]);
  return error instanceof DiscordAPIError && wanted.includes(Number(error.code));
}

/** Too many edits of messages over an hour old (30046), of which discord.js makes an error of its own. */
export function isEditLimit(error: unknown): boolean {
  return (
    error instanceof RateLimitError ||
    isApiError(error, 'MaximumNumberOfEditsToMessagesOlderThanOneHourReached')
  );
}

/** Whether Discord certainly refused the request (4xx), so that it had no effect. discord.js has `HTTPError` for 5xx. */
export function isRefusal(error: unknown): error is DiscordAPIError {
  return error instanceof DiscordAPIError;
}

/** The answer is not from Discord's API, but for example from a proxy. */
export class NotDiscord extends Error {
  override readonly name = 'NotDiscord';
}

/** Whether Discord gave no answer: a fault of the network or of its servers, a proxy's page, or a request given up. */
export function isUnanswered(error: unknown): boolean {
  if (error instanceof HTTPError || error instanceof NotDiscord) return true;
  if (error instanceof DOMException) return true;
  const { code } = error as { code?: unknown };
  return error instanceof Error && typeof code === 'string' && /^(UND_ERR_|E[A-Z_]+$)/.test(code);
}

/** Parses an answer that the start needs. Throws `NotDiscord` if it has another form. */
export function readAnswer<T>(schema: ZodType<T>, answer: unknown): T {
  const { data } = schema.safeParse(answer);
  if (data === undefined) throw new NotDiscord('The answer has another form than Discord’s.');
  return data;
}

/**
 * Whether Discord understood and refused the request. A 401 is our own fault. Without a code the answer is
 * not the API's, but for example a proxy's page.
 */
export function isLastingRefusal(error: unknown): error is DiscordAPIError {
  return isRefusal(error) && error.status !== 401 && Number(error.code) > 0;
}
