import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** An invite to a server, as Discord makes it. */
export const zInvite = z
  .string()
  .max(100)
  .regex(/^https:\/\/(?:discord\.gg|discord\.com\/invite)\/[\w-]+$/);

/** A guild's settings for the web; by default all are off. */
export const zWebSettings = z.object({
  /** It has a public page. */
  open: z.boolean(),
  /** The page and the feeds name the posters. */
  names: z.boolean(),
  /** Signs the addresses of its feeds; null: it has none. */
  secret: z
    .string()
    .regex(/^[\w-]{43}$/)
    .nullable(),
  /** The page shows it, so that readers can join; null: none. */
  invite: zInvite.nullable(),
});
export type WebSettings = z.infer<typeof zWebSettings>;

export async function readWebSettings(store: Store, guild: Snowflake): Promise<WebSettings> {
  const key = storeKeys(store, guild).web;
  const fields = ['open', 'names', 'secret', 'invite'];
  const [open, names, secret, invite] = await store.redis.hmget(key, ...fields);
  return {
    open: open === '1',
    names: names === '1',
    secret: secret ?? null,
    invite: zInvite.safeParse(invite).data ?? null,
  };
}

/** The feeds stay when the page closes: their addresses are known to those who were given them. */
export async function changeWeb(
  store: Store,
  guild: Snowflake,
  change: Partial<Pick<WebSettings, 'open' | 'names'>>,
): Promise<void> {
  const key = storeKeys(store, guild).web;
  await store.redis.hset(
    key,
    Object.entries(change).flatMap(([field, isOn]) => [field, isOn ? '1' : '0']),
  );
}

export async function setInvite(
  store: Store,
  guild: Snowflake,
  invite: string | null,
): Promise<void> {
  const key = storeKeys(store, guild).web;
  if (invite === null) await store.redis.hdel(key, 'invite');
  else await store.redis.hset(key, 'invite', invite);
}

/** The guild's secret, made now where there was none; several callers get the same one. */
export async function feedSecret(store: Store, guild: Snowflake): Promise<string> {
  const key = storeKeys(store, guild).web;
  await store.redis.hsetnx(key, 'secret', randomBytes(32).toString('base64url'));
  return (await store.redis.hget(key, 'secret'))!;
}

/** Makes all earlier addresses of feeds invalid. */
export async function revokeFeeds(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.hdel(storeKeys(store, guild).web, 'secret');
}
