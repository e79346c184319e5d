import { describe, expect, test } from 'vitest';
import {
  bestOpenFirst,
  chooseArticles,
  isBacked,
} from '../../../src/digests/content/candidates.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';
import { secondsOf } from '../../../src/runtime/snowflake.ts';

type Wish = Parameters<typeof chooseArticles>[1];

const plain: Wish = { count: 3, selection: 'score' };

function article(id: number, up: number, home = 'a', more: Partial<Article> = {}): Article {
  return {
    id: String(id),
    title: `Article ${id}`,
    link: 'https://example.com',
    poster: '1',
    channel: home,
    home,
    groups: [home],
    postedAtMs: id * 1000,
    closesAtMs: 0,
    up,
    down: 0,
    score: id + 432 * up,
    interesting: up >= 200,
    locked: false,
    closed: false,
    listed: true,
    ...more,
  };
}

/** With an id of the n-th millisecond. */
function posted(n: number, up: number, home: string): Article {
  const id = String(BigInt(n) << 22n);
  return article(Number(id), up, home, { id, score: secondsOf(id) + 432 * up });
}

/** Ids, chosen from candidates given in order of score. */
function ids(candidates: Article[], wish: Partial<Wish> = {}): string[] {
  return chooseArticles(candidates, { ...plain, ...wish }).map(({ id }) => id);
}

describe('the choice', () => {
  test('the choice is the best by score, as many as wanted', () => {
    const candidates = [article(4, 9), article(3, 7), article(2, 5), article(1, 3)];
    expect(ids(candidates)).toEqual(['4', '3', '2']);
    expect(ids([])).toEqual([]);
  });

  test('the choice of most votes goes by net votes', () => {
    const candidates = [article(900, 4), article(2, 5, 'a', { up: 9, down: 4 }), article(1, 6)];
    expect(ids(candidates, { selection: 'votes' })).toEqual(['1', '2', '900']);
  });

  test('the choice of interesting ones has the newest first, and no others', () => {
    const candidates = [article(1, 900), article(3, 300), article(2, 250), article(4, 199)];
    expect(ids(candidates, { selection: 'interesting' })).toEqual(['3', '2', '1']);
  });

  test('the choice that is fair between groups measures votes against those of their own group', () => {
    // By score alone all of the loud group would come first.
    const loud = [posted(6, 900, 'a'), posted(5, 800, 'a'), posted(4, 700, 'a')];
    const quiet = [posted(3, 400, 'b'), posted(2, 20, 'b')];
    const chosen = ids([...loud, ...quiet], { selection: 'front', count: 5 });
    const order = chosen.map((id) => Number(BigInt(id) >> 22n));
    expect(order).toEqual([3, 6, 5, 4, 2]);
  });

  test('nothing is promoted that only its poster voted for, or that as many are against as for it besides its poster', () => {
    const judged = [
      [1, 0],
      [2, 0],
      [2, 1],
      [3, 1],
      [9, 8],
    ].map(([up = 0, down = 0]) => isBacked(article(1, up, 'a', { down })));
    expect(judged).toEqual([false, true, false, true, false]);
  });

  test('a spoiler leads only where nothing else is there', () => {
    const spoiler = article(3, 9, 'a', { title: '||It was him||' });
    const [second, third] = [article(2, 5), article(1, 3)];
    expect(bestOpenFirst([spoiler, second, third])).toEqual([second, spoiler, third]);
    expect(bestOpenFirst([spoiler])).toEqual([spoiler]);
  });
});
