import { type Listed, listedNow } from '../articles/lists/article-facts.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import {
  articlesNamedIn,
  bySection,
  type Edition,
  type InSection,
  type Section,
  sectionNames,
} from './stored-editions.ts';

/** The articles of an edition: their texts as they are now, with the facts that the edition showed. */
export type ShownEdition = { articles: Listed[] } & Record<Section, Listed[]>;

/** All articles of an edition, in its list and its sections. */
export function articlesOfEdition(shown: ShownEdition): Article[] {
  return [shown.articles, ...sectionNames.map((section) => shown[section])]
    .flat()
    .map(({ article }) => article);
}

/**
 * What editions showed, less what was removed, hidden or erased since. Only articles that everyone may see are
 * in it. In bounded steps, however many editions there are.
 */
export async function readShownEditions(
  ranking: Ranking,
  guild: Snowflake,
  editions: readonly Edition[],
): Promise<ShownEdition[]> {
  const ids = new Set(editions.flatMap(articlesNamedIn));
  const found = await readArticles(ranking, guild, [...ids]);
  const visible = new Map(
    found.flatMap((article) => (article?.listed ? [[article.id, article] as const] : [])),
  );
  const those = (shown: readonly InSection[]): Listed[] =>
    shown.flatMap((one) => {
      const article = visible.get(one.id);
      return article === undefined ? [] : [asShown(article, one)];
    });
  return editions.map((edition) => ({
    articles: those(edition.articles),
    ...bySection((section) => those(edition[section])),
  }));
}

/** Of what an earlier version did not store, what is so now. */
function asShown(article: Article, shown: InSection): Listed {
  const now = listedNow(article, { replies: new Map() });
  if (!('net' in shown)) return now;
  const { net, gained, replies, isNamed, isQuoted } = shown;
  const isInteresting = shown.isInteresting ?? now.isInteresting;
  return { article, net, gained, replies, isInteresting, isNamed, isQuoted };
}
