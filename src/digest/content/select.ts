import { MOST_ARTICLES, type Selection } from '../../records/digests/digest.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { inFrontOrder } from '../../ranking/lists/fair-front.ts';

/** `movedBy`: net votes since it last stood in this digest. */
export type Chosen = { article: Article; movedBy: number | null };

export type Wish = {
  count: number;
  selection: Selection;
  minimum: number | 'adaptive' | null;
  /** The adaptive minimum so far; null before the first posting. */
  floor: number | null;
  /** Net votes of articles when they last stood in this digest. */
  featured: Readonly<Record<string, number>>;
  /** The guild's interesting mark. */
  mark: number;
};

export type Choice = {
  chosen: Chosen[];
  /** The adaptive minimum for the next posting. */
  floor: number | null;
};

/** How much the last posting weighs in the adaptive minimum. */
const FLOOR_WEIGHT = 0.3;

/**
 * The articles of an edition in their order, from candidates in order of score.
 * Without articles of other groups one group may fill it; otherwise it has half the places, and
 * three at least, before the others have had theirs.
 */
export function chooseArticles(candidates: readonly Article[], wish: Wish): Choice {
  const news = candidates.flatMap((article) => asNews(article, wish) ?? []);
  const floor = wish.minimum === 'adaptive' ? adaptedFloor(news, wish) : wish.floor;
  const least = wish.minimum === 'adaptive' ? (wish.floor ?? floor) : wish.minimum;
  const qualified = news.filter(({ article }) => least === null || netVotes(article) >= least);
  const places = wish.minimum === 'adaptive' ? MOST_ARTICLES : wish.count;
  return { chosen: seated(orders[wish.selection](qualified, wish.mark), places), floor };
}

export function netVotes({ up, down }: Pick<Article, 'up' | 'down'>): number {
  return up - down;
}

/**
 * An article stands in a digest once, unless it moved much since: by a tenth of the interesting
 * mark, and by no less than it had then.
 */
function asNews(article: Article, { featured, mark }: Wish): Chosen | null {
  const before = featured[article.id];
  if (before === undefined) return { article, movedBy: null };
  const movedBy = netVotes(article) - before;
  return movedBy >= Math.max(mark / 10, before) ? { article, movedBy } : null;
}

/** A running mean of what the last article within the wanted number had. */
function adaptedFloor(news: Chosen[], { count, floor }: Wish): number {
  const votes = news.map(({ article }) => netVotes(article)).sort((a, b) => b - a);
  const wouldDo = votes[count - 1] ?? 0;
  return floor === null ? wouldDo : floor * (1 - FLOOR_WEIGHT) + wouldDo * FLOOR_WEIGHT;
}

const orders: Record<Selection, (chosen: Chosen[], mark: number) => Chosen[]> = {
  score: (chosen) => chosen,
  front,
  votes: (chosen) => chosen.toSorted((a, b) => netVotes(b.article) - netVotes(a.article)),
  interesting: (chosen) =>
    chosen
      .filter(({ article }) => article.interesting)
      .toSorted((a, b) => b.article.postedAtMs - a.article.postedAtMs),
};

/** As the guild's front page has them, measured within these articles. */
function front(chosen: Chosen[], mark: number): Chosen[] {
  const byId = new Map(chosen.map((each) => [each.article.id, each]));
  const articles = chosen.map(({ article }) => article);
  return inFrontOrder(articles, mark).map(({ id }) => byId.get(id)!);
}

/** Keeps the order; who is over the group's share waits until the others are seated. */
function seated(chosen: Chosen[], places: number): Chosen[] {
  const share = Math.max(3, Math.ceil(places / 2));
  const taken = new Map<string, number>();
  const [first, waiting]: [Set<Chosen>, Chosen[]] = [new Set(), []];
  for (const each of chosen) {
    const { home } = each.article;
    const of = taken.get(home) ?? 0;
    if (of < share && first.size < places) {
      taken.set(home, of + 1);
      first.add(each);
    } else waiting.push(each);
  }
  for (const each of waiting) if (first.size < places) first.add(each);
  return chosen.filter((each) => first.has(each));
}
