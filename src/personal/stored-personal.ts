import { z } from 'zod';
import { openScript } from '../redis/script.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';

/** What binds a member's own lists. A word is compared as a search compares it. */
export const zMute = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('site'), value: z.string().min(1).max(253) }),
  z.object({ kind: z.literal('poster'), value: zSnowflake }),
  z.object({
    kind: z.literal('word'),
    value: z
      .string()
      .min(1)
      .max(50)
      .regex(/^[^\n]+$/),
  }),
]);
export type Mute = z.infer<typeof zMute>;

export const MUTES_AT_MOST = 50;
export const SAVED_AT_MOST = 200;
export const ASKED_AT_MOST = 30;
export const EARLY_AT_MOST = 100;
/** Who has not looked for a year is forgotten. A TTL only sweeps: nothing rests on Redis's own time. */
const SWEPT_AFTER_S = 366 * 86_400;

/** What a member keeps in a guild for themself; nobody else sees it. */
export type Personal = {
  /** The newest article when the member last looked at what is new; null: never. */
  seen: Snowflake | null;
  /** Articles, newest saved first. */
  saved: readonly Snowflake[];
  /** Newest first. */
  muted: readonly Mute[];
  /** What they were shown because it needed a vote, newest shown first, without that on which they voted. */
  asked: readonly Snowflake[];
  /** Those of it on which they voted. */
  early: readonly Snowflake[];
};

const scripts = {
  changeList: openScript<['changed' | 'full']>(import.meta.dirname, 'change-list'),
  noteEarly: openScript<['noted', number]>(import.meta.dirname, 'note-early'),
};

/**
 * One round trip, and a second one where an earlier version wrote it. What cannot be read is passed over: it is the
 * member's own, and nothing rests on it.
 */
