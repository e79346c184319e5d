import { z } from 'zod';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Snowflake, snowflakeTimeMs, zSnowflake } from '../runtime/snowflake.ts';

/** What binds a member's own lists. A word is compared as a search compares it. */
export const zMute = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('site'), value: z.string().min(1).max(253) }),
  z.object({ kind: z.literal('poster'), value: zSnowflake }),
  z.object({ kind: z.literal('word'), value: z.string().min(1).max(50) }),
]);
export type Mute = z.infer<typeof zMute>;

export const MUTES_AT_MOST = 50;
export const SAVED_AT_MOST = 200;
/** Who has not looked for a year is forgotten. A TTL only sweeps: nothing rests on Redis's own time. */
const SWEPT_AFTER_S = 366 * 86_400;

/** What a member keeps in a guild for themself; nobody else sees it. */
export type Personal = {
  /** The newest article when the member last looked at what is new; null: never. */
  seen: Snowflake | null;
  /** Articles, newest saved first. */
  saved: readonly Snowflake[];
  muted: readonly Mute[];
  /** What they were last shown because it needed a vote. */
  asked: readonly Snowflake[];
  /** Those of it on which they voted, of the last month. */
  first: readonly Snowflake[];
};

const NOTHING: Personal = { seen: null, saved: [], muted: [], asked: [], first: [] };

/** One round trip. What cannot be read is passed over: it is the member's own, and nothing rests on it. */
export async function readPersonal(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<Personal> {
  const fields = Object.entries(await store.redis.hgetall(keyOf(store, guild, member)));
  if (fields.length === 0) return NOTHING;
  const saved: { article: Snowflake; at: number }[] = [];
  const muted: Mute[] = [];
  let seen: Snowflake | null = null;
  let asked: Snowflake[] = [];
  let first: Snowflake[] = [];
  for (const [field, value] of fields) {
    const [kind, rest = ''] = field.split(/:(.*)/s);
    if (kind === 'seen') seen = zSnowflake.safeParse(value).data ?? null;
    else if (field === 'asked') asked = idsIn(value);
    else if (field === 'first') first = idsIn(value);
    else if (kind === 'saved') saved.push({ article: rest, at: Number(value) });
    else
      muted.push(
        ...(zMute.safeParse({ kind, value: rest }).data
          ? [zMute.parse({ kind, value: rest })]
          : []),
      );
  }
  saved.sort((a, b) => b.at - a.at);
  return { seen, saved: saved.map(({ article }) => article), muted, asked, first };
}

/** Notes up to where the member has looked. */
export async function writeSeen(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  newest: Snowflake,
): Promise<void> {
  await write(store, guild, member, { seen: newest });
}

/** Notes what the member was shown because it needs a vote, and on which of it they voted. */
export async function writeAsked(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  { asked, first }: Pick<Personal, 'asked' | 'first'>,
): Promise<void> {
  await write(store, guild, member, { asked: asked.join(' '), first: first.join(' ') });
}

function idsIn(text: string): Snowflake[] {
  return text.split(' ').filter((id) => zSnowflake.safeParse(id).success);
}

/** `full`: there are as many as can be. */
export async function saveArticle(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  article: Snowflake,
  now: number,
): Promise<'saved' | 'full'> {
  const { saved } = await readPersonal(store, guild, member);
  if (!saved.includes(article) && saved.length >= SAVED_AT_MOST) return 'full';
  await write(store, guild, member, { [`saved:${article}`]: String(now) });
  return 'saved';
}

export async function unsaveArticle(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  article: Snowflake,
): Promise<void> {
  await store.redis.hdel(keyOf(store, guild, member), `saved:${article}`);
}

export async function mute(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  { kind, value }: Mute,
): Promise<'muted' | 'full'> {
  const { muted } = await readPersonal(store, guild, member);
  if (muted.length >= MUTES_AT_MOST) return 'full';
  await write(store, guild, member, { [`${kind}:${value}`]: '1' });
  return 'muted';
}

export async function unmute(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  { kind, value }: Mute,
): Promise<void> {
  await store.redis.hdel(keyOf(store, guild, member), `${kind}:${value}`);
}

/** Erases all of it. */
export async function forgetPersonal(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<void> {
  await store.redis.del(keyOf(store, guild, member));
}

/** For the member's own copy of their data; undefined: there is nothing. */
export function exportOf({ seen, saved, muted, asked, first }: Personal): object | undefined {
  const others = [saved, muted, asked, first];
  if (seen === null && others.every(({ length }) => length === 0)) return undefined;
  return {
    lookedUntil: seen === null ? undefined : new Date(snowflakeTimeMs(seen)).toISOString(),
    saved,
    muted,
    askedToVote: asked,
    votedEarlyOn: first,
  };
}

function keyOf(store: Store, guild: Snowflake, member: Snowflake): string {
  return storeKeys(store, guild).personal(member);
}

async function write(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  fields: Record<string, string>,
): Promise<void> {
  const key = keyOf(store, guild, member);
  await store.redis.multi().hset(key, fields).expire(key, SWEPT_AFTER_S).exec();
}
