import type { Digest } from '../../records/digests/digest.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { orders } from '../../ranking/lists/read-list.ts';

/** Chooses the articles of an edition from candidates, in the order of such a list. */
export function chooseArticles(
  candidates: readonly Article[],
  { count, selection, minimum }: Pick<Digest, 'count' | 'selection' | 'minimum'>,
): Article[] {
  const qualified = candidates.filter((article) => netVotes(article) >= minimum);
  return orders[selection].sort(qualified).slice(0, count);
}

export function netVotes({ up, down }: Pick<Article, 'up' | 'down'>): number {
  return up - down;
}
