import { describe, expect, test } from 'vitest';
import { simulate } from '../../../bench/mark.ts';
import { fittedMark, markByMembers } from '../../../src/ranking/articles/fit-mark.ts';

/** So many closed articles, of which one in so many reached the mark. */
function ups(count: number, share: number, mark: number): number[] {
  return Array.from({ length: count }, (_, at) => (at < count * share ? mark : 1));
}

describe('the mark', () => {
  test.each([
    [200, 0.05, 200],
    [200, 0.03, 200],
    [200, 0.08, 200],
    [200, 0.09, 200],
    [200, 0, 120],
  ])('the mark of %i with a share of %d becomes %i', (mark, share, expected) => {
    expect(fittedMark(mark, { ups: ups(100, share, mark), members: 1 })).toBe(expected);
  });

  test('the mark moves by one step, whatever the votes', () => {
    const all = Array.from({ length: 100 }, () => 5000);
    expect(fittedMark(20, { ups: all, members: 1 })).toBe(30);
    expect(fittedMark(2000, { ups: all, members: 1 })).toBe(2000);
    const none = Array.from({ length: 100 }, () => 1);
    expect(fittedMark(3, { ups: none, members: 1 })).toBe(3);
  });

  test('the mark goes by the members before thirty articles are closed', () => {
    expect([10, 100, 1000, 40_000, 10_000_000].map(markByMembers)).toEqual([3, 12, 30, 200, 2000]);
    expect(fittedMark(200, { ups: ups(29, 1, 500), members: 100 })).toBe(120);
  });

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
