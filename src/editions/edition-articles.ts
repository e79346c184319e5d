import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { articlesNamedIn, bySection, type Edition, type Section } from './stored-editions.ts';

/** An article of an edition: as it is now, with the numbers that the edition showed. */
export type EditionArticle = { article: Article; net: number; replies: number };

export type ShownEdition = { articles: EditionArticle[] } & Record<Section, Article[]>;

/**
 * What an edition showed, less what was removed, hidden or erased since. Only articles that everyone may
 * see are in it.
 */
export async function readEditionArticles(
  ranking: Ranking,
  guild: Snowflake,
  edition: Edition,
): Promise<ShownEdition> {
  const found = await readArticles(ranking, guild, articlesNamedIn(edition));
  const visible = new Map(
    found.flatMap((article) => (article?.listed ? [[article.id, article] as const] : [])),
  );
  const those = (wanted: readonly Snowflake[]) => wanted.flatMap((id) => visible.get(id) ?? []);
  return {
    articles: edition.articles.flatMap(({ id, net, replies }) => {
      const article = visible.get(id);
      return article === undefined ? [] : [{ article, net, replies }];
    }),
    ...bySection((section) => those(edition[section])),
  };
}
