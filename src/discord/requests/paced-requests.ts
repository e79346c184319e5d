import { setTimeout as pause } from 'node:timers/promises';
import { type Client, RequestMethod } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { isApiError } from '../api-errors.ts';
import type { OwnMessages } from './own-messages.ts';
import type { Pace } from './pace.ts';
import { ChannelRefused, isForbidden, type Place, type Refusals } from './refusals.ts';

/**
 * Requests that can wait, such as those of a recount. They leave room for requests that a member waits
 * for: they keep the pace (see `pace.ts`), and never take the last request that a route's own limit
 * allows.
 */
export type PacedRequests = {
  /** All throw `ChannelRefused`, and send nothing, where `Refusals` says so. */
  get(place: Place, route: `/${string}`, query?: Record<string, string>): Promise<unknown>;
  patch(place: Place, route: `/${string}`, body: unknown): Promise<unknown>;
  delete(place: Place, route: `/${string}`): Promise<void>;
};

type Method = RequestMethod.Get | RequestMethod.Patch | RequestMethod.Delete;

/** The number of a route's requests that are left to others. Only this queue reads reaction lists. */
const leftOf = (route: string): number => (route.includes('/reactions/') ? 0 : 1);

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
}): PacedRequests {
  /** For each route pattern of a channel, the time of the next allowed request. */
  const restsUntilMs = new Map<string, number>();

  async function turn(key: string): Promise<void> {
    for (;;) {
      const nowMs = performance.now();
      const resting = (restsUntilMs.get(key) ?? 0) - nowMs;
      if (resting <= 0) break;
      await pause(resting, undefined, { signal: stopping });
    }
    restsUntilMs.delete(key);
    await pace.turn('background', stopping);
  }

  async function pass(guild: Snowflake, method: RequestMethod, route: string): Promise<void> {
    const [, channel, message] = /^\/channels\/(\d+)(?:\/messages\/(\d+))?/.exec(route) ?? [];
    if (channel === undefined) return;
    if (message === undefined || method === RequestMethod.Get) {
      await ownMessages.demandChannel({ guild, channel });
    } else await ownMessages.demand({ guild, channel, message });
  }

  async function request(
    place: Place,
    call: {
      method: Method;
      fullRoute: `/${string}`;
      query?: URLSearchParams;
      body?: unknown;
    },
  ): Promise<unknown> {
    await refusals.demand(place, call.method);
    const key = `${call.method} ${patternOf(call.fullRoute)}`;
    await turn(key);
    // A separate signal per request, because discord.js never removes its listener from the signal.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    stopping.addEventListener('abort', end);
    try {
      await pass(place.guild, call.method, call.fullRoute);
      const response = await client.rest.queueRequest({ ...call, signal: ending.signal });
      const remaining = Number(response.headers.get('x-ratelimit-remaining') ?? Infinity);
      const resetMs = Number(response.headers.get('x-ratelimit-reset-after') ?? 0) * 1000;
      if (remaining <= leftOf(call.fullRoute))
        restsUntilMs.set(key, performance.now() + resetMs + 50);
      return response.status === 204 ? null : await response.json();
    } catch (error) {
      // This code is about the message. Any other 403, and the code below, are about the channel.
      if (isApiError(error, 'CannotEditMessageAuthoredByAnotherUser')) throw error;
      const isRefused = isApiError(error, 'CannotExecuteActionOnThisChannelType');
      if (!isRefused && !isForbidden(error)) throw error;
      await refusals.add(place, call.method);
      throw new ChannelRefused('Discord refuses this channel.', { cause: error });
    } finally {
      stopping.removeEventListener('abort', end);
    }
  }

  return {
    get: (place, fullRoute, query) =>
      request(place, {
        method: RequestMethod.Get,
        fullRoute,
        ...(query ? { query: new URLSearchParams(query) } : {}),
      }),
    patch: (place, fullRoute, body) =>
      request(place, { method: RequestMethod.Patch, fullRoute, body }),
    async delete(place, fullRoute) {
      await request(place, { method: RequestMethod.Delete, fullRoute });
    },
  };
}

/** The route's own limit is per channel, for all messages and emoji together. */
function patternOf(route: string): string {
  return route.replace(/(\/messages\/)\d+/, '$1:id').replace(/(\/reactions\/).*/, '$1:emoji');
}
