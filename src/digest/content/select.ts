import type { Digest, Selection } from '../../records/digests/digest.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { inFrontOrder } from '../../ranking/lists/fair-front.ts';

/** Chooses the articles of an edition and their order, from candidates in order of score. */
export function chooseArticles(
  candidates: readonly Article[],
  { count, selection, minimum }: Pick<Digest, 'count' | 'selection' | 'minimum'>,
): Article[] {
  const qualified = candidates.filter((article) => netVotes(article) >= minimum);
  return orders[selection](qualified).slice(0, count);
}

export function netVotes({ up, down }: Pick<Article, 'up' | 'down'>): number {
  return up - down;
}

const orders: Record<Selection, (articles: Article[]) => Article[]> = {
  score: (articles) => articles,
  // The order of the guild's front page, computed within these articles.
  front: inFrontOrder,
  votes: (articles) => articles.toSorted((a, b) => netVotes(b) - netVotes(a)),
  interesting: (articles) =>
    articles
      .filter(({ interesting }) => interesting)
      .toSorted((a, b) => b.postedAtMs - a.postedAtMs),
};
