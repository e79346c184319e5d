import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { listArticles } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/**
 * Whether a guild has articles from before its ranking was built, but no settings, digests and blocks.
 * Redis was probably emptied, and those are not on Discord.
 */
export async function lacksRecords(
  { store, ranking }: { store: Store; ranking: Ranking },
  guild: Snowflake,
): Promise<boolean> {
  const keys = storeKeys(store, guild);
  const [found, completeSince, oldest] = await Promise.all([
    store.redis.exists(keys.settings, keys.digests, keys.blocks),
    store.redis.get(keys.complete),
    listArticles(ranking, { guild, order: 'time-asc', page: 1, pageSize: 1 }),
  ]);
  const [article] = oldest.articles;
  return found === 0 && article !== undefined && article.postedAtMs < Number(completeSince);
}
