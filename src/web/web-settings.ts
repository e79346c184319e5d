import { randomBytes } from 'node:crypto';
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

/** A guild's settings for the web; by default all are off. */
export const zWebSettings = z.object({
  /** It has a public page. */
  open: z.boolean(),
  /** Stands in the addresses of its feeds; null: it has none. */
  secret: z
    .string()
    .regex(/^[\w-]{43}$/)
    .nullable(),
  /** The page shows it, so that readers can join; null: none. */
  invite: zInvite.nullable(),
  /** What a manager says about the community, in one sentence; null: nothing. */
  about: z.string().min(1).max(ABOUT_LENGTH).nullable().default(null),
  /** It names who posted, and shows what they said about it. */
  names: z.boolean().default(false),
});
export type WebSettings = z.infer<typeof zWebSettings>;

export async function readWebSettings(store: Store, guild: Snowflake): Promise<WebSettings> {
  const key = storeKeys(store, guild).web;
  const fields = ['open', 'secret', 'invite', 'about', 'names'] as const;
  const [open, secret, invite, about, names] = await store.redis.hmget(key, ...fields);
  return {
    open: open === '1',
    secret: zWebSettings.shape.secret.safeParse(secret).data ?? null,
    invite: zInvite.safeParse(invite).data ?? null,
    about: zWebSettings.shape.about.safeParse(about).data ?? null,
    names: names === '1',
  };
}

/**
 * Feeds stay when the page closes: their addresses are known to those who were given them. Another secret,
 * or null, makes these addresses invalid.
 */
export async function writeWebSettings(
  store: Store,
  guild: Snowflake,
  change: Partial<WebSettings>,
): Promise<void> {
  const key = storeKeys(store, guild).web;
  for (const [field, value] of Object.entries(change)) {
    if (value) await store.redis.hset(key, field, value === true ? '1' : value);
    else await store.redis.hdel(key, field);
  }
}

/**
 * The guild's secret, made now where there was none, or none that can be read; several callers get the
 * same one.
 */
export async function feedSecret(store: Store, guild: Snowflake): Promise<string> {
  const key = storeKeys(store, guild).web;
  const { success, data: known } = zWebSettings.shape.secret.safeParse(
    await store.redis.hget(key, 'secret'),
  );
  if (success && known !== null) return known;
  if (!success) await store.redis.hdel(key, 'secret');
  await store.redis.hsetnx(key, 'secret', randomBytes(32).toString('base64url'));
  return (await store.redis.hget(key, 'secret'))!;
}
