import { z } from 'zod';
import { DAY_MS } from '../clock.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';

/** What Discord refused. One errand that is refused in a channel says nothing about another. */
const ERRANDS = ['GET', 'POST', 'PATCH', 'DELETE', 'react', 'manage'] as const;
export type Errand = (typeof ERRANDS)[number];

export type RefusedPlace = {
  channel: Snowflake;
  errand: Errand;
  /** The bot's permissions there at that time. With others, the errand may succeed. */
  permissions: string;
  /** How long it is not asked, and until when. */
  forMs: number;
  untilMs: number;
};

const zField = z.templateLiteral([z.enum(ERRANDS), ' ', zSnowflake]);
const zValue = z.templateLiteral([z.string(), ' ', z.int(), ' ', z.int()]);

/** A guild has 500 channels and 1 000 active threads. Beyond this, a place is asked again. */
export const REFUSED_AT_MOST = 1500;

export async function readRefusedPlaces(store: Store, guild: Snowflake): Promise<RefusedPlace[]> {
  // `noteRefusedPlace` bounds the hash.
  const stored = Object.entries(await store.redis.hgetall(storeKeys(store, guild).refused));
  return stored.flatMap(([field, value]) => {
    if (!zField.safeParse(field).success || !zValue.safeParse(value).success) return [];
    const [errand, channel = ''] = field.split(' ');
    const [permissions = '', forMs, untilMs] = value.split(' ');
    const times = { forMs: Number(forMs), untilMs: Number(untilMs) };
    return [{ channel, errand: errand as Errand, permissions, ...times }];
  });
}

export async function noteRefusedPlace(
  store: Store,
  guild: Snowflake,
  { channel, errand, permissions, forMs, untilMs }: RefusedPlace,
): Promise<void> {
  const { refused } = storeKeys(store, guild);
  if ((await store.redis.hlen(refused)) >= REFUSED_AT_MOST) await store.redis.del(refused);
  await store.redis.hset(refused, `${errand} ${channel}`, `${permissions} ${forMs} ${untilMs}`);
  await store.redis.expire(refused, KEPT_SECONDS);
}

/** The longest time for which a place is not asked. */
export const LONGEST_REFUSED_MS = DAY_MS;
/** After its rest, a place is kept for a while, because a further refusal then lengthens the rest. */
const KEPT_SECONDS = (2 * LONGEST_REFUSED_MS) / 1000;

export async function forgetRefusedPlaces(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.del(storeKeys(store, guild).refused);
}
