import { storeKeys } from '../../redis/keys.ts';
import type { Store } from '../../redis/store.ts';

/**
 * Articles that an import made of members' own messages. Nothing of the bot's can be edited there,
 * and nothing is to be deleted.
 */

/** Stands before the import while its article is being written. */
const begun = '~';

/** The import state of a message: never imported, begun by an import, or imported by it. */
type Imported = { status: 'never' } | { status: 'begun' | 'imported'; run: string };

export async function isImported(store: Store, guild: string, article: string): Promise<boolean> {
  const { imported } = storeKeys(store.applicationId, guild);
  return (await store.redis.hexists(imported, article)) === 1;
}

/** Which of these articles are imported. */
export async function importedAmong(
  store: Store,
  guild: string,
  articles: readonly string[],
): Promise<Set<string>> {
  if (articles.length === 0) return new Set();
  const { imported } = storeKeys(store.applicationId, guild);
  const found = await store.redis.hmget(imported, ...articles);
  return new Set(articles.filter((_, i) => found[i] !== null));
}

export async function readImported(
  store: Store,
  guild: string,
  article: string,
): Promise<Imported> {
  const { imported } = storeKeys(store.applicationId, guild);
  const found = await store.redis.hget(imported, article);
  if (found === null) return { status: 'never' };
  return found.startsWith(begun)
    ? { status: 'begun', run: found.slice(begun.length) }
    : { status: 'imported', run: found };
}

/**
 * Record this before the article is written, so that no code takes the message for the bot's own.
 */
export async function beginImported(
  store: Store,
  guild: string,
  article: string,
  run: string,
): Promise<void> {
  const { imported } = storeKeys(store.applicationId, guild);
  await store.redis.hset(imported, article, begun + run);
}

/** From now on the article is not brought back once it is gone. */
export async function finishImported(
  store: Store,
  guild: string,
  article: string,
  run: string,
): Promise<void> {
  const { imported } = storeKeys(store.applicationId, guild);
  await store.redis.hset(imported, article, run);
}

/** Removes the record of an import that failed. */
export async function dropImported(store: Store, guild: string, article: string): Promise<void> {
  const { imported } = storeKeys(store.applicationId, guild);
  await store.redis.hdel(imported, article);
}

/** After all articles were lost: an import may bring each of them back. */
export async function forgetImported(store: Store, guild: string): Promise<void> {
  await store.redis.unlink(storeKeys(store.applicationId, guild).imported);
}
