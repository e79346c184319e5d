import { MOST_ARTICLES, type Selection } from '../../records/digests/digest.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { inFrontOrder } from '../../ranking/lists/fair-front.ts';

export type Wish = {
  count: number;
  selection: Selection;
  minimum: number | 'adaptive' | null;
  /** The adaptive minimum so far; null before the first edition. */
  floor: number | null;
  /** The guild's interesting mark. */
  mark: number;
};

export type Choice = {
  chosen: Article[];
  /** The adaptive minimum for the next edition. */
  floor: number | null;
};

/** The weight of the last edition in the adaptive minimum. */
const FLOOR_WEIGHT = 0.3;

/**
 * Chooses the articles of an edition and their order, from candidates in order of score.
 * While other groups have articles left, a group gets at most half of the places, but at least three.
 * If no other group has articles, one group may fill the edition.
 */
export function chooseArticles(candidates: readonly Article[], wish: Wish): Choice {
  const floor = wish.minimum === 'adaptive' ? adaptedFloor(candidates, wish) : wish.floor;
  const least = wish.minimum === 'adaptive' ? (wish.floor ?? floor) : wish.minimum;
  const qualified = candidates.filter((article) => least === null || netVotes(article) >= least);
  const places = wish.minimum === 'adaptive' ? MOST_ARTICLES : wish.count;
  return { chosen: shared(orders[wish.selection](qualified, wish.mark), places), floor };
}

export function netVotes({ up, down }: Pick<Article, 'up' | 'down'>): number {
  return up - down;
}

/** A running mean of the net votes of the last article within the wanted count. */
function adaptedFloor(candidates: readonly Article[], { count, floor }: Wish): number {
  const votes = candidates.map(netVotes).sort((a, b) => b - a);
  const wouldDo = votes[count - 1] ?? 0;
  return floor === null ? wouldDo : floor * (1 - FLOOR_WEIGHT) + wouldDo * FLOOR_WEIGHT;
}

const orders: Record<Selection, (articles: Article[], mark: number) => Article[]> = {
  score: (articles) => articles,
  // The order of the guild's front page, computed within these articles.
  front: inFrontOrder,
  votes: (articles) => articles.toSorted((a, b) => netVotes(b) - netVotes(a)),
  interesting: (articles) =>
    articles
      .filter(({ interesting }) => interesting)
      .toSorted((a, b) => b.postedAtMs - a.postedAtMs),
};

/** Keeps the order. An article beyond its group's share comes after the shares of the other groups. */
function shared(articles: Article[], places: number): Article[] {
  const share = Math.max(3, Math.ceil(places / 2));
  const taken = new Map<string, number>();
  const chosen = new Set<Article>();
  const waiting: Article[] = [];
  for (const article of articles) {
    const ofGroup = taken.get(article.home) ?? 0;
    if (ofGroup < share && chosen.size < places) {
      taken.set(article.home, ofGroup + 1);
      chosen.add(article);
    } else waiting.push(article);
  }
  for (const article of waiting) if (chosen.size < places) chosen.add(article);
  return articles.filter((article) => chosen.has(article));
}
