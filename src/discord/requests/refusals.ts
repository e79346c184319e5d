import { type Client, DiscordAPIError, Events } from 'discord.js';
import type { Clock } from '../../clock.ts';
import { fault, type Log } from '../../log.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import {
  type Errand,
  forgetRefusedPlaces,
  LONGEST_REFUSED_MS,
  noteRefusedPlace,
  readRefusedPlaces,
  REFUSED_AT_MOST,
  type RefusedPlace,
} from '../../records/refused-places.ts';
import type { Store } from '../../redis/store.ts';
import { remember } from '../remember.ts';
import { countRefusedAnswers } from './invalid-requests.ts';

export type Place = { guild: Snowflake; channel: Snowflake };

/** Discord does not let the bot do this in this channel, or the guild has caused too many refusals. */
export class ChannelRefused extends Error {
  override readonly name = 'ChannelRefused';
}

/**
 * Discord bans an IP address after 10 000 answers of 401, 403 or 429 in 10 minutes. This counts them
 * over the process, by guild. Requests that can wait stop for a guild long before, and at half of that
 * for all guilds that had such an answer. A place that answered 403 gets no such request for a minute,
 * after each further 403 for four times as long, up to a day, or until the bot's permissions change or
 * the guild invites it again, also after a restart. A new session of a running process ends it, too.
 */
export type Refusals = {
  /** Makes a request that can wait, between `demand` and, after a 403, `add`. */
  ask<T>(place: Place, errand: Errand, request: () => Promise<T>): Promise<T>;
  /** Throws `ChannelRefused` if the request may not be made now. Without errand, only counts matter. */
  demand(place: Place, errand?: Errand): Promise<void>;
  /** Call it when Discord answered 403. */
  add(place: Place, errand: Errand): Promise<void>;
};

const SHORTEST_MS = 60_000;

export function openRefusals(client: Client, store: Store, clock: Clock, log: Log): Refusals {
  const isStopped = countRefusedAnswers(client, log);
  const places = new Map<Snowflake, Promise<Map<string, RefusedPlace>>>();

  /** If Redis is away, only the refusals of this process are known. */
  function placesOf(guild: Snowflake): Promise<Map<string, RefusedPlace>> {
    let known = places.get(guild);
    if (!known) {
      known = readRefusedPlaces(store, guild).then(
        (stored) => new Map(stored.map((one) => [keyOf(one.channel, one.errand), one])),
        () => new Map<string, RefusedPlace>(),
      );
      places.set(guild, known);
    }
    return known;
  }

  function permissionsIn({ guild, channel }: Place): string {
    const known = client.guilds.cache.get(guild);
    const me = known?.members.me;
    const permissions =
      me && (known.channels.cache.get(channel)?.permissionsFor(me) ?? me.permissions);
    return String(permissions?.bitfield ?? '-');
  }

  followPermissions(client, (guild) => {
    const before = placesOf(guild);
    places.set(guild, Promise.resolve(new Map()));
    void before
      .then((known) => (known.size > 0 ? forgetRefusedPlaces(store, guild) : undefined))
      .catch(() => {}); // The permissions are compared, and a day ends it.
  });
  client.on(Events.GuildDelete, (guild) => void places.delete(guild.id));

  const refusals: Refusals = {
    async ask(place, errand, request) {
      await refusals.demand(place, errand);
      try {
        return await request();
      } catch (error) {
        if (isForbidden(error)) await refusals.add(place, errand);
        throw error;
      }
    },
    async demand(place, errand) {
      const { guild, channel } = place;
      if (isStopped(place)) {
        throw new ChannelRefused('Discord refuses too much: what can wait has stopped.');
      }
      if (errand === undefined) return;
      const found = (await placesOf(guild)).get(keyOf(channel, errand));
      if (found && clock.now() < found.untilMs && found.permissions === permissionsIn(place)) {
        throw new ChannelRefused('Discord refused this channel before.');
      }
    },
    async add(place, errand) {
      const { guild, channel } = place;
      const now = clock.now();
      const known = await placesOf(guild);
      const before = known.get(keyOf(channel, errand));
      const permissions = permissionsIn(place);
      // A place that was fine for a minute after its rest begins anew.
      const isAgain = before?.permissions === permissions && now < before.untilMs + SHORTEST_MS;
      // Another request was under way at the first refusal.
      if (isAgain && now < before.untilMs) return;
      const forMs = isAgain ? Math.min(before.forMs * 4, LONGEST_REFUSED_MS) : SHORTEST_MS;
      const refused = { channel, errand, permissions, forMs, untilMs: now + forMs };
      remember(known, keyOf(channel, errand), refused, REFUSED_AT_MOST);
      await noteRefusedPlace(store, guild, refused).catch((error: unknown) => {
        log.info({ ...fault(error), guild, channel }, 'A refusal is not kept over a restart.');
      });
    },
  };
  return refusals;
}

export function isForbidden(error: unknown): boolean {
  return error instanceof DiscordAPIError && error.status === 403;
}

/** Calls back when the bot's permissions in a guild may have changed, seen or unseen. */
function followPermissions(client: Client, changed: (guild: Snowflake) => void): void {
  client.on(Events.ChannelUpdate, (_, channel) => {
    if (!channel.isDMBased()) changed(channel.guildId);
  });
  client.on(Events.GuildRoleUpdate, (_, role) => changed(role.guild.id));
  client.on(Events.GuildMemberUpdate, (_, member) => {
    if (member.id === client.user?.id) changed(member.guild.id);
  });
  client.on(Events.GuildCreate, (guild) => changed(guild.id));
  // A new session or the end of an outage: changes before it were not seen. A start is none.
  client.on(Events.GuildAvailable, (guild) => {
    if (client.isReady()) changed(guild.id);
  });
}

function keyOf(channel: Snowflake, errand: Errand): string {
  return `${errand} ${channel}`;
}
