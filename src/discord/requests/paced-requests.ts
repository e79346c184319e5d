import { type Client, RequestMethod } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { isApiError } from '../api-errors.ts';
import type { OwnMessages } from './own-messages.ts';
import type { Pace } from './pace.ts';
import { ChannelRefused, isForbidden, type Place, type Refusals } from './refusals.ts';

type Call = {
  method: RequestMethod.Get | RequestMethod.Patch | RequestMethod.Delete;
  fullRoute: `/${string}`;
  query?: URLSearchParams;
  body?: unknown;
};

/**
 * Requests that can wait, such as those of a recount. They keep the pace (see `pace.ts`), so that they
 * leave room for requests that a member waits for. All throw `ChannelRefused`, and send nothing, where
 * `Refusals` says so.
 */
export type PacedRequests = ReturnType<typeof openPacedRequests>;

export function openPacedRequests({
  client,
  ownMessages,
  refusals,
  pace,
  stopping,
}: {
  client: Client;
  /** Ensures that a request stays in its guild and changes only the bot's own messages. */
  ownMessages: OwnMessages;
  refusals: Refusals;
  pace: Pace;
  stopping: AbortSignal;
}) {
  async function pass(guild: Snowflake, { method, fullRoute }: Call): Promise<void> {
    const [, channel, message] = /^\/channels\/(\d+)(?:\/messages\/(\d+))?/.exec(fullRoute) ?? [];
    if (channel === undefined) return;
    if (message === undefined || method === RequestMethod.Get) {
      await ownMessages.demandChannel({ guild, channel });
    } else await ownMessages.demand({ guild, channel, message });
  }

  async function request(place: Place, call: Call): Promise<unknown> {
    await refusals.demand(place, call.method);
    await pace.turn('background', stopping);
    // A separate signal per request, because discord.js never removes its listener from the signal.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    stopping.addEventListener('abort', end);
    try {
      await pass(place.guild, call);
      return await client.rest.request({ ...call, signal: ending.signal });
    } catch (error) {
      // This code is about the message. Any other 403, and the code below, are about the channel.
      if (isApiError(error, 'CannotEditMessageAuthoredByAnotherUser')) throw error;
      const isRefused = isApiError(error, 'CannotExecuteActionOnThisChannelType');
      if (!isRefused && !isForbidden(error)) throw error;
      await refusals.keep(place, call.method);
      throw new ChannelRefused('Discord refuses this channel.', { cause: error });
    } finally {
      stopping.removeEventListener('abort', end);
    }
  }

  return {
    get: (place: Place, fullRoute: `/${string}`, query?: Record<string, string>) =>
      request(place, {
        method: RequestMethod.Get,
        fullRoute,
        ...(query ? { query: new URLSearchParams(query) } : {}),
      }),
    patch: (place: Place, fullRoute: `/${string}`, body: unknown) =>
      request(place, { method: RequestMethod.Patch, fullRoute, body }),
    delete: (place: Place, fullRoute: `/${string}`) =>
      request(place, { method: RequestMethod.Delete, fullRoute }),
  };
}
