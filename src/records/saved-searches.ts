import { z } from 'zod';
import { zQuery } from '../ranking/lists/search-articles.ts';
import { type Snowflake, zSnowflake } from '../ranking/snowflake.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { parseStored } from '../redis/parse-stored.ts';

/** A search that somebody asked for, so that its further pages can be turned to. */
export type Search = z.infer<typeof zSearch>;

const zSearch = z.object({ member: zSnowflake, query: zQuery });

const KEPT_SECONDS = 86_400;

export async function keepSearch(
  store: Store,
  guild: Snowflake,
  id: string,
  search: Search,
): Promise<void> {
  await store.redis.set(
    storeKeys(store, guild).search(id),
    JSON.stringify(search),
    'EX',
    KEPT_SECONDS,
  );
}

/** Null after a day. */
export async function readSearch(
  store: Store,
  guild: Snowflake,
  id: string,
): Promise<Search | null> {
  const json = await store.redis.get(storeKeys(store, guild).search(id));
  return parseStored(zSearch, json);
}
