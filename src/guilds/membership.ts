import { Routes } from 'discord.js';
import type { App } from '../app.ts';
import { DAY_MS } from '../clock.ts';
import { isApiError } from '../discord/api-errors.ts';
import {
  cancelLeaving,
  forgetGuild,
  noteGuilds,
  noteLeaving,
  readGuilds,
  readLeft,
} from '../records/guilds.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

type MembershipParts = Pick<App, 'client' | 'store' | 'clock' | 'log'>;

/** A guild's data is deleted this long after it removed the bot. */
const GRACE_MS = 30 * DAY_MS;

/**
 * A new session of a shard. Its first step is before the session's guilds arrive: discord.js keeps guilds
 * that are gone.
 */
export async function beginSession(
  app: MembershipParts,
  { guilds, shard, shards }: { guilds: readonly Snowflake[]; shard: number; shards: number },
): Promise<void> {
  const isOurs = (guild: Snowflake) => shardOf(guild, shards) === shard;
  const present = new Set(guilds);
  const { cache } = app.client.guilds;
  for (const guild of cache.keys()) if (isOurs(guild) && !present.has(guild)) cache.delete(guild);
  await compare(app, guilds, isOurs);
}

/** The first session began before its events were listened to. */
export async function compareCached(app: MembershipParts): Promise<void> {
  const { guilds, options, ws } = app.client;
  const ours = new Set(ws.shards.keys());
  const isOurs = (guild: Snowflake) => ours.has(shardOf(guild, options.shardCount ?? 1));
  await compare(app, [...guilds.cache.keys()], isOurs);
}

function shardOf(guild: Snowflake, shards: number): number {
  return Number((BigInt(guild) >> 22n) % BigInt(shards));
}

/** Finds guilds of our shards that removed the bot. Discord's list includes guilds in an outage. */
async function compare(
  app: MembershipParts,
  guilds: readonly Snowflake[],
  isOurs: (guild: Snowflake) => boolean,
): Promise<void> {
  const present = new Set(guilds);
  for (const guild of await readGuilds(app.store)) {
    // A cached guild has added the bot again in the meantime.
    if (present.has(guild) || !isOurs(guild) || app.client.guilds.cache.has(guild)) continue;
    await leave(app, guild);
  }
  await noteGuilds(app.store, guilds);
}

export async function leave(
  { store, clock, log }: MembershipParts,
  guild: Snowflake,
): Promise<void> {
  await noteLeaving(store, guild, clock.now());
  log.info({ guild }, 'A guild has removed the bot. Its data is kept for 30 days.');
}

export async function noteMembership(
  { store, log }: MembershipParts,
  guild: Snowflake,
): Promise<void> {
  await noteGuilds(store, [guild]);
  if (await cancelLeaving(store, guild)) {
    log.info({ guild }, 'A guild has the bot again, and its data is not deleted.');
  }
}

/** Deletes the data of guilds that removed the bot long ago. */
export async function forgetLeft(app: MembershipParts): Promise<void> {
  const { client, store, clock, log } = app;
  for (const guild of await readLeft(store, clock.now() - GRACE_MS)) {
    if (client.guilds.cache.has(guild) || (await isMember(app, guild))) {
      await cancelLeaving(store, guild);
      continue;
    }
    await forgetGuild(store, guild);
    log.info({ guild }, 'The data of a guild that removed the bot is deleted.');
  }
}

/** Asks Discord itself before data is deleted. */
async function isMember({ client }: MembershipParts, guild: Snowflake): Promise<boolean> {
  try {
    await client.rest.get(Routes.guild(guild));
    return true;
  } catch (error) {
    if (isApiError(error, 'UnknownGuild', 'MissingAccess')) return false;
    throw error;
  }
}
