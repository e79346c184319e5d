import { describe, expect, test } from 'vitest';
import { chooseArticles, type Wish } from '../../../src/digest/content/select.ts';
import type { Article } from '../../../src/ranking/articles/articles.ts';

const plain: Wish = {
  count: 3,
  selection: 'score',
  minimum: null,
  floor: null,
  mark: 200,
};

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
  return article(Number(BigInt(n) << 22n), up, home, { id: String(BigInt(n) << 22n) });
}

/** Ids, chosen from candidates given in order of score. */
function ids(candidates: Article[], wish: Partial<Wish> = {}): string[] {
  return chooseArticles(candidates, { ...plain, ...wish }).chosen.map(({ id }) => id);
}

describe('the choice', () => {
  test('is the best by score, as many as wanted', () => {
    const candidates = [article(4, 9), article(3, 7), article(2, 5), article(1, 3)];
    expect(ids(candidates)).toEqual(['4', '3', '2']);
    expect(ids([])).toEqual([]);
  });

  test('of most votes goes by net votes', () => {
    const candidates = [article(900, 4), article(2, 5, 'a', { up: 9, down: 4 }), article(1, 6)];
    expect(ids(candidates, { selection: 'votes' })).toEqual(['1', '2', '900']);
  });

  test('of interesting ones has the newest first, and no others', () => {
    const candidates = [article(1, 900), article(3, 300), article(2, 250), article(4, 199)];
    expect(ids(candidates, { selection: 'interesting' })).toEqual(['3', '2', '1']);
  });

  test('that is fair between groups measures votes against those of their own group', () => {
    // By score alone all of the loud group would come first.
    const loud = [posted(6, 900, 'a'), posted(5, 800, 'a'), posted(4, 700, 'a')];
    const quiet = [posted(3, 400, 'b'), posted(2, 20, 'b')];
    const chosen = ids([...loud, ...quiet], { selection: 'front', count: 5 });
    const order = chosen.map((id) => Number(BigInt(id) >> 22n));
    expect(order).toEqual([3, 6, 5, 4, 2]);
  });

  test('gives a loud group half the places as long as others have articles', () => {
    const loud = Array.from({ length: 10 }, (_, at) => article(100 - at, 50 - at));
    const quiet = [article(1, 1, 'b'), article(2, 1, 'c')];
    expect(ids([...loud, ...quiet], { count: 8 })).toEqual([
      '100',
      '99',
      '98',
      '97',
      '96',
      '95',
      '1',
      '2',
    ]);
    expect(ids(loud, { count: 8 })).toHaveLength(8);
  });

  test('leaves out what has fewer net votes than the minimum', () => {
    const candidates = [article(3, 5), article(2, 4, 'a', { down: 2 }), article(1, 3)];
    expect(ids(candidates, { minimum: 3 })).toEqual(['3', '1']);
    expect(ids(candidates, { minimum: 6 })).toEqual([]);
  });
});

describe('the adaptive minimum', () => {
  test('lets about the wanted number pass once it has seen a few postings', () => {
    const wish: Wish = { ...plain, minimum: 'adaptive', count: 4 };
    let floor: number | null = null;
    const passed: number[] = [];
    for (let day = 0; day < 8; day += 1) {
      // A day with more or fewer articles, and votes that are more or fewer.
      const votes = Array.from({ length: 12 + (day % 3) }, (_, at) => 3 * at + (day % 4));
      const candidates = votes
        .toReversed()
        .map((up, at) => article(1000 * day + 100 - at, up, `${at}`));
      const choice = chooseArticles(candidates, { ...wish, floor });
      ({ floor } = choice);
      passed.push(choice.chosen.length);
    }
    for (const count of passed) expect(Math.abs(count - 4)).toBeLessThanOrEqual(2);
  });

  test('lets few pass on a quiet day', () => {
    const quiet = [article(3, 9), article(2, 2), article(1, 1)];
    expect(ids(quiet, { minimum: 'adaptive', floor: 8, count: 4 })).toEqual(['3']);
  });
});
