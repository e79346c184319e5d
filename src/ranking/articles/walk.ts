import { readArticles } from './articles.ts';
import { guildKeys } from '../keys.ts';
import { linkNames } from '../links/parse.ts';
import { findByLink } from '../links/reservations.ts';
import type { Ranking } from '../ranking.ts';
import { listRemoved, type Removed } from './removed.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** Rows that one step reads. */
const STEP = 200;
/** Ids that one step of a scan finds. */
const SCANNED = 1000;

/** Under which of its `linkNames` an article's link is known again; null: under none of them. */
export type LinkName = 0 | 1 | 2 | null;

export type WalkedArticle = { article: Article; linkName: LinkName; removedAtMs: number | null };

/**
 * Every article of a guild, the removed among them, by id, each once. In bounded steps; what is
 * posted meanwhile may be missing, and what goes meanwhile is left out. Of all articles only the
 * ids are held, 8 bytes each.
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
    yield* await Promise.all(
      some.flatMap((id, n) => walked(ranking, guild, articles[n], removed.get(id))),
    );
  }
}

/** All names that an article's link can have in the index, whether everyone may see it or not. */
export function allLinkNames(article: Pick<Article, 'id' | 'link' | 'home'>): string[] {
  return linkNames({ ...article, listed: true });
}

function walked(
  ranking: Ranking,
  guild: Snowflake,
  article: Article | null | undefined,
  removed: Removed | undefined,
): Promise<WalkedArticle>[] {
  if (article) return [withLinkName(ranking, guild, article)];
  if (!removed) return [];
  const linkName = removed.article.listed ? 0 : 1;
  return [Promise.resolve({ article: removed.article, linkName, removedAtMs: removed.atMs })];
}

async function withLinkName(
  ranking: Ranking,
  guild: Snowflake,
  article: Article,
): Promise<WalkedArticle> {
  let linkName: LinkName = null;
  for (const [i, name] of allLinkNames(article).entries()) {
    if ((await findByLink(ranking, guild, name)) !== article.id) continue;
    linkName = i as LinkName;
    break;
  }
  return { article, linkName, removedAtMs: null };
}

/** In ascending order, each once: a scan may find one again. */
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
  let cursor = '0';
  do {
    const [next, found] = await redis.hscan(texts, cursor, 'COUNT', SCANNED);
    cursor = next;
    found.filter((_, i) => i % 2 === 0).forEach(add);
  } while (cursor !== '0');
  for (const id of further) add(id);
  const sorted = ids.subarray(0, count).sort();
  return sorted.filter((id, i) => i === 0 || id !== sorted[i - 1]);
}
