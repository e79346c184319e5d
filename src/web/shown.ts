import { readBlocks } from '../community/blocks.ts';
import { standingBy } from '../community/may-stand.ts';
import type { Listed } from '../articles/lists/article-facts.ts';
import { readShownEditions, type ShownEdition } from '../editions/edition-articles.ts';
import { bySection, type Edition } from '../editions/stored-editions.ts';
import { type Article, readArticles } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { PageCache } from './pages/page-cache.ts';

/** What is asked of all that a page or feed shows. */
type Shown = {
  parts: { ranking: Ranking; store: Store; clock: Clock };
  cache: Pick<PageCache, 'data'>;
};

/** What may still be shown: blocks may be newer than what they block. */
export type StandingNow = ReturnType<typeof standingBy>;

export async function standingNow(
  { store, clock }: Pick<Shown['parts'], 'store' | 'clock'>,
  guild: Snowflake,
): Promise<StandingNow> {
  return standingBy(await readBlocks(store, guild), clock.now());
}

/** The same, of which the blocks are cached with the pages. */
export async function standingOf({ parts, cache }: Shown, guild: Snowflake): Promise<StandingNow> {
  const blocks = await cache.data(guild, 'blocks', () => readBlocks(parts.store, guild));
  return standingBy(blocks, parts.clock.now());
}

/** What editions showed, as far as it may still be shown. */
export async function shownEditions(
  ranking: Ranking,
  guild: Snowflake,
  editions: readonly Edition[],
  standing: StandingNow,
): Promise<ShownEdition[]> {
  const all = await readShownEditions(ranking, guild, editions);
  const left = (those: readonly Listed[]) =>
    those.filter(({ article }) => standing.article(article));
  return all.map((shown) => ({
    articles: left(shown.articles),
    ...bySection((section) => left(shown[section])),
  }));
}

/** Those of these articles that everyone may see. */
export async function listedOf(
  on: Shown,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<Article[]> {
  const [articles, standing] = await Promise.all([
    readArticles(on.parts.ranking, guild, ids),
    standingOf(on, guild),
  ]);
  return shownOf(articles, standing);
}

/** Those of these that everyone may see, now. */
export function shownOf(articles: readonly (Article | null)[], standing: StandingNow): Article[] {
  return articles.flatMap((one) => (one?.listed && standing.article(one) ? [one] : []));
}
