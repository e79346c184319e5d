import { setTimeout as pause } from 'node:timers/promises';
import { type Client, DiscordAPIError, RequestMethod } from 'discord.js';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { isApiError } from '../api-errors.ts';
import { openForbiddenChannels } from './forbidden-channels.ts';

/** Where a request belongs: what Discord refuses there is not asked again. */
export type Place = { guild: Snowflake; channel: Snowflake };

/**
 * Requests that can wait, such as those of a recount. They leave room for whatever a member is
 * waiting for: they come evenly, leave two of five that this process may send, and never take the last
 * request that a route's own limit allows.
 */
export type RequestQueue = {
  /** Throws `ChannelRefused` without asking where Discord answered 403 before. */
  get(place: Place, route: `/${string}`, query?: Record<string, string>): Promise<unknown>;
  patch(place: Place, route: `/${string}`, body: unknown): Promise<unknown>;
  isRefused(channel: Snowflake): boolean;
  /** How many were sent so far. */
  sent(): number;
};

/** Discord does not let the bot do this in this channel. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused';
}

/** Sees to it that a request stays in its guild, and changes no message but the bot's own. */
export type Gate = {
  demandChannel(place: Place): Promise<void>;
  demand(place: Place & { message: Snowflake }): Promise<void>;
};

const partOfRequests = 0.6;
/** So many of a route's own limit are left to others; nobody else reads lists of reactions. */
const leftOf = (route: string): number => (route.includes('/reactions/') ? 0 : 1);

export function openRequestQueue(client: Client, gate: Gate, stopping: AbortSignal): RequestQueue {
  const perSecond = client.rest.options.globalRequestsPerSecond * partOfRequests;
  const refusals = openForbiddenChannels(client);
  /** Routes in a channel, by when they may be asked again. */
  const restsUntilMs = new Map<string, number>();
  let nextMs = 0;
  let sent = 0;

  async function turn(key: string): Promise<void> {
    for (;;) {
      const nowMs = performance.now();
      const resting = (restsUntilMs.get(key) ?? 0) - nowMs;
      if (resting <= 0) break;
      await pause(resting, undefined, { signal: stopping });
    }
    restsUntilMs.delete(key);
    const startMs = Math.max(performance.now(), nextMs);
    nextMs = startMs + 1000 / perSecond;
    const waitMs = startMs - performance.now();
    if (waitMs > 0) await pause(waitMs, undefined, { signal: stopping });
    stopping.throwIfAborted();
  }

  async function pass(guild: Snowflake, method: RequestMethod, route: string): Promise<void> {
    const [, channel, message] = /^\/channels\/(\d+)(?:\/messages\/(\d+))?/.exec(route) ?? [];
    if (channel === undefined) return;
    if (message === undefined || method === RequestMethod.Get) {
      await gate.demandChannel({ guild, channel });
    } else await gate.demand({ guild, channel, message });
  }

  async function request(
    { guild, channel }: Place,
    call: {
      method: RequestMethod;
      fullRoute: `/${string}`;
      query?: URLSearchParams;
      body?: unknown;
    },
  ): Promise<unknown> {
    if (refusals.has(channel)) throw new ChannelRefused('Discord refused this channel before.');
    const key = `${call.method} ${patternOf(call.fullRoute)}`;
    await turn(key);
    sent += 1;
    // One of its own, since discord.js never takes its listener off the signal that it is given.
    const ending = new AbortController();
    const end = (): void => ending.abort();
    stopping.addEventListener('abort', end);
    try {
      await pass(guild, call.method, call.fullRoute);
      const response = await client.rest.queueRequest({ ...call, signal: ending.signal });
      const remaining = Number(response.headers.get('x-ratelimit-remaining') ?? Infinity);
      const resetMs = Number(response.headers.get('x-ratelimit-reset-after') ?? 0) * 1000;
      if (remaining <= leftOf(call.fullRoute))
        restsUntilMs.set(key, performance.now() + resetMs + 50);
      return await response.json();
    } catch (error) {
      if (!(error instanceof DiscordAPIError) || error.status !== 403) throw error;
      // This says nothing of the channel.
      if (isApiError(error, 'CannotEditMessageAuthoredByAnotherUser')) throw error;
      refusals.add(channel, guild);
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
    isRefused: (channel) => refusals.has(channel),
    sent: () => sent,
  };
}

/** The route's own limit counts by channel, whatever the message and the emoji. */
function patternOf(route: string): string {
  return route.replace(/(\/messages\/)\d+/, '$1:id').replace(/(\/reactions\/).*/, '$1:emoji');
}
