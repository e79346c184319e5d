import { describe, expect, test } from 'vitest';
import { simulate } from '../../../bench/mark.ts';
import { poisson, randomFrom } from '../../../bench/random.ts';
import { fittedMark, markByMembers } from '../../../src/ranking/articles/fit-mark.ts';

/** So many closed articles, of which one in so many reached the mark. */
function ups(count: number, share: number, mark: number): number[] {
  return Array.from({ length: count }, (_, at) => (at < count * share ? mark : 1));
}

const of = (closed: readonly number[], inVoting: readonly number[] = [], members = 1) => ({
  closed,
  inVoting,
  members,
});

describe('the mark', () => {
  test.each([
    [200, 0.05, 200],
    [200, 0.03, 200],
    [200, 0.08, 200],
    [200, 0.09, 200],
    [200, 0, 120],
  ])('the mark of %i with a share of %d becomes %i', (mark, share, expected) => {
    expect(fittedMark(mark, of(ups(100, share, mark)))).toBe(expected);
  });

  test('the mark moves by one step, whatever the votes', () => {
    const all = Array.from({ length: 100 }, () => 5000);
    expect(fittedMark(20, of(all))).toBe(30);
    expect(fittedMark(2000, of(all))).toBe(2000);
    const none = Array.from({ length: 100 }, () => 1);
    expect(fittedMark(3, of(none))).toBe(3);
  });

  test('the mark goes by the members before ten articles are known', () => {
    expect([10, 100, 1000, 40_000, 10_000_000].map(markByMembers)).toEqual([3, 12, 30, 200, 2000]);
    expect(fittedMark(200, of(ups(4, 1, 500), ups(5, 1, 500), 100))).toBe(120);
    expect(fittedMark(200, of(ups(5, 1, 500), ups(5, 1, 500), 100))).toBe(300);
  });

  test('the mark goes by articles in voting too until thirty are closed, and is a step higher then', () => {
    // A third of the articles has three votes, one in ten has five.
    const early = [...ups(10, 0.1, 5), ...ups(20, 0.5, 3)];
    expect(fittedMark(3, of([], early))).toBe(5);
    expect(fittedMark(5, of([], early))).toBe(8);
    expect(fittedMark(8, of([], early))).toBe(8);
    expect(fittedMark(3, of([], ups(30, 0.05, 3)))).toBe(3);
    expect(fittedMark(5, of([], ups(40, 0.05, 3)))).toBe(5);
    expect(fittedMark(8, of([], ups(40, 0.05, 5)))).toBe(8);
    expect(fittedMark(5, of(ups(29, 0.05, 5), ups(9, 1, 500)))).toBe(8);
    expect(fittedMark(5, of(ups(30, 0.05, 5), ups(500, 1, 500)))).toBe(5);
  });

  test.each([0.8, 1.3, 3])(
    'a server of 13 members that posts twice a day has few ★ from its third week on, where an article gets about %d votes',
    (votes) => {
      const random = randomFrom(votes);
      const posts: { day: number; wanted: number; up: number; isStarred?: boolean }[] = [];
      let mark = markByMembers(13);
      for (let day = 0; day < 20; day += 1) {
        for (let left = poisson(2.15, random); left > 0; left -= 1) {
          const worth = 0.6 * votes * (1 - random()) ** (-1 / 1.6);
          posts.push({ day, wanted: Math.min(12, poisson(worth, random)), up: 1 });
        }
        for (const post of posts) {
          if (day - post.day < 7)
            post.up = 1 + Math.round(post.wanted * Math.min(1, (day - post.day + 1) / 4));
          else post.isStarred ??= post.up >= mark;
        }
        const upsOf = (isClosed: boolean) =>
          posts.filter((post) => (post.isStarred !== undefined) === isClosed).map(({ up }) => up);
        mark = fittedMark(mark, of(upsOf(true), upsOf(false), 13));
      }
      const starred = posts.filter(({ up, isStarred }) => isStarred ?? up >= mark).length;
      expect(posts.filter(({ up }) => up >= 3).length).toBeGreaterThanOrEqual(posts.length / 6);
      expect(starred).toBeLessThanOrEqual(0.12 * posts.length);
    },
  );

  test.each([30, 300, 3000])(
    'the mark comes to fit a community of %i voters, and rests then',
    (voters) => {
      const { share, outranksDays, fittedOnDay, movesAfter } = simulate(voters);
      expect(share).toBeGreaterThan(0.03);
      expect(share).toBeLessThan(0.08);
      expect(outranksDays).toBeGreaterThan(0.5);
      expect(outranksDays).toBeLessThan(2.5);
      expect(fittedOnDay).toBeLessThan(30);
      expect(movesAfter).toBeLessThanOrEqual(5);
    },
  );
});
