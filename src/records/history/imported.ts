import { storeKeys } from '../../redis/store-keys.ts';
import { readFields } from '../../redis/scan.ts';
import type { Store } from '../../redis/store.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * Articles that an import made of members' own messages. The bot cannot edit these messages, and must
 * not delete them.
 */

export async function isImported(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<boolean> {
  return (await store.redis.hexists(storeKeys(store, guild).imported, article)) === 1;
}

export async function importedAmong(
  store: Store,
  guild: Snowflake,
  articles: readonly string[],
): Promise<Set<string>> {
  const { imported } = storeKeys(store, guild);
  return new Set((await readFields(store.redis, imported, articles)).keys());
}

/** The import that made an article of this message, also if the article is gone; null: none. */
export async function readImported(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
): Promise<string | null> {
  return store.redis.hget(storeKeys(store, guild).imported, article);
}

/** Records which import made an article, so that no import makes it again when it is gone. */
export async function noteImported(
  store: Store,
  guild: Snowflake,
  article: Snowflake,
  run: string,
): Promise<void> {
  await store.redis.hsetnx(storeKeys(store, guild).imported, article, run);
}

/** After all articles were lost: an import may bring each of them back. */
export async function forgetImported(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.unlink(storeKeys(store, guild).imported);
}
