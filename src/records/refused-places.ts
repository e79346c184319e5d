import { z } from 'zod';
import { DAY_MS } from '../clock.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { storeKeys } from '../redis/store-keys.ts';
import { parseStored } from '../redis/parse-stored.ts';
import type { Store } from '../redis/store.ts';

/** What Discord refused. One errand that is refused in a channel says nothing about another. */
const ERRANDS = ['GET', 'POST', 'PATCH', 'DELETE', 'react', 'manage'] as const;
export type Errand = (typeof ERRANDS)[number];

const zRefusedPlace = z.object({
  channel: zSnowflake,
  errand: z.enum(ERRANDS),
  /** The bot's permissions there at that time. With others, the errand may succeed. */
  permissions: z.string(),
  /** How long it is not asked, and until when. */
  forMs: z.int(),
  untilMs: z.int(),
});
export type RefusedPlace = z.infer<typeof zRefusedPlace>;

/** A guild has 500 channels and 1 000 active threads. Beyond this, a place is asked again. */
export const REFUSED_AT_MOST = 1500;

export async function readRefusedPlaces(store: Store, guild: Snowflake): Promise<RefusedPlace[]> {
  // `noteRefusedPlace` bounds the hash.
  const stored = Object.values(await store.redis.hgetall(storeKeys(store, guild).refused));
  return stored.flatMap((json) => parseStored(zRefusedPlace, json) ?? []);
}

export async function noteRefusedPlace(
  store: Store,
  guild: Snowflake,
  place: RefusedPlace,
): Promise<void> {
  const { refused } = storeKeys(store, guild);
  if ((await store.redis.hlen(refused)) >= REFUSED_AT_MOST) await store.redis.del(refused);
  await store.redis.hset(refused, `${place.errand} ${place.channel}`, JSON.stringify(place));
  await store.redis.expire(refused, KEPT_SECONDS);
}

/** The longest time for which a place is not asked. */
export const LONGEST_REFUSED_MS = DAY_MS;
/** After its rest, a place is kept for a while, because a further refusal then lengthens the rest. */
const KEPT_SECONDS = (2 * LONGEST_REFUSED_MS) / 1000;

export async function forgetRefusedPlaces(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.del(storeKeys(store, guild).refused);
}
