import {
  findWrongTypes,
  guildTag,
  sharedKeys,
  storeKeys,
  storeKeyTypes,
} from '../redis/store-keys.ts';
import { deleteKeys } from '../redis/scan.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

const INDEXES = { guilds: 'set', leaving: 'zset' };

/**
 * Deletes the indexes over all guilds that have a wrong type, so that they can be written again. Returns
 * whether there was one.
 */
export async function deleteWrongIndexes(store: Store): Promise<boolean> {
  const keys = sharedKeys(store);
  const wrong = await findWrongTypes(store.redis, keys, INDEXES);
  for (const name of wrong) await store.redis.unlink(keys[name]);
  if (wrong.length > 0)
    store.log.error({ wrong }, 'Stored indexes cannot be read, and are made again.');
  return wrong.length > 0;
}

/** Deletes the index of what is due in all guilds, which earlier versions kept. */
export async function deleteOldIndex(store: Store): Promise<void> {
  await store.redis.unlink(sharedKeys(store).due);
}

/**
 * Renames the keys of a guild that are of a wrong type, so that their readers find nothing instead of
 * failing. Returns their old names and new keys.
 */
export async function setAsideWrongTypes(
  store: Store,
  guild: Snowflake,
): Promise<Record<string, string>> {
  const keys = storeKeys(store, guild);
  const moved: Record<string, string> = {};
  for (const name of await findWrongTypes(store.redis, keys, storeKeyTypes)) {
    moved[name] = `${keys[name]}:damaged`;
    await store.redis.rename(keys[name], moved[name]);
  }
  return moved;
}

/** Whether the index of the guilds is there, which can be made again. */
export async function areGuildsNoted(store: Store): Promise<boolean> {
  return (await store.redis.exists(sharedKeys(store).guilds)) === 1;
}

export async function noteGuilds(store: Store, guilds: readonly string[]): Promise<void> {
  if (guilds.length > 0) await store.redis.sadd(sharedKeys(store).guilds, ...guilds);
}

export async function readGuilds(store: Store): Promise<string[]> {
  return store.redis.smembers(sharedKeys(store).guilds);
}

/** Notes that a guild removed the bot, whose data stays for now. A repeated call changes nothing. */
export async function noteLeaving(store: Store, guild: Snowflake, now: number): Promise<void> {
  await store.redis.zadd(sharedKeys(store).leaving, 'NX', now, guild);
}

/** The bot is in the guild, so its data stays. Returns whether it had removed the bot. */
export async function cancelLeaving(store: Store, guild: Snowflake): Promise<boolean> {
  return (await store.redis.zrem(sharedKeys(store).leaving, guild)) === 1;
}

/** The guilds that removed the bot at this time or earlier. */
export async function readLeft(store: Store, untilMs: number): Promise<string[]> {
  return store.redis.zrangebyscore(sharedKeys(store).leaving, '-inf', untilMs);
}

/**
 * Deletes all data of a guild in bounded steps: its own keys, then its entries in the indexes. These are
 * deleted last, so that an interrupted deletion is repeated.
 */
export async function forgetGuild(store: Store, guild: Snowflake): Promise<void> {
  const { redis } = store;
  const { guilds, leaving } = sharedKeys(store);
  await deleteKeys(redis, guildTag(store.applicationId, guild));
  await redis.srem(guilds, guild);
  await redis.zrem(leaving, guild);
}

/** The date of the last night whose refresh is finished. */
export async function readRefreshed(store: Store, guild: Snowflake): Promise<string | null> {
  return store.redis.get(storeKeys(store, guild).refreshed);
}

export async function writeRefreshed(store: Store, guild: Snowflake, night: string): Promise<void> {
  await store.redis.set(storeKeys(store, guild).refreshed, night);
}
