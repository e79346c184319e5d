import { z } from 'zod';
import type { Key } from '../text/catalogue.ts';
import { keepLease, type Lease } from '../redis/lease.ts';
import { readPart, stored } from '../redis/stored.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { readFields, scanSortedSet } from '../redis/scan.ts';
import type { Store } from '../redis/store.ts';
import { zTimeMs } from '../runtime/clock.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';

/** An article as an edition showed it. Its texts are read where they are now, so that what is erased is gone. */
const zShown = z.object({
  id: zSnowflake,
  /** Net votes then. */
  net: z.int(),
  /** Messages in its discussion then. */
  replies: z.int().min(0),
  /** The net votes of these that came since an edition showed it before; null: the edition did not say it. */
  gained: z.int().nullable().default(null),
  /** It had the ★ then; null: an earlier version did not store it. */
  isInteresting: z.boolean().nullable().default(null),
  /** Its poster was named. */
  isNamed: z.boolean().default(true),
  /** What its poster said about it was there to be quoted. */
  isQuoted: z.boolean().default(true),
});
export type Shown = z.output<typeof zShown>;
/** In a section of an edition that an earlier version stored, an article is its id alone. */
const zIdAlone = z.object({ id: zSnowflake });
const zInSection = z.union([zShown, zIdAlone, zSnowflake.transform((id) => ({ id }))]);
export type InSection = z.output<typeof zInSection>;

/**
 * What an edition shows apart from its list, in this order, each with its heading. All places read them from
 * here: the edition's message, its page on the web, and what is stored of it.
 */
export const SECTIONS = {
  rising: 'digest.rising',
  firstPosts: 'digest.first-posts',
  discussed: 'digest.discussed',
  week: 'digest.week',
} as const satisfies Record<string, Key>;
export type Section = keyof typeof SECTIONS;
export const sectionNames = Object.keys(SECTIONS) as Section[];

/** Makes something for each section. */
export function bySection<T>(make: (section: Section) => T): Record<Section, T> {
  const made = sectionNames.map((section) => [section, make(section)]);
  return Object.fromEntries(made) as Record<Section, T>;
}

/** What was posted in the time that an edition covers. The votes are those of others than the posters. */
const zDaySum = z.object({
  articles: z.int().min(0),
  posters: z.int().min(0),
  votes: z.int().min(0),
});
export type DaySum = z.output<typeof zDaySum>;

/** The articles of an edition, in the order in which it showed them. */
export const zEditionContent = z.object({
  articles: z.array(zShown).max(25),
  /** Null: nothing was posted, or an earlier version did not store it. */
  day: zDaySum.nullable().default(null),
  /** Its best stood out by a picture in full width; an earlier version's always did. */
  isLarge: z.boolean().default(true),
  ...bySection(() => z.array(zInSection).max(25).default([])),
});
export type EditionContent = {
  articles: Shown[];
  day: DaySum | null;
  isLarge: boolean;
} & Record<Section, InSection[]>;

/** All articles that an edition names, in its list and its sections. */
export function articlesNamedIn(content: EditionContent): Snowflake[] {
  return [
    ...content.articles.map(({ id }) => id),
    ...sectionNames.flatMap((section) => content[section].map(({ id }) => id)),
  ];
}

/** What an edition said of each article. Sections of an earlier version said nothing that is stored. */
export function factsIn(content: EditionContent): Shown[] {
  const inSections = sectionNames.flatMap((section) => content[section]);
  return [...content.articles, ...inSections.filter((shown): shown is Shown => 'net' in shown)];
}

/** A posting of a digest. It holds no text of a member, so that what is erased is gone from it too. */
export const zEdition = z.object({
  ...zEditionContent.shape,
  /** When its window ended. */
  postedAtMs: zTimeMs,
  fromMs: zTimeMs,
  /** The first and the last local date that it covers; null: it is of the day of its date. */
  days: z.object({ from: z.iso.date(), to: z.iso.date() }).nullable().default(null),
  channel: zSnowflake,
  /** Its message; null where the bot could not see which one it is. */
  message: zSnowflake.nullable().default(null),
  /** Everyone could view its channel when it was posted. */
  isPublic: z.boolean(),
});
export type Edition = z.infer<typeof zEdition>;
const storedEdition = stored('editions', zEdition);

/** The local date of a slot; of an edition outside the schedule also the time. */
export const zEditionDate = z.string().regex(/^\d{4}-\d\d-\d\d(?:T\d\d:\d\dZ)?$/);

