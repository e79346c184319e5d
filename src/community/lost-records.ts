import { MINUTE_MS } from '../runtime/clock.ts';
import { storeKeys } from '../redis/store-keys.ts';
import type { Store } from '../redis/store.ts';
import { LOOKED_THROUGH, walkList } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/**
 * A rebuild of many guilds waits its turn, and the first articles may be posted meanwhile. Long enough for
 * that, and short beside the age of articles whose settings could be lost.
 */
const FIRST_ARTICLES_MS = 10 * MINUTE_MS;

/**
 * Whether a guild has articles from before its ranking was built, but no settings, digests and blocks. What an
 * import made of old messages came later, and says nothing.
 * Redis was probably emptied, and those are not on Discord. After a whole restore it is known that there
 * were none.
 */
export async function lacksRecords(
  { store, ranking }: { store: Store; ranking: Ranking },
  guild: Snowflake,
): Promise<boolean> {
  const keys = storeKeys(store, guild);
  const [found, noted, completeSince] = await Promise.all([
    store.redis.exists(keys.settings, keys.digests, keys.blocks),
    store.redis.exists(keys.recorded),
    store.redis.get(keys.complete),
  ]);
  if (found + noted > 0) return false;
  const list = { guild, order: 'time-asc' } as const;
  for await (const articles of walkList(ranking, list, LOOKED_THROUGH)) {
    if (articles.length === 0) continue;
    const ids = articles.map(({ id }) => id);
    const imported = await store.redis.smismember(keys.imported, ...ids);
    const oldest = articles.find((_, i) => imported[i] === 0);
    if (oldest !== undefined) {
      return oldest.postedAtMs < Number(completeSince) - FIRST_ARTICLES_MS;
    }
  }
  return false;
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
