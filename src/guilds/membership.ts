import { Routes, ShardClientUtil, type Client } from 'discord.js';
import { DAY_MS, type Clock } from '../runtime/clock.ts';
import { isApiError } from '../discord/api-errors.ts';
import { isOfOneChannel } from '../discord/requests/refusals.ts';
import {
  cancelLeaving,
  forgetGuild,
  noteGuilds,
  noteLeaving,
  readGuilds,
  readLeft,
} from '../community/known-guilds.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Log } from '../runtime/log.ts';
import type { Store } from '../redis/store.ts';

/** What following joins and departures needs. */
interface MembershipNeeds {
  /** The connection to Discord, which knows the guilds. */
  client: Client;
  /** Where the guilds are noted, and what is deleted of those that are gone. */
  store: Store;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
}

/** A guild's data is deleted this long after it removed the bot. */
const GRACE_MS = 30 * DAY_MS;

/** A new session of a shard, with its guilds. discord.js keeps guilds that are gone. */
export async function beginSession(
  needs: MembershipNeeds,
  shard: number,
  guilds: readonly Snowflake[],
): Promise<void> {
  const present = new Set(guilds);
  needs.client.guilds.cache.sweep(({ id, shardId }) => shardId === shard && !present.has(id));
  await noteLeft(needs);
}

/** Finds guilds of our shards that removed the bot. The cache includes guilds in an outage. */
export async function noteLeft(needs: MembershipNeeds): Promise<void> {
  const { guilds, options, ws } = needs.client;
  for (const guild of await readGuilds(needs.store)) {
    const shard = ShardClientUtil.shardIdForGuildId(guild, options.shardCount ?? 1);
    if (ws.shards.has(shard) && !guilds.cache.has(guild)) await leave(needs, guild);
  }
  await noteGuilds(needs.store, [...guilds.cache.keys()]);
}

export async function leave(needs: MembershipNeeds, guild: Snowflake): Promise<void> {
  await noteLeaving(needs.store, guild, needs.clock.now());
  needs.log.info({ guild }, 'A guild has removed the bot. Its data stays for 30 days.');
}

export async function noteMembership(needs: MembershipNeeds, guild: Snowflake): Promise<void> {
  await noteGuilds(needs.store, [guild]);
  if (await cancelLeaving(needs.store, guild)) {
    needs.log.info({ guild }, 'A guild has the bot again, and its data is not deleted.');
  }
}

/** Deletes the data of guilds that removed the bot long ago. */
export async function forgetLeft(needs: MembershipNeeds): Promise<void> {
  const { client, store, clock, log } = needs;
  for (const guild of await readLeft(store, clock.now() - GRACE_MS)) {
    const isHere = client.guilds.cache.has(guild) || (await hasBot(needs, guild));
    if (isHere === null) continue;
    if (isHere) {
      await cancelLeaving(store, guild);
      continue;
    }
    await forgetGuild(store, guild);
    log.info({ guild }, 'The data of a guild that removed the bot is deleted.');
  }
}

/** Asks Discord itself before data is deleted. Null: it gives no answer about this guild. */
async function hasBot({ client }: MembershipNeeds, guild: Snowflake): Promise<boolean | null> {
  try {
    await client.rest.get(Routes.guild(guild));
    return true;
  } catch (error) {
    if (isApiError(error, 'UnknownGuild', 'MissingAccess')) return false;
    if (isOfOneChannel(error)) return null;
    throw error;
  }
}
