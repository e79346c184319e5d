import type { Digest, Run } from '../../records/digests/digest.ts';
import { importedAmong } from '../../records/imported.ts';
import type { Store } from '../../redis/store.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { listArticles, topPostedBetween } from '../../ranking/lists/ranked.ts';
import type { Ranking } from '../../ranking/ranking.ts';

/** So many are looked at; who stands below them has no chance in any selection. */
const MOST_CANDIDATES = 500;
const NEWEST_INTERESTING = 50;

export type Period = { fromMs: number; untilMs: number };

/**
 * What may stand in an edition, best score first: articles posted in the period, and those of
 * earlier editions in case they moved much since. Only what everyone may see, wherever it is
 * posted: an article of a private or age-restricted channel appears in that channel's own digest
 * alone. What was imported from before the period is no news, however interesting it was.
 */
export async function gatherCandidates(
  { ranking, store }: { ranking: Ranking; store: Store },
  guild: string,
  digest: Digest,
  run: Run,
  period: Period,
): Promise<Article[]> {
  const sources = digest.groups.length > 0 ? digest.groups : [undefined];
  const lists = await Promise.all(
    sources.map((group) => read(ranking, guild, digest, group, period)),
  );
  const earlier = await readArticles(ranking, guild, Object.keys(run.featured));
  const found = new Map<string, Article>();
  for (const article of [...lists.flat(), ...earlier]) {
    if (article !== null && isWanted(article, digest) && article.postedAtMs < period.untilMs) {
      found.set(article.id, article);
    }
  }
  const older = [...found.values()].filter(({ postedAtMs }) => postedAtMs < period.fromMs);
  const olderIds = older.map(({ id }) => id);
  for (const id of await importedAmong(store, guild, olderIds)) found.delete(id);
  return [...found.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
}

async function read(
  ranking: Ranking,
  guild: string,
  digest: Digest,
  group: string | undefined,
  { fromMs, untilMs }: Period,
): Promise<Article[]> {
  const of = { guild, ...(group === undefined ? {} : { group }) };
  if (digest.selection === 'interesting') {
    const list = { ...of, order: 'interesting' as const, page: 1, pageSize: NEWEST_INTERESTING };
    return (await listArticles(ranking, list)).articles;
  }
  return topPostedBetween(ranking, { ...of, fromMs, untilMs, count: MOST_CANDIDATES });
}

function isWanted(article: Article, { channel, groups }: Digest): boolean {
  if (!article.listed && article.home !== channel) return false;
  return groups.length === 0 || article.groups.some((group) => groups.includes(group));
}