/** Outside the schedule. */
export function isByHand(date: string): boolean {
  return date.includes('T');
}

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
  edition: z.input<typeof zEdition>,
  by?: { lease: Lease; now: number },
): Promise<boolean> {
  const keys = storeKeys(store, guild);
  const record = { key: keys.editions(name), text: storedEdition.write(edition) };
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
  return storedEdition.read(await store.redis.hget(storeKeys(store, guild).editions(name), date));
}

export type NamedEdition = { name: string; date: string; edition: Edition };

/** The newest editions of a guild, the newest first; with `only`, those of one digest among them. */
export async function listEditions(
  store: Store,
  guild: Snowflake,
  { only, most = LISTED_AT_MOST }: { only?: string; most?: number } = {},
): Promise<NamedEdition[]> {
  const { editionList } = storeKeys(store, guild);
  const members = await store.redis.zrevrange(editionList, 0, most - 1);
  const listed = members.map(parted).filter(({ name }) => only === undefined || name === only);
  return read(store, guild, listed);
}

/** The number of editions of all digests. */
export async function countEditions(store: Store, guild: Snowflake): Promise<number> {
  return store.redis.zcard(storeKeys(store, guild).editionList);
}

/** The editions of one digest that were posted since a time, the oldest first. */
export async function editionsSince(
  store: Store,
  guild: Snowflake,
  name: string,
  sinceMs: number,
): Promise<NamedEdition[]> {
  const { editionList } = storeKeys(store, guild);
  const members = await store.redis.zrangebyscore(editionList, sinceMs, '+inf');
  return read(
    store,
    guild,
    members.map(parted).filter((one) => one.name === name),
  );
}

/** Where an edition was posted, which says who may see it. */
const zPosted = zEdition.pick({ channel: true, isPublic: true });
export type PostedIn = z.infer<typeof zPosted>;

/** Editions whose text is read at once. */
const READ_AT_ONCE = 100;

/**
 * The editions that were posted before a time, of one digest with `only`, the newest first, among the first
 * `most`. Those that are not accepted cost little.
 */
export async function* editionsBefore(
  store: Store,
  guild: Snowflake,
  {
    beforeMs,
    afterMs,
    only,
    accept,
    most,
  }: {
    beforeMs?: number | undefined;
    /** Instead, those that were posted after a time, the oldest first. */
    afterMs?: number | undefined;
    only?: string | undefined;
    accept: (posted: PostedIn) => boolean;
    most: number;
  },
): AsyncGenerator<NamedEdition> {
  const { editionList } = storeKeys(store, guild);
  const from = beforeMs === undefined ? '+inf' : `(${beforeMs}`;
  const members =
    afterMs === undefined
      ? await store.redis.zrevrangebyscore(editionList, from, '-inf', 'LIMIT', 0, most)
      : await store.redis.zrangebyscore(editionList, `(${afterMs}`, '+inf', 'LIMIT', 0, most);
  const listed = members.map(parted).filter(({ name }) => only === undefined || name === only);
  for (let i = 0; i < listed.length; i += READ_AT_ONCE) {
    const some = listed.slice(i, i + READ_AT_ONCE);
    const texts = await readTexts(store, guild, some);
    for (const { name, date } of some) {
      const json = texts.get(name)?.get(date) ?? null;
      const posted = readPart(zPosted, json);
      const edition = posted !== null && accept(posted) ? storedEdition.read(json) : null;
      if (edition !== null) yield { name, date, edition };
    }
  }
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

/** By name, then by date. */
async function readTexts(
  store: Store,
  guild: Snowflake,
  listed: readonly { name: string; date: string }[],
): Promise<Map<string, Map<string, string>>> {
  const stored = new Map<string, Map<string, string>>();
  for (const name of new Set(listed.map((one) => one.name))) {
    const dates = listed.filter((one) => one.name === name).map(({ date }) => date);
    stored.set(name, await readFields(store.redis, storeKeys(store, guild).editions(name), dates));
  }
  return stored;
}

/** In the order given, without those that cannot be read. */
async function read(
  store: Store,
  guild: Snowflake,
  listed: readonly { name: string; date: string }[],
): Promise<NamedEdition[]> {
  const stored = await readTexts(store, guild, listed);
  const unreadable: string[] = [];
  const editions = listed.flatMap(({ name, date }) => {
    const json = stored.get(name)?.get(date) ?? null;
    const edition = storedEdition.read(json);
    if (edition === null && json !== null) unreadable.push(`${name} ${date}`);
    return edition === null ? [] : [{ name, date, edition }];
  });
  if (unreadable.length > 0) {
    const about = { guild, editions: unreadable.slice(0, 10) };
    store.log.warn(about, 'Some stored editions cannot be read; they have no page.');
  }
  return editions;
}
