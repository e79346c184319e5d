import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';

type Code = keyof typeof RESTJSONErrorCodes;

/** Whether Discord answered a request with one of these codes. */
export function isApiError(error: unknown, ...codes: Code[]): boolean {
  const wanted: number[] = codes.map((code) => RESTJSONErrorCodes[code]);
  return error instanceof DiscordAPIError && wanted.includes(Number(error.code));
}
