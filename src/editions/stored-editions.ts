import { z } from 'zod';
import type { Key } from '../text/catalogue.ts';
import { keepLease, type Lease } from '../redis/lease.ts';
import { parseStored } from '../redis/parse-stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { readFields, scanSortedSet } from '../redis/scan.ts';
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

/**
 * What an edition shows apart from its list, in this order, each with its heading. All places read them from
 * here: the edition's message, its page on the web, and what is stored of it.
 */
export const SECTIONS = {
  rising: 'digest.rising',
  firstPosts: 'digest.first-posts',
  discussed: 'digest.discussed',
} as const satisfies Record<string, Key>;
export type Section = keyof typeof SECTIONS;
export const sectionNames = Object.keys(SECTIONS) as Section[];

/** Makes something for each section. */
export function bySection<T>(make: (section: Section) => T): Record<Section, T> {
  const made = sectionNames.map((section) => [section, make(section)]);
  return Object.fromEntries(made) as Record<Section, T>;
}

/** The articles of an edition, in the order in which it showed them. */
export const zEditionContent = z.object({
  articles: z.array(zShown).max(25),
  ...bySection(() => z.array(zSnowflake).max(25).default([])),
});
export type EditionContent = z.infer<typeof zEditionContent>;

/** All articles that an edition names, in its list and its sections. */
export function articlesNamedIn(content: EditionContent): Snowflake[] {
  return [
    ...content.articles.map(({ id }) => id),
    ...sectionNames.flatMap((section) => content[section]),
  ];
}

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

/** The newest are listed; all have their page. */
const LISTED_AT_MOST = 500;
/**
 * The editions of a digest that are stored: ten years of a daily one, some 4 MB. Without a bound, editions
 * that somebody posts by hand could fill the host's Redis.
 */
export const EDITIONS_AT_MOST = 4000;
/** Members of the list of editions that are read at once. */
const STEP = 500;

/**
 * Records an edition; again, changes nothing. With the lease of who posts it, it takes the place of what another
 * process recorded before: the message may say something newer. False, and nothing is recorded, if the lease is
 * lost.
 */
export async function writeEdition(
  store: Store,
  guild: Snowflake,
  { name, date }: { name: string; date: string },
  edition: Edition,
  by?: { lease: Lease; now: number },
): Promise<boolean> {
  const keys = storeKeys(store, guild);
  const record = { key: keys.editions(name), text: JSON.stringify(edition) };
  // The list first: what it names without an edition is passed over, and written by the next try.
  await store.redis.zadd(keys.editionList, 'NX', edition.postedAtMs, `${name}:${date}`);
  if (by === undefined) await store.redis.hsetnx(record.key, date, record.text);
  else if (!(await keepLease(store, by.lease, by.now, { [date]: record.text }, record.key))) {
    return false;
  }
  await forgetOldest(store, guild, name);
  return true;
}

/** In steps through the list of all digests, in which the oldest of this one come early. */
async function forgetOldest(store: Store, guild: Snowflake, name: string): Promise<void> {
  const keys = storeKeys(store, guild);
  const tooMany = (await store.redis.hlen(keys.editions(name))) - EDITIONS_AT_MOST;
  const oldest: string[] = [];
  for (let at = 0; oldest.length < tooMany; at += STEP) {
    const members = await store.redis.zrange(keys.editionList, String(at), String(at + STEP - 1));
    if (members.length === 0) break;
    oldest.push(...members.filter((member) => parted(member).name === name));
  }
  const forgotten = oldest.slice(0, Math.max(0, tooMany));
  if (forgotten.length === 0) return;
  // The list first: what it still names without an edition would be passed over.
  await store.redis.zrem(keys.editionList, ...forgotten);
  const dates = forgotten.map((member) => parted(member).date);
  await store.redis.hdel(keys.editions(name), ...dates);
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

/** The newest editions of a guild, the newest first, after the first `skip`; with `only`, those of one digest among them. */
export async function listEditions(
  store: Store,
  guild: Snowflake,
  { only, most = LISTED_AT_MOST, skip = 0 }: { only?: string; most?: number; skip?: number } = {},
): Promise<NamedEdition[]> {
  const { editionList } = storeKeys(store, guild);
  const members = await store.redis.zrevrange(editionList, skip, skip + most - 1);
  const listed = members.map(parted).filter(({ name }) => only === undefined || name === only);
  return read(store, guild, listed);
}

export async function hasEditions(store: Store, guild: Snowflake): Promise<boolean> {
  return (await store.redis.exists(storeKeys(store, guild).editionList)) === 1;
}

/** All editions, for an export, in bounded steps. One may come twice. */
export async function* allEditions(store: Store, guild: Snowflake): AsyncGenerator<NamedEdition> {
  for await (const members of scanSortedSet(store.redis, storeKeys(store, guild).editionList)) {
    yield* await read(store, guild, members.map(parted));
  }
}

/** A name has no colon; a time has one. */
function parted(member: string): { name: string; date: string } {
  const end = member.indexOf(':');
  return { name: member.slice(0, end), date: member.slice(end + 1) };
}

/** In the order given, without those that cannot be read. */
async function read(
  store: Store,
  guild: Snowflake,
  listed: readonly { name: string; date: string }[],
): Promise<NamedEdition[]> {
  const stored = new Map<string, Map<string, string>>();
  for (const name of new Set(listed.map((one) => one.name))) {
    const dates = listed.filter((one) => one.name === name).map(({ date }) => date);
    stored.set(name, await readFields(store.redis, storeKeys(store, guild).editions(name), dates));
  }
  const unreadable: string[] = [];
  const editions = listed.flatMap(({ name, date }) => {
    const json = stored.get(name)?.get(date) ?? null;
    const edition = parseStored(zEdition, json);
    if (edition === null && json !== null) unreadable.push(`${name} ${date}`);
    return edition === null ? [] : [{ name, date, edition }];
  });
  if (unreadable.length > 0) {
    const about = { guild, editions: unreadable.slice(0, 10) };
    store.log.warn(about, 'Some stored editions cannot be read; they have no page.');
  }
  return editions;
}
