import { MINUTE_MS } from '../runtime/clock.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { listArticles } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/**
 * A rebuild of many guilds waits its turn, and the first articles may be posted meanwhile. Long enough for
 * that, and short beside the age of articles whose settings could be lost.
 */
const FIRST_ARTICLES_MS = 10 * MINUTE_MS;

/**
 * Whether a guild has articles from before its ranking was built, but no settings, digests and blocks.
 * Redis was probably emptied, and those are not on Discord. After a whole restore it is known that there
 * were none.
 */
export async function lacksRecords(
  { store, ranking }: { store: Store; ranking: Ranking },
  guild: Snowflake,
): Promise<boolean> {
  const keys = storeKeys(store, guild);
  const [found, noted, completeSince, oldest] = await Promise.all([
    store.redis.exists(keys.settings, keys.digests, keys.blocks),
    store.redis.exists(keys.recorded),
    store.redis.get(keys.complete),
    listArticles(ranking, { guild, order: 'time-asc', page: 1, pageSize: 1 }),
  ]);
  const [article] = oldest.articles;
  if (found + noted > 0 || article === undefined) return false;
  return article.postedAtMs < Number(completeSince) - FIRST_ARTICLES_MS;
}

/** Notes that the guild has exactly the records that it has now. Call it after a whole restore. */
export async function noteRecords(store: Store, guild: Snowflake): Promise<void> {
  await store.redis.set(
    storeKeys(store, guild).recorded,
    (await recordsOf(store, guild)).join(' '),
  );
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
  const { recorded } = storeKeys(store, guild);
  const [stored, has] = await Promise.all([
    redis.get(recorded),
    recordsOf({ redis, ...store }, guild),
  ]);
  const had = stored ?? '';
  if (had !== has.join(' ')) await redis.set(recorded, has.join(' '));
  return RECORDS.filter((name) => had.split(' ').includes(name) && !has.includes(name));
}

/**
 * Call it with each deletion of an entry, and await both together: an emptied record is then no loss. The
 * connection keeps the order, so no search comes in between.
 */
export async function expectDeletion({ redis, ...store }: Store, guild: Snowflake): Promise<void> {
  await redis.del(storeKeys(store, guild).recorded);
}

async function recordsOf(
  { redis, ...store }: Store,
  guild: Snowflake,
): Promise<(typeof RECORDS)[number][]> {
  const keys = storeKeys(store, guild);
  const found = await Promise.all(RECORDS.map((name) => redis.exists(keys[name])));
  return RECORDS.filter((_, i) => found[i] === 1);
}
