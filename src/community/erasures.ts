import { readFields, scanHash } from '../redis/scan.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { type Snowflake, zSnowflake } from '../runtime/snowflake.ts';

/**
 * Records that a member's data was erased. The record stays, because an older backup would bring
 * the data back.
 */
export async function noteErased(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  now: number,
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).erased, member, now);
}

/** When a member last had their data erased in the guild; null: never. */
export async function erasedAtMs(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
): Promise<number | null> {
  const at = await store.redis.hget(storeKeys(store, guild).erased, member);
  return at === null ? null : Number(at);
}

/**
 * The members among these whose data of this time was erased later: what Discord or a file holds of it
 * is left out. Erasures only become more, so nobody reads them all but an export.
 */
export async function erasedAmong(
  store: Store,
  guild: Snowflake,
  members: readonly string[],
  atMs: number,
): Promise<Set<string>> {
  const erased = await readFields(store.redis, storeKeys(store, guild).erased, members);
  return new Set(members.filter((member) => Number(erased.get(member) ?? 0) > atMs));
}

/** Messages of erased articles that are still to be deleted. What cannot be read is left out, with a warning. */
export async function* walkErasing(
  store: Store,
  guild: Snowflake,
): AsyncGenerator<{ article: Snowflake; channel: Snowflake }> {
  const { erasing } = storeKeys(store, guild);
  for await (const [article, channel] of scanHash(store.redis, erasing)) {
    if ([article, channel].every((id) => zSnowflake.safeParse(id).success)) {
      yield { article, channel };
    } else {
      const about = { guild, article: article.slice(0, 20) };
      store.log.warn(about, 'Where an erased message is cannot be read; it is not deleted.');
    }
  }
}

export async function noteErasing(
  store: Store,
  guild: Snowflake,
  article: { id: string; channel: Snowflake },
): Promise<void> {
  await store.redis.hset(storeKeys(store, guild).erasing, article.id, article.channel);
}

export async function deleteErasing(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<void> {
  await store.redis.hdel(storeKeys(store, guild).erasing, article);
}
