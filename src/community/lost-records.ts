import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { listArticles } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

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

const RECORDS = ['settings', 'digests', 'blocks', 'optedOut'] as const;

/**
 * Finds records that the guild had at the last call and that nobody emptied, such as after an eviction.
 * Each loss is found once.
 */
export async function findLostRecords(
  { redis, ...store }: Store,
  guild: Snowflake,
): Promise<(typeof RECORDS)[number][]> {
  const keys = storeKeys(store, guild);
  const [stored, ...found] = await Promise.all([
    redis.get(keys.recorded),
    ...RECORDS.map((name) => redis.exists(keys[name])),
  ]);
  const had = stored ?? '';
  const has = RECORDS.filter((_, i) => found[i] === 1);
  if (had !== has.join(' ')) await redis.set(keys.recorded, has.join(' '));
  return RECORDS.filter((name) => had.split(' ').includes(name) && !has.includes(name));
}

/**
 * Call it with each deletion of an entry, and await both together: an emptied record is then no loss. The
 * connection keeps the order, so no search comes in between.
 */
export async function expectDeletion({ redis, ...store }: Store, guild: Snowflake): Promise<void> {
  await redis.del(storeKeys(store, guild).recorded);
}