export async function readPersonal(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<Personal> {
  const fields = await store.redis.hgetall(keyOf(store, guild, member));
  const personal = {
    seen: zSnowflake.safeParse(fields['seen']).data ?? null,
    saved: idsIn(fields['saved']),
    muted: linesIn(fields['muted']).flatMap(muteIn),
    asked: idsIn(fields['unjudged']),
    early: idsIn(fields['early']),
  };
  const old = Object.keys(fields).filter((field) => OLD_FIELD.test(field));
  return old.length === 0 ? personal : bringAlong(store, guild, member, personal, fields);
}

/** Until November 2026, `asked`, `first`, and a field for each saved article and each mute. */
const OLD_FIELD = /^(asked$|first$|saved:|site:|poster:|word:)/;

/** Writes what an earlier version kept as it is kept now. It may be begun again. */
async function bringAlong(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  { seen, saved, muted, asked, early }: Personal,
  fields: Record<string, string>,
): Promise<Personal> {
  const old = Object.entries(fields).filter(([field]) => OLD_FIELD.test(field));
  const ofOld = (kind: string) =>
    old
      .filter(([field]) => field.startsWith(`${kind}:`))
      .toSorted(([, a], [, b]) => Number(b) - Number(a))
      .map(([field]) => field);
  const idsOf = (field: string) => (fields[field] ?? '').split(' ').filter(isId);
  const mutes = ['site', 'poster', 'word'].flatMap(ofOld);
  const now = {
    seen,
    saved: once([...saved, ...ofOld('saved').map((field) => field.slice('saved:'.length))]).filter(
      isId,
    ),
    muted: once([...muted.map(muteText), ...mutes]).flatMap(muteIn),
    asked: once([...asked, ...idsOf('asked')]),
    early: once([...early, ...idsOf('first')]),
  };
  const lists = {
    saved: now.saved.map(shortId),
    muted: now.muted.map(muteText),
    unjudged: now.asked.map(shortId),
    early: now.early.map(shortId),
  };
  const written = Object.entries(lists).filter(([, list]) => list.length > 0);
  const key = keyOf(store, guild, member);
  const change = store.redis.multi().hdel(key, ...old.map(([field]) => field));
  for (const [field, list] of written) change.hset(key, field, list.join('\n'));
  await change.expire(key, SWEPT_AFTER_S).exec();
  return now;
}

const once = (list: readonly string[]): string[] => [...new Set(list)];
const isId = (text: string): boolean => zSnowflake.safeParse(text).success;
const linesIn = (text = ''): string[] => text.split('\n').filter(Boolean);

/** As a list keeps an id: a third shorter, so that all that a member can keep is a few kilobytes. */
function shortId(id: Snowflake): string {
  return BigInt(id).toString(36);
}

function idsIn(text: string | undefined): Snowflake[] {
  const digits = linesIn(text).filter((line) => /^[0-9a-z]{1,13}$/.test(line));
  return digits.map(longId).filter(isId);
}

function longId(short: string): Snowflake {
  let id = 0n;
  for (const digit of short) id = id * 36n + BigInt(Number.parseInt(digit, 36));
  return String(id);
}

function muteIn(text: string): Mute[] {
  const [kind, value] = text.split(/:(.*)/s);
  const read = zMute.safeParse({ kind, value });
  return read.success ? [read.data] : [];
}

const muteText = ({ kind, value }: Mute): string => `${kind}:${value}`;

/** Notes up to where the member has looked. */
export async function writeSeen(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  newest: Snowflake,
): Promise<void> {
  const key = keyOf(store, guild, member);
  await store.redis.multi().hset(key, { seen: newest }).expire(key, SWEPT_AFTER_S).exec();
}

/** Notes what the member is shown because it needs a vote, and that they voted on some of what they were shown before. */
export async function writeAsked(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  { shown, voted }: { shown: readonly Snowflake[]; voted: readonly Snowflake[] },
): Promise<void> {
  await noteEarly(store, guild, member, { shown, voted, seconds: SWEPT_AFTER_S });
}

/** Notes of these members that they voted on an article, if they were shown it because it needed a vote. */
export async function writeEarly(
  store: Store,
  guild: Snowflake,
  members: readonly Snowflake[],
  article: Snowflake,
): Promise<void> {
  const change = { shown: [], voted: [article], seconds: 0 };
  await Promise.all(members.map((member) => noteEarly(store, guild, member, change)));
}

async function noteEarly(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  {
    shown,
    voted,
    seconds,
  }: { shown: readonly Snowflake[]; voted: readonly Snowflake[]; seconds: number },
): Promise<void> {
  const lists = [voted, shown].map((ids) => ids.map(shortId).join('\n'));
  const key = keyOf(store, guild, member);
  await scripts.noteEarly(store.redis, key, ...lists, ASKED_AT_MOST, EARLY_AT_MOST, seconds);
}

/** `full`: there are as many as can be. */
export async function saveArticle(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  article: Snowflake,
): Promise<'saved' | 'full'> {
  const status = await changeList(store, guild, member, 'saved', 'add', shortId(article));
  return status === 'full' ? 'full' : 'saved';
}

export async function unsaveArticles(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  articles: readonly Snowflake[],
): Promise<void> {
  for (const article of articles) {
    await changeList(store, guild, member, 'saved', 'drop', shortId(article));
  }
}

/** `full`: there is as much as can be. */
export async function mute(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  muted: Mute,
): Promise<'muted' | 'full'> {
  const status = await changeList(store, guild, member, 'muted', 'add', muteText(muted));
  return status === 'full' ? 'full' : 'muted';
}

export async function unmute(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  muted: Mute,
): Promise<void> {
  await changeList(store, guild, member, 'muted', 'drop', muteText(muted));
}

const ROOM = { saved: SAVED_AT_MOST, muted: MUTES_AT_MOST };

async function changeList(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  field: keyof typeof ROOM,
  act: 'add' | 'drop',
  word: string,
): Promise<'changed' | 'full'> {
  // Brings along what an earlier version kept.
  await readPersonal(store, guild, member);
  const key = keyOf(store, guild, member);
  const change = [field, ROOM[field], SWEPT_AFTER_S, act, word] as const;
  const [status] = await scripts.changeList(store.redis, key, ...change);
  return status;
}

/** For the member's own copy of their data; undefined: there is nothing. */
export function exportOf({ seen, saved, muted, asked, early }: Personal): object | undefined {
  const others = [saved, muted, asked, early];
  if (seen === null && others.every(({ length }) => length === 0)) return undefined;
  return {
    lookedUntil: seen === null ? undefined : new Date(snowflakeTimeMs(seen)).toISOString(),
    saved,
    muted,
    askedToVote: asked,
    votedEarlyOn: early,
  };
}

function keyOf(store: Store, guild: Snowflake, member: Snowflake): string {
  return storeKeys(store, guild).personal(member);
}
