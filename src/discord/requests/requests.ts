import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, RequestMethod } from 'discord.js';
import PQueue from 'p-queue';
import type { Clock } from '../../clock.ts';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Store } from '../../redis/store.ts';
import { isApiError } from '../api-errors.ts';
import { limits } from '../limits.ts';
import { openOwnMessages } from './own-messages.ts';
import { ChannelRefused, type Errand, isForbidden, openRefusals, type Place } from './refusals.ts';

type Parts = {
  client: Client;
  self: Snowflake;
  store: Store;
  clock: Clock;
  log: Log;
  stopping: AbortSignal;
};

/**
 * Requests that can wait. They throw `ChannelRefused`, and send nothing, where Discord refused before, for
 * a channel of another guild, and to change a message that is not the bot's own.
 */
export type Requests = ReturnType<typeof openRequests>;

export function openRequests({ client, self, store, clock, log, stopping }: Parts) {
  const { demandAllowed, keepRefusal } = openRefusals(client, store, clock, log);
  const { demandOwn, see } = openOwnMessages(client, self);
  const turn = openPace(client);

  /** Makes a request if it may be made now, and remembers a refusal. */
  async function ask<T>(
    place: Place,
    errand: Errand,
    request: () => Promise<T>,
    about: Place | null = place,
  ): Promise<T> {
    await demandAllowed(place, errand);
    try {
      if (about) await demandOwn(about);
      return await request();
    } catch (error) {
      const isWrongType = isApiError(error, 'CannotExecuteActionOnThisChannelType');
      if (!isWrongType && !isForbidden(error)) throw error;
      log.info({ ...fault(error), ...place, errand }, 'Discord refuses this channel.');
      await keepRefusal(place, errand);
      throw new ChannelRefused('Discord refuses this channel.');
    }
  }

  /** Keeps the pace, so that it leaves room for requests that a member waits for. */
  async function askSlowly(
    place: Place,
    method: RequestMethod.Get | RequestMethod.Patch | RequestMethod.Delete,
    fullRoute: `/${string}`,
    more: { query?: URLSearchParams; body?: unknown } = {},
  ): Promise<unknown> {
    const [, channel, message] = /^\/channels\/(\d+)(?:\/messages\/(\d+))?/.exec(fullRoute) ?? [];
    const changed = method === RequestMethod.Get ? undefined : message;
    const about = channel === undefined ? null : { guild: place.guild, channel, message: changed };
    const send = async (): Promise<unknown> => {
      await turn('background', stopping);
      // A separate signal per request, because discord.js never removes its listener from the signal.
      const ending = new AbortController();
      const end = (): void => ending.abort();
      stopping.addEventListener('abort', end);
      return client.rest
        .request({ method, fullRoute, ...more, signal: ending.signal })
        .finally(() => stopping.removeEventListener('abort', end));
    };
    return ask(place, method, send, about);
  }

  return {
    ask,
    demandAllowed,
    demandOwn,
    see,
    /** Resolves when the next request of a digest may be sent. */
    digestTurn: () => turn('digest'),
    get: (place: Place, route: `/${string}`, query?: Record<string, string>) =>
      askSlowly(place, RequestMethod.Get, route, { query: new URLSearchParams(query) }),
    patch: (place: Place, route: `/${string}`, body: unknown) =>
      askSlowly(place, RequestMethod.Patch, route, { body }),
    delete: (place: Place, route: `/${string}`) => askSlowly(place, RequestMethod.Delete, route),
  };
}

/** 44 of Discord's 50 requests a second. The other 6 are for members. */
const PART_OF_REQUESTS = 0.88;
/** After a blocked event loop, at most the turns of this time are given at once, to stay below the limit. */
const LATE_MS = 50;

/**
 * Spaces all requests that can wait evenly, so that they never reach Discord's limit of requests a
 * second. Digests go before other work, which has no due time. Members' requests use the rest of the limit.
 */
export function openPace(client: Client) {
  const gapMs = 1000 / (client.rest.options.globalRequestsPerSecond * PART_OF_REQUESTS);
  const queue = new PQueue({ concurrency: 1 });
  let nextMs = 0;

  async function wait(): Promise<void> {
    // Node warns of a negative time.
    await pause(Math.max(0, nextMs - performance.now()));
    nextMs = Math.max(nextMs, performance.now() - LATE_MS) + gapMs;
  }

  return (kind: 'digest' | 'background', signal?: AbortSignal): Promise<void> =>
    queue.add(wait, { priority: kind === 'digest' ? 1 : 0, ...(signal ? { signal } : {}) });
}

/**
 * Discord answers a second send with the same nonce with the first message, for some minutes.
 * The same from every process.
 */
export function nonceOf(guild: Snowflake, ...parts: (string | number)[]): string {
  return createHash('sha256')
    .update([guild, ...parts].join('\n'))
    .digest('base64url')
    .slice(0, limits.nonceLength);
}
