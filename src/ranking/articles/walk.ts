import { scanHash } from '../../redis/scan.ts';
import { readArticles } from './articles.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { listRemoved } from './removed.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** Rows that one step reads. */
const STEP = 200;

export type WalkedArticle = { article: Article; removedAtMs: number | null };

/**
 * Every article of a guild, with the removed ones, newest first, each once. In bounded steps.
 * Articles posted during the walk may be missing; articles deleted during it are left out.
 * Only the ids of all articles are held in memory, 8 bytes each.
 */
export async function* walkArticles(
  ranking: Ranking,
  guild: Snowflake,
): AsyncGenerator<WalkedArticle> {
  const removed = new Map(
    (await listRemoved(ranking, guild)).map((one) => [one.article.id, one] as const),
  );
  const ids = await allIds(ranking, guild, removed.keys());
  for (let i = 0; i < ids.length; i += STEP) {
    const some = [...ids.subarray(i, i + STEP)].map(String);
    const articles = await readArticles(ranking, guild, some);
    for (const [n, id] of some.entries()) {
      const [article, gone] = [articles[n], removed.get(id)];
      if (article) yield { article, removedAtMs: null };
      else if (gone) yield { article: gone.article, removedAtMs: gone.atMs };
    }
  }
}

/** In descending order, each once: a scan may return an id twice. */
async function allIds(
  { redis, applicationId }: Ranking,
  guild: Snowflake,
  further: Iterable<Snowflake>,
): Promise<BigUint64Array> {
  const { texts } = guildKeys(applicationId, guild);
  let ids = new BigUint64Array(1024);
  let count = 0;
  const add = (id: Snowflake): void => {
    if (count === ids.length) {
      const longer = new BigUint64Array(2 * count);
      longer.set(ids);
      ids = longer;
    }
    ids[count++] = BigInt(id);
  };
  for await (const [id] of scanHash(redis, texts)) add(id);
  for (const id of further) add(id);
  const sorted = ids.subarray(0, count).sort().toReversed();
  return sorted.filter((id, i) => i === 0 || id !== sorted[i - 1]);
}
