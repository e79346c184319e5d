import { z } from 'zod';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** An invite to a server, as Discord makes it. */
export const zInvite = z
  .string()
  .max(100)
  .regex(/^https:\/\/(?:discord\.gg|discord\.com\/invite)\/[\w-]+$/);

export const ABOUT_LENGTH = 200;

/** A guild's settings for the web; by default it has no page. */
export const zWebSettings = z.object({
  /** It has a public page. */
  open: z.boolean(),
  /** The page has feeds. */
  feeds: z.boolean().default(true),
  /** The page shows it, so that readers can join; null: none. */
  invite: zInvite.nullable(),
  /** What a manager says about the community, in one sentence; null: nothing. */
  about: z.string().min(1).max(ABOUT_LENGTH).nullable().default(null),
  /** It names who posted, and shows what they said about it. */
  names: z.boolean().default(false),
});
export type WebSettings = z.infer<typeof zWebSettings>;

const FIELDS = ['open', 'feeds', 'invite', 'about', 'names'] as const;

export async function readWebSettings(store: Store, guild: Snowflake): Promise<WebSettings> {
  const key = storeKeys(store, guild).web;
  const [open, feeds, invite, about, names] = await store.redis.hmget(key, ...FIELDS);
  return {
    open: open === '1',
    feeds: feeds !== '0',
    invite: zInvite.safeParse(invite).data ?? null,
    about: zWebSettings.shape.about.safeParse(about).data ?? null,
    names: names === '1',
  };
}

export async function writeWebSettings(
  store: Store,
  guild: Snowflake,
  change: Partial<WebSettings>,
): Promise<void> {
  const key = storeKeys(store, guild).web;
  for (const [field, written] of Object.entries(change)) {
    const value = zWebSettings.shape[field as keyof WebSettings].parse(written);
    if (value === null) await store.redis.hdel(key, field);
    // What somebody closed is stored as well: a file of before must not open it.
    else await store.redis.hset(key, field, typeof value === 'string' ? value : value ? '1' : '0');
  }
  // A page that is opened again shows no draft of before.
  if (change.open === false) await store.redis.del(storeKeys(store, guild).newsletter);
}

const SWITCHES = ['open', 'feeds', 'names'] as const;

/** Takes over the settings of a file. What was closed here stays closed. True if something changed. */
export async function restoreWebSettings(
  store: Store,
  guild: Snowflake,
  ofFile: WebSettings,
): Promise<boolean> {
  const before = await readWebSettings(store, guild);
  const stored = await store.redis.hmget(storeKeys(store, guild).web, ...SWITCHES);
  const closed = SWITCHES.filter((_, at) => stored[at] === '0');
  const kept = Object.fromEntries(closed.map((name) => [name, false]));
  const after: WebSettings = { ...ofFile, ...kept };
  const changed = FIELDS.filter((field) => after[field] !== before[field]);
  const change = Object.fromEntries(changed.map((field) => [field, after[field]]));
  await writeWebSettings(store, guild, change);
  return changed.length > 0;
}
