import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type APIChannel, type APIMessage, type Client, RequestMethod, Routes } from 'discord.js';
import PQueue from 'p-queue';
import { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import { fault, type Log } from '../../runtime/log.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';
import type { Store } from '../../redis/store.ts';
import { isApiError, NotDiscord } from '../api-errors.ts';
import { limits } from '../limits.ts';
import { noteTwoFactor } from '../access/permissions.ts';
import { onPacket } from '../gateway/packets.ts';
import { remember } from '../remember.ts';
import {
  ChannelRefused,
  MessageRefused,
  type Purpose,
  scopeOfRefusal,
  openRefusals,
  type Target,
} from './refusals.ts';

export interface RequestsNeeds {
  /** The connection to Discord; its REST client sends the requests. */
  client: Client;
  /** The bot's own user: only its messages are changed. */
  self: Snowflake;
  /** Where refusals are remembered. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** Aborted when the bot is stopping: requests that wait for their turn end then. */
  stopping: AbortSignal;
}

/**
 * Requests that can wait. They throw `ChannelRefused`, and send nothing, where Discord refused before, for
 * a channel of another guild, and to change a message that is not the bot's own.
 */
export interface Requests {
  /** Makes a request of the caller's own at once. */
  ask<T>(target: Target, purpose: Purpose, request: () => Promise<T>): Promise<T>;
  /** Reads. Like the next three, it waits for its turn: requests that a member waits for go first. */
  get(target: Target, route: `/${string}`, query?: Query): Promise<unknown>;
  /** Sends a message or a reaction. */
  post(target: Target, route: `/${string}`, body: unknown): Promise<unknown>;
  /** Edits what the bot made. */
  patch(target: Target, route: `/${string}`, body: unknown): Promise<unknown>;
  /** Deletes what the bot made. */
  delete(target: Target, route: `/${string}`): Promise<unknown>;
  /** Throws `ChannelRefused` if the request may not be made now. Without purpose, only counts matter. */
  requireAllowed(target: Target, purpose?: Purpose): Promise<void>;
  /** Throws `NotOurs` unless the channel is in the guild, and the message, if any, is the bot's own. */
  requireOwn(target: Target): Promise<void>;
  /** Whether a message from Discord's API is the bot's own. Remembers the answer. */
  see(message: { id: Snowflake; author: { id: Snowflake } }): boolean;
  /** Whether an unknown channel proves nothing: Discord knows none in an outage of its guild, and before the gateway says so. */
  isOfOutage(target: Target, error: unknown): Promise<boolean>;
  /** Resolves when the next request of a digest may be sent. */
  digestTurn(): Promise<void>;
}

/** Under a minute, so that each minute's try is made. */
const TWO_FACTOR_REST_MS = 30_000;

export function openRequests(needs: RequestsNeeds): Requests {
  const { client, self, store, clock, log, stopping } = needs;
  const { requireAllowed, keepRefusal } = openRefusals(client, store, clock, log);
  const { requireOwn, see } = openOwnMessages(client, self);
  const turn = openPace(client);

  /** Makes a request if it may be made now, and remembers a refusal. */
  async function ifAllowed<T>(
    target: Target,
    purpose: Purpose,
    request: () => Promise<T>,
  ): Promise<T> {
    await requireAllowed(target, purpose);
    try {
      const answer = await request();
      if (purpose === 'manage') noteTwoFactor(client.guilds.cache.get(target.guild), false);
      return answer;
    } catch (error) {
      // A proxy's page, or an answer that was cut.
      if (error instanceof SyntaxError) throw new NotDiscord('The answer is no JSON.');
      // It can be switched on at any time, and no event says so: it is tried again each minute.
      const isTwoFactor = isApiError(error, 'TwoFactorAuthenticationIsRequired');
      if (isTwoFactor) noteTwoFactor(client.guilds.cache.get(target.guild), true);
      const scope = scopeOfRefusal(error, target);
      if (scope === null) throw error;
      log.info({ ...fault(error), ...target, purpose }, `Discord refuses this ${scope}.`);
      await keepRefusal(target, purpose, scope, isTwoFactor ? TWO_FACTOR_REST_MS : undefined);
      if (scope === 'message') throw new MessageRefused('Discord refuses this message.');
      throw new ChannelRefused('Discord refuses this channel.');
    }
  }

  function ask<T>(target: Target, purpose: Purpose, request: () => Promise<T>): Promise<T> {
    return ifAllowed(target, purpose, async () => {
      await requireOwn(target);
      return request();
    });
  }

  /** Keeps the pace, so that it leaves room for requests that a member waits for. */
  function askSlowly(
    target: Target,
    method: RequestMethod.Get | RequestMethod.Post | RequestMethod.Patch | RequestMethod.Delete,
    fullRoute: `/${string}`,
    more: { query?: URLSearchParams; body?: unknown } = {},
  ): Promise<unknown> {
    const [, channel, message] = /^\/channels\/(\d+)(?:\/messages\/(\d+))?/.exec(fullRoute) ?? [];
    const changed = method === RequestMethod.Get ? undefined : message;
    return ifAllowed(message === undefined ? target : { ...target, message }, method, async () => {
      // The turn comes first, since the check can ask Discord, too.
      await turn('background', stopping);
      if (channel !== undefined)
        await requireOwn({ guild: target.guild, channel, message: changed });
      // A separate signal per request, because discord.js never removes its listener from the signal.
      const ending = new AbortController();
      const end = (): void => ending.abort();
      stopping.addEventListener('abort', end);
      return client.rest
        .request({ method, fullRoute, ...more, signal: ending.signal })
        .finally(() => stopping.removeEventListener('abort', end));
    });
  }

  const get: Requests['get'] = (target, route, query) =>
    askSlowly(target, RequestMethod.Get, route, { query: queryOf(query) });

  return {
    ask,
    requireAllowed,
    requireOwn,
    see,
    isOfOutage: (target, error) => isOfOutage(client, target, error, get),
    digestTurn: () => turn('digest'),
    get,
    post: (target: Target, route: `/${string}`, body: unknown) =>
      askSlowly(target, RequestMethod.Post, route, { body }),
    patch: (target: Target, route: `/${string}`, body: unknown) =>
      askSlowly(target, RequestMethod.Patch, route, { body }),
    delete: (target: Target, route: `/${string}`) => askSlowly(target, RequestMethod.Delete, route),
  };
}

/** The gateway shows no archived thread. In an outage Discord does not know what the gateway shows either. */
async function isOfOutage(
  client: Client,
  { guild: id, channel }: Target,
  error: unknown,
  get: Requests['get'],
): Promise<boolean> {
  const guild = client.guilds.cache.get(id);
  if (guild === undefined || !isApiError(error, 'UnknownChannel')) return false;
  if (!guild.available || guild.channels.cache.has(channel)) return true;
  const shown = guild.channels.cache.find((one) => !one.isThread() && one.viewable);
  if (shown === undefined) return false;
  return get({ guild: id, channel: shown.id }, Routes.channel(shown.id)).then(
    () => false,
    () => true,
  );
}

/** A list is sent as its parts. */
export type Query = Record<string, string | readonly string[]>;

function queryOf(query: Query = {}): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      [value].flat().map((part): [string, string] => [name, part]),
    ),
  );
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

