import { type Client, DiscordAPIError, Events, type Guild } from 'discord.js';
import type { Clock } from '../../clock.ts';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import {
  forgetRefusals,
  LONGEST_REFUSED_MS,
  readRefusal,
  writeRefusal,
} from '../../records/refused-places.ts';
import type { Store } from '../../redis/store.ts';
import { countRefusedAnswers } from './invalid-requests.ts';

export type Place = { guild: Snowflake; channel: Snowflake };
export type Errand = 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'react' | 'manage';

/** Discord does not let the bot do this in this channel, or the guild has caused too many refusals. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused';
}

const SHORTEST_MS = 60_000;

/**
 * Discord bans an IP address after 10 000 answers of 401, 403 or 429 in 10 minutes. This counts them
 * over the process, by guild. Requests that can wait stop for a guild long before, and at half of that
 * for all guilds that had such an answer. A place that answered 403 gets no such request for a minute,
 * after each further 403 for four times as long, up to a day, or until the bot's permissions change or
 * the guild invites it again, also after a restart. A new session of a running process ends it, too.
 */
export type Refusals = ReturnType<typeof openRefusals>;

export function openRefusals(client: Client, store: Store, clock: Clock, log: Log) {
  const isStopped = countRefusedAnswers(client, log);
  // Permissions may have changed unseen before a guild came back.
  const forget = ({ id }: Guild): void => void forgetRefusals(store, id).catch(() => {});
  client.on(Events.GuildCreate, forget);
  client.on(Events.GuildAvailable, (guild) => client.isReady() && forget(guild));

  function permissionsIn({ guild, channel }: Place): string {
    const known = client.guilds.cache.get(guild);
    const me = known?.members.me;
    const permissions =
      me && (known.channels.cache.get(channel)?.permissionsFor(me) ?? me.permissions);
    return String(permissions?.bitfield ?? '-');
  }

  /** Throws `ChannelRefused` if the request may not be made now. Without errand, only counts matter. */
  async function demand(place: Place, errand?: Errand): Promise<void> {
    if (isStopped(place)) {
      throw new ChannelRefused('Discord refuses too much: what can wait has stopped.');
    }
    if (errand === undefined) return;
    // While Redis is away, Discord is asked.
    const what = `${errand} ${place.channel}`;
    const found = await readRefusal(store, place.guild, what).catch(() => null);
    if (found && clock.now() < found.untilMs && found.permissions === permissionsIn(place)) {
      throw new ChannelRefused('Discord refused this channel before.');
    }
  }

  /** Call it when Discord answered 403. */
  async function keep(place: Place, errand: Errand): Promise<void> {
    const { guild, channel } = place;
    const what = `${errand} ${channel}`;
    const now = clock.now();
    const permissions = permissionsIn(place);
    try {
      const before = await readRefusal(store, guild, what);
      // A place that was fine for a minute after its rest begins anew.
      const isAgain = before?.permissions === permissions && now < before.untilMs + SHORTEST_MS;
      // Another request was under way at the first refusal.
      if (isAgain && now < before.untilMs) return;
      const forMs = isAgain ? Math.min(before.forMs * 4, LONGEST_REFUSED_MS) : SHORTEST_MS;
      await writeRefusal(store, guild, what, { permissions, forMs, untilMs: now + forMs });
    } catch (error) {
      log.info({ ...fault(error), ...place }, 'A refusal could not be kept.');
    }
  }

  return {
    demand,
    /** Makes a request that can wait, if it may be made now, and remembers a 403. */
    async ask<T>(place: Place, errand: Errand, request: () => Promise<T>): Promise<T> {
      await demand(place, errand);
      try {
        return await request();
      } catch (error) {
        if (isForbidden(error)) await keep(place, errand);
        throw error;
      }
    },
    keep,
  };
}

export function isForbidden(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status === 403;
}
