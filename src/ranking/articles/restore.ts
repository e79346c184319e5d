import { allLinkNames, type LinkName } from './walk.ts';
import { type NewArticle, postArticle, readArticles } from './articles.ts';
import { guildKeys } from '../keys.ts';
import { freeLink } from './edit.ts';
import { digestOf } from '../links/reservations.ts';
import type { Ranking } from '../ranking.ts';
import { removeArticle, readRemoved } from './removed.ts';
import type { Snowflake } from '../snowflake.ts';

type Kept = Omit<NewArticle, 'canonical'>;

/** Which of these articles the ranking knows, and whether as removed ones. */
export async function standingOf(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<('present' | 'removed' | 'unknown')[]> {
  const articles = await readArticles(ranking, guild, ids);
  return Promise.all(
    ids.map(async (id, i) => {
      if (articles[i]) return 'present';
      return (await readRemoved(ranking, guild, id)) ? 'removed' : 'unknown';
    }),
  );
}

/**
 * Commits an article that was kept elsewhere, its link under the name that it had, or under the next
 * of its names where another article has that one by now. Idempotent, as `postArticle` is.
 */
export async function putArticle(
  ranking: Ranking,
  article: Kept,
  linkName: LinkName,
): Promise<{ status: 'posted' | 'known' }> {
  const names = allLinkNames(article);
  for (const canonical of names.slice(linkName ?? -1)) {
    const { status } = await postArticle(ranking, { ...article, canonical });
    if (status === 'duplicate') continue;
    if (linkName === null) await freeOwn(ranking, article, canonical);
    return { status };
  }
  // The last name is the article's alone.
  throw new Error(`article ${article.id}: none of its names is free`);
}

/** A link that may be posted again has no name in the index. */
async function freeOwn(ranking: Ranking, { guild, id }: Kept, canonical: string): Promise<void> {
  await freeLink(ranking, { guild, canonical, article: id });
}

/**
 * Removes an article that was restored, as it was removed before. Undoing that finds its link taken
 * where it is, whatever name it had to be restored under.
 */
export async function putRemoved(
  ranking: Ranking,
  { guild, id, link, home }: Pick<Kept, 'guild' | 'id' | 'link' | 'home'>,
  linkName: LinkName,
  atMs: number,
): Promise<void> {
  await removeArticle(ranking, guild, id, atMs);
  const keys = guildKeys(ranking.applicationId, guild);
  const names = allLinkNames({ id, link, home }).slice(linkName ?? 0);
  await ranking.redis.reindexLink(
    keys.articles,
    keys.links,
    keys.removed,
    id,
    ...names.map(digestOf),
  );
}
