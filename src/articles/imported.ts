import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/**
 * Whether an import made the article of a member's own message, also if the article is gone. The bot
 * cannot edit such a message, and must not delete it.
 */
export async function isImported(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  return (await store.redis.sismember(storeKeys(store, guild).imported, article)) === 1;
}

/** Records that an import made an article, so that no import makes it again when it is gone. */
export async function noteImported(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<void> {
  await store.redis.sadd(storeKeys(store, guild).imported, article);
}

/** After all articles were lost: an import may bring each of them back. */
export async function forgetImported(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.unlink(storeKeys(store, guild).imported);
}

/** Those of these articles that no import made. */
export async function withoutImported<T extends { id: Snowflake }>(
  store: Pick<Store, 'redis' | 'applicationId'>,
  guild: Snowflake,
  articles: readonly T[],
): Promise<T[]> {
  if (articles.length === 0) return [];
  const ids = articles.map(({ id }) => id);
  const found = await store.redis.smismember(storeKeys(store, guild).imported, ...ids);
  return articles.filter((_, i) => found[i] === 0);
}
