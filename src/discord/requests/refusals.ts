import { type Client, DiscordAPIError, Events, type Guild, HTTPError } from 'discord.js';
import { type Clock, HOUR_MS } from '../../runtime/clock.ts';
import { fault, type Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import {
  forgetRefusals,
  LONGEST_REFUSED_MS,
  readRefusal,
  writeRefusal,
} from './refused-channels.ts';
import type { Store } from '../../redis/store.ts';
import { isApiError, NotDiscord } from '../api-errors.ts';
import { permissionsIn as heldIn, suspensionOf } from '../access/permissions.ts';
import { remember } from '../remember.ts';

/** A channel or thread, and a message in it if the request changes one. */
export type Target = { guild: Snowflake; channel: Snowflake; message?: Snowflake | undefined };
export type Purpose = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'react' | 'manage';

/** Discord does not let the bot do this in this channel, or the guild has caused too many refusals. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused';
}

/** Discord does not let the bot do this to this one message. It says nothing about the others. */
export class MessageRefused extends ChannelRefused {}

const SHORTEST_MS = 60_000;
/** A message that refused is asked again by the hourly recount. */
const MESSAGE_REST_MS = HOUR_MS;
const MESSAGES_AT_MOST = 10_000;

/**
 * Discord bans an IP address after 10 000 answers of 401, 403 or 429 in 10 minutes. This counts them
 * over the process, by guild. Requests that can wait stop for a guild long before, and at half of that
 * for all guilds that had such an answer. A channel whose access or permissions are missing gets no such
 * request for a minute, after each further 403 for four times as long, up to a day, or until the bot's permissions change or
 * the guild invites it again, also after a restart. A new session of a running process ends it, too.
 */
export function openRefusals(client: Client, store: Store, clock: Clock, log: Log) {
  const isStopped = countRefusedAnswers(client, log);
  /** Until when a message is not asked, by purpose. */
  const messagesUntilMs = new Map<string, number>();
  // Permissions may have changed unseen before a guild came back.
  const forget = ({ id }: Guild): void => void forgetRefusals(store, id).catch(() => {});
  client.on(Events.GuildCreate, forget);
  client.on(Events.GuildAvailable, (guild) => client.isReady() && forget(guild));

  function permissionsIn({ guild, channel }: Target): string {
    const known = client.guilds.cache.get(guild);
    const me = known?.members.me;
    const where = known?.channels.cache.get(channel);
    const permissions = me && ((where && heldIn(where, me)) ?? me.permissions);
    const suspension = known ? suspensionOf(known) : null;
    return `${permissions?.bitfield ?? '-'}${suspension?.reason === 'timeout' ? ' timed out' : ''}`;
  }

  /** Throws `ChannelRefused` if the request may not be made now. Without purpose, only counts matter. */
  async function requireAllowed(target: Target, purpose?: Purpose): Promise<void> {
    if (isStopped(target)) {
      throw new ChannelRefused('Discord refuses too much: what can wait has stopped.');
    }
    if (purpose === undefined) return;
    if (clock.now() < (messagesUntilMs.get(`${purpose} ${target.message}`) ?? 0)) {
      throw new MessageRefused('Discord refused this message before.');
    }
    // While Redis is away, Discord is asked.
    const what = `${purpose} ${target.channel}`;
    const found = await readRefusal(store, target.guild, what).catch(() => null);
    if (found && clock.now() < found.untilMs && found.permissions === permissionsIn(target)) {
      throw new ChannelRefused('Discord refused this channel before.');
    }
  }

  /** Call it when Discord refused. `channel`: it would refuse each message there. `fixedMs`: the rest,
   * if it shall not grow. */
  async function keepRefusal(
    target: Target,
    purpose: Purpose,
    scope: 'channel' | 'message',
    fixedMs?: number,
  ): Promise<void> {
    const { guild, channel, message } = target;
    if (scope === 'message') {
      const untilMs = clock.now() + MESSAGE_REST_MS;
      return remember(messagesUntilMs, `${purpose} ${message}`, untilMs, MESSAGES_AT_MOST);
    }
    const what = `${purpose} ${channel}`;
    const now = clock.now();
    const permissions = permissionsIn(target);
    try {
      const before = await readRefusal(store, guild, what);
      // A channel that was fine for a minute after its rest begins anew.
      const isAgain = before?.permissions === permissions && now < before.untilMs + SHORTEST_MS;
      // Another request was under way at the first refusal.
      if (isAgain && now < before.untilMs) return;
      const growing = isAgain ? Math.min(before.forMs * 4, LONGEST_REFUSED_MS) : SHORTEST_MS;
      const forMs = fixedMs ?? growing;
      await writeRefusal(store, guild, what, { permissions, forMs, untilMs: now + forMs });
    } catch (error) {
      log.info({ ...fault(error), ...target }, 'A refusal could not be stored.');
    }
  }

  return { requireAllowed, keepRefusal };
}

/**
 * What a refusal is about; null for an error that is none, and for a harmful link, which the
 * caller can leave out. Missing access and permissions are the channel's. Anything else is the message's,
 * if the request names one: 20 kinds of reactions (30010), a poster who has blocked the bot (90001).
 */
export function scopeOfRefusal(error: unknown, { message }: Target): 'channel' | 'message' | null {
  if (!(error instanceof DiscordAPIError) || isHarmfulLink(error)) return null;
  // Seen as 400 and as 403. The caller can open the thread, and so can anybody.
  if (isApiError(error, 'InvalidActionOnArchivedThread')) return null;
  if (ofChannel(error)) return 'channel';
  if (ofMessage(error)) return message === undefined ? null : 'message';
  if (error.status !== 403) return null;
  return message === undefined ? 'channel' : 'message';
}

function ofChannel(error: unknown): boolean {
  return isApiError(
    error,
    'MissingAccess',
    'MissingPermissions',
    'TwoFactorAuthenticationIsRequired',
    'CannotExecuteActionOnThisChannelType',
  );
}

function ofMessage(error: unknown): boolean {
  return isApiError(error, 'MaximumNumberOfReactionsReached', 'ReactionWasBlocked');
}

/**
 * Whether the request for one message failed in a way that says nothing about the others there: a refusal
 * of this message, an answer of 404 without Discord's code, one of another form, or a fault of Discord's server.
 */
export function isOfOneMessage(error: unknown): boolean {
  if (error instanceof ChannelRefused) return error instanceof MessageRefused;
  if (error instanceof NotDiscord) return true;
  const isAnswer = error instanceof DiscordAPIError || error instanceof HTTPError;
  return isAnswer && error.status !== 401 && !isApiError(error, 'UnknownChannel');
}

/**
 * Whether the request for one channel failed in a way that says nothing about other channels: a refusal, or
 * an answer that is no success or has another form. A 401 is our own fault.
 */
export function isOfOneChannel(error: unknown): boolean {
  if (error instanceof ChannelRefused || error instanceof NotDiscord) return true;
  const isAnswer = error instanceof DiscordAPIError || error instanceof HTTPError;
  return isAnswer && error.status !== 401;
}

/**
 * Whether Discord refuses a message for its links, so that it may take it without them: it knows one as harmful
 * (240000), or finds an address malformed (50035). A server's AutoMod lets every message of a bot pass.
 */
export function areLinksRefused(error: unknown): error is DiscordAPIError {
  return isHarmfulLink(error) || isApiError(error, 'InvalidFormBodyOrContentType');
}

function isHarmfulLink(error: unknown): boolean {
  return isApiError(error, 'MessageBlockedByHarmfulLinksFilter');
}

/** After this many refused answers in `WINDOW_MS`, requests that can wait stop. */
export const REFUSED_IN_GUILD = 100;
const REFUSED_IN_ALL = 5000;
const WINDOW_MS = 600_000;
/** The number of channels whose guild is remembered while their requests are under way. */
const PLACES_AT_MOST = 10_000;

/** Counts the answers that Discord counts. The result says whether what can wait must stop in a guild. */
function countRefusedAnswers(client: Client, log: Log): (target: Target) => boolean {
  const guildOf = new Map<Snowflake, Snowflake>();
  const counts = new Map<Snowflake, number>();
  let all = 0;
  const startWindow = (): void => {
    all = 0;
    counts.clear();
  };
  setInterval(startWindow, WINDOW_MS).unref();

  client.rest.on('response', ({ path }, { status, headers }) => {
    // Without a time, such as from Cloudflare, discord.js would ask again at once, and again.
    if (status === 429 && !headers.has('retry-after')) headers.set('retry-after', '60');
    // Discord does not count a 429 of a limit that bots share.
    const isShared = headers.get('x-ratelimit-scope') === 'shared';
    if (status === 401 || status === 403 || (status === 429 && !isShared)) count(path);
  });

  function count(path: string): void {
    all += 1;
    const guild = guildOfPath(path);
    if (guild === undefined) return;
    const refused = (counts.get(guild) ?? 0) + 1;
    counts.set(guild, refused);
    if (refused === REFUSED_IN_GUILD) {
      log.warn({ guild }, 'Discord refuses too much in a guild: what can wait stops there.');
    }
  }

  function guildOfPath(path: string): Snowflake | undefined {
    const [, kind, id = ''] = /^\/(channels|guilds)\/(\d+)/.exec(path) ?? [];
    if (kind !== 'channels') return kind && id;
    const channel = client.channels.cache.get(id);
    return channel && 'guildId' in channel ? (channel.guildId ?? undefined) : guildOf.get(id);
  }

  return ({ guild, channel }) => {
    remember(guildOf, channel, guild, PLACES_AT_MOST);
    const refused = counts.get(guild) ?? 0;
    return refused >= REFUSED_IN_GUILD || (refused > 0 && all >= REFUSED_IN_ALL);
  };
}
