import { DiscordAPIError, RESTJSONErrorCodes } from 'discord.js';

type Code = keyof typeof RESTJSONErrorCodes;

/** Whether Discord answered a request with one of these codes. */
export function isApiError(error: unknown, ...codes: Code[]): boolean {
  return (
    error instanceof DiscordAPIError &&
    codes.some((code) => Number(RESTJSONErrorCodes[code]) === Number(error.code))
  );
}
