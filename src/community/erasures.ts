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

/** The field of `…erasing` of a member whose data is being erased. */
const ofMember = (member: Snowflake): string => `member:${member}`;

/**
 * Begins the erasure of a member's data. In one step what the member keeps for themself is gone, and it is recorded
 * that the rest is to go, so that it also goes if this process dies now.
 */
export async function beginErasing(
  store: Store,
  guild: Snowflake,
  member: Snowflake,
  now: number,
): Promise<void> {
  const keys = storeKeys(store, guild);
  await store.redis
    .multi()
    .hset(keys.erased, member, now)
    .hset(keys.erasing, ofMember(member), now)
    .del(keys.personal(member))
    .exec();
}

/** An erasure that has not ended, and when it was begun (ms). */
export type ErasureBegun = { member: Snowflake; atMs: number };

/** All that `beginErasing` began is erased, but for messages. One that was begun later goes on. */
export async function endErasing(
  store: Store,
  guild: Snowflake,
  { member, atMs }: ErasureBegun,
): Promise<void> {
  const { erasing } = storeKeys(store, guild);
  const begun = await store.redis.hget(erasing, ofMember(member));
  if (begun === String(atMs)) await store.redis.hdel(erasing, ofMember(member));
}

export async function erasuresBegun(store: Store, guild: Snowflake): Promise<ErasureBegun[]> {
  const begun: ErasureBegun[] = [];
  for await (const [field, at] of scanHash(store.redis, storeKeys(store, guild).erasing)) {
    const member = field.slice(ofMember('').length);
    const isOne = field === ofMember(member) && zSnowflake.safeParse(member).success;
    if (isOne) begun.push({ member, atMs: Number(at) });
  }
  return begun;
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
    if (article.startsWith(ofMember(''))) continue;
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
