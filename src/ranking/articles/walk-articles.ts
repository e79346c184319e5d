import { readArticles, scanIds } from './articles.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { readRemovedOf } from './removed.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Rows that one step reads. */
const STEP = 200;

/** `isOwn`: its poster removed it, not a moderator. */
export type WalkedArticle = { article: Article; removedAtMs: number | null; isOwn: boolean };

/**
 * Every article of a guild, with the removed ones, newest first, each once. In bounded steps.
 * Articles posted during the walk may be missing; articles deleted during it are left out.
 * Only the ids of all articles are held in memory. `before`: only those that are older than this one.
 */
export async function* walkArticles(
  ranking: Ranking,
  guild: Snowflake,
  before?: Snowflake,
): AsyncGenerator<WalkedArticle> {
  const all = await allIds(ranking, guild);
  const ids = before === undefined ? all : all.filter((id) => id < BigInt(before));
  for (let i = 0; i < ids.length; i += STEP) {
    const some = ids.slice(i, i + STEP).map(String);
    const [articles, removed] = await Promise.all([
      readArticles(ranking, guild, some),
      readRemovedOf(ranking, guild, some),
    ]);
    for (const [n, gone] of removed.entries()) {
      const article = articles[n] ?? gone?.article;
      if (!article) continue;
      const removal = articles[n] ? null : gone;
      yield { article, removedAtMs: removal?.atMs ?? null, isOwn: removal?.own ?? false };
    }
  }
}

/** In descending order, each once: a scan may return an id twice. */
async function allIds(ranking: Ranking, guild: Snowflake): Promise<bigint[]> {
  const { texts, removed } = guildKeys(ranking, guild);
  const ids: bigint[] = [];
  // The removed ones before and after: an article can be removed or restored meanwhile.
  for (const key of [removed, texts, removed]) {
    for await (const some of scanIds(ranking, key)) ids.push(...some.map(BigInt));
  }
  ids.sort((a, b) => (a < b ? 1 : -1));
  return ids.filter((id, i) => id !== ids[i - 1]);
}