const zMessage = z.object({ id: zSnowflake, author: z.object({ id: zSnowflake }) });

/** The channel is in another guild, or the message is somebody else's. */
export class NotOurs extends ChannelRefused {}

/** Channels never change their guild and messages never change their author, so answers stay valid. */
const REMEMBERED = 10_000;

/**
 * The check before the bot changes a message. Ids in Redis may come from a restored file, so this asks
 * Discord instead of trusting them. Discord's errors are thrown as they are, such as for a deleted or
 * hidden channel or message.
 */
function openOwnMessages(client: Client, self: Snowflake) {
  const guilds = new Map<Snowflake, Snowflake | null>();
  const isOwn = new Map<Snowflake, boolean>();

  /** Whether a message from Discord's API is the bot's own. Remembers the answer. */
  function see({ id, author }: z.infer<typeof zMessage>): boolean {
    const own = author.id === self;
    remember(isOwn, id, own, REMEMBERED);
    return own;
  }

  onPacket(client, 'MESSAGE_CREATE', zMessage, (message) => {
    if (message.author.id === self) see(message);
  });

  async function guildOf(channel: Snowflake): Promise<Snowflake | null> {
    const cached = client.channels.cache.get(channel);
    if (cached) return 'guildId' in cached ? cached.guildId : null;
    const known = guilds.get(channel);
    if (known !== undefined) return known;
    const found = (await client.rest.get(Routes.channel(channel))) as APIChannel;
    const guild = ('guild_id' in found ? found.guild_id : null) ?? null;
    remember(guilds, channel, guild, REMEMBERED);
    return guild;
  }

  /** Throws `NotOurs` unless the channel is in the guild, and the message, if any, is the bot's own. */
  async function requireOwn({ guild, channel, message: id }: Target): Promise<void> {
    if ((await guildOf(channel)) !== guild) throw new NotOurs('The channel is in another guild.');
    if (id === undefined) return;
    const read = async () =>
      (await client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
    if (!(isOwn.get(id) ?? see(await read())))
      throw new NotOurs('Somebody else wrote the message.');
  }

  return { requireOwn, see };
}
