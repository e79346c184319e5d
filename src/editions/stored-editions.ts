import { z } from 'zod';
import { parseStored } from '../redis/parse-stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { readFields } from '../redis/scan.ts';
import type { Store } from '../redis/store.ts';
import { zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';

/** An article as an edition showed it. Its title and link are read where they are now. */
const zShown = z.object({
  id: zSnowflake,
  /** Net votes then. */
  net: z.int(),
  /** Messages in its discussion then. */
  replies: z.int().min(0),
});

const ids = z.array(zSnowflake).max(25).default([]);

/** The articles of an edition, in the order in which it showed them. */
export const zEditionContent = z.object({
  articles: z.array(zShown).max(25),
  rising: ids,
  firstPosts: ids,
  discussed: ids,
});
export type EditionContent = z.infer<typeof zEditionContent>;

/** A posting of a digest. It holds no text of a member, so that what is erased is gone from it too. */
export const zEdition = z.object({
  ...zEditionContent.shape,
  /** When its window ended. */
  postedAtMs: zTimeMs,
  fromMs: zTimeMs,
  channel: zSnowflake,
  /** Its message; null where the bot could not see which one it is. */
  message: zSnowflake.nullable().default(null),
  /** Everyone could view its channel when it was posted. */
  isPublic: z.boolean(),
});
export type Edition = z.infer<typeof zEdition>;

/** The local date of a slot; of an edition outside the schedule also the time. */
export const zEditionDate = z.string().regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\dZ)?$/);

/** The newest are listed. All have their page. */
const LISTED_AT_MOST = 500;

/** Records an edition; again, changes nothing. */
export async function writeEdition(
  store: Store,
  guild: Snowflake,
  { name, date }: { name: string; date: string },
  edition: Edition,
): Promise<void> {
  const keys = storeKeys(store, guild);
  await store.redis.hsetnx(keys.editions(name), date, JSON.stringify(edition));
  await store.redis.sadd(keys.editionNames, name);
}

export async function readEdition(
  store: Store,
  guild: Snowflake,
  { name, date }: { name: string; date: string },
): Promise<Edition | null> {
  return parseStored(
    zEdition,
    await store.redis.hget(storeKeys(store, guild).editions(name), date),
  );
}

export type NamedEdition = { name: string; date: string; edition: Edition };

/** The newest editions of a guild, or of one digest, the newest first. */
export async function listEditions(
  store: Store,
  guild: Snowflake,
  { only, most = LISTED_AT_MOST }: { only?: string; most?: number } = {},
): Promise<NamedEdition[]> {
  const names = only === undefined ? await editionNames(store, guild) : [only];
  const found = await Promise.all(
    names.map(async (name) => {
      const key = storeKeys(store, guild).editions(name);
      const dates = (await store.redis.hkeys(key)).sort().toReversed().slice(0, most);
      const stored = await readFields(store.redis, key, dates);
      return dates.flatMap((date) => {
        const edition = parseStored(zEdition, stored.get(date) ?? null);
        return edition === null ? [] : [{ name, date, edition }];
      });
    }),
  );
  return found
    .flat()
    .sort((a, b) => b.edition.postedAtMs - a.edition.postedAtMs)
    .slice(0, most);
}

/** The names of the digests that have editions. A digest may be deleted by now. */
export async function editionNames(store: Store, guild: Snowflake): Promise<string[]> {
  return (await store.redis.smembers(storeKeys(store, guild).editionNames)).sort();
}

/** All editions of a digest, for an export. */
export async function allEditions(
  store: Store,
  guild: Snowflake,
  name: string,
): Promise<NamedEdition[]> {
  return listEditions(store, guild, { only: name, most: Number.POSITIVE_INFINITY });
}
