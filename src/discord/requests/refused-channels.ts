import { z } from 'zod';
import { DAY_MS } from '../../runtime/clock.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { storeKeys } from '../../redis/store-keys.ts';
import { stored } from '../../redis/stored.ts';
import type { Store } from '../../redis/store.ts';

const zRefused = z.object({
  /** The bot's permissions there at that time. With others, the purpose may succeed. */
  permissions: z.string(),
  /** How long it is not asked, and until when. */
  forMs: z.int(),
  untilMs: z.int(),
});

const storedRefusal = stored('refused', zRefused);

/** A guild has 500 channels and 1 000 active threads. Beyond this, a channel is asked again. */
const REFUSED_AT_MOST = 1500;
/** The longest time for which a channel is not asked. */
export const LONGEST_REFUSED_MS = DAY_MS;
/** After its rest, a refusal is stored for a while, because a further refusal then lengthens the rest. */
const KEPT_SECONDS = (2 * LONGEST_REFUSED_MS) / 1000;

/** `what` is a purpose in a channel: one that is refused says nothing about another. */
export async function readRefusal(store: Store, guild: Snowflake, what: string) {
  return storedRefusal.read(await store.redis.hget(storeKeys(store, guild).refused, what));
}

export async function writeRefusal(
  store: Store,
  guild: Snowflake,
  what: string,
  refusal: z.infer<typeof zRefused>,
): Promise<void> {
  const { refused } = storeKeys(store, guild);
  if ((await store.redis.hlen(refused)) >= REFUSED_AT_MOST) await store.redis.del(refused);
  await store.redis.hset(refused, what, storedRefusal.write(refusal));
  await store.redis.expire(refused, KEPT_SECONDS);
}

export async function forgetRefusals(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.del(storeKeys(store, guild).refused);
}
