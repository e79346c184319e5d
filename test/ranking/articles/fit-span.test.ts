import { describe, expect, test } from 'vitest';
import { fittedSpan, readPosting } from '../../../src/ranking/articles/fit-span.ts';
import { scoreOf, type Span, SPANS, VOTING_OPEN_MS } from '../../../src/ranking/rules.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { idAt, NOON, post, useRanking } from '../test-ranking.ts';

const setup = useRanking();

/** A guild that posts so many articles a day. */
const at = (articlesADay: number) => ({ articles: Math.round(articlesADay * 30), days: 30 });

/** Of which no page is known. */
const NO_PAGES = { sample: [], mark: 20, now: NOON };

/** 100 articles a day for a month. One in a hundred has half of `most` net votes or more, one in ten a tenth. */
function pagesOf(most: number): Parameters<typeof fittedSpan>[2] {
  const sample = Array.from({ length: 3000 }, (_, n) => {
    const postedAtMs = NOON - (n + 1) * 0.01 * DAY_MS;
    // Spread evenly, and the same in each run.
    const share = (n * 0.618_034) % 1;
    const up = 1 + Math.round((most * 0.01) / (0.01 + share));
    return { postedAtMs, closesAtMs: postedAtMs + VOTING_OPEN_MS, up, down: 1 };
  });
  return { sample, mark: 20, now: NOON };
}

/** The average age of the ten that rank first now, in days. */
function ageOfTen(spanDays: Span, { sample, mark, now }: ReturnType<typeof pagesOf>): number {
  const score = (one: (typeof sample)[number]) =>
    scoreOf(one, one.postedAtMs / 1000, { mark, spanDays });
  const ten = sample.toSorted((a, b) => score(b) - score(a)).slice(0, 10);
  return ten.reduce((sum, { postedAtMs }) => sum + (now - postedAtMs) / DAY_MS, 0) / 10;
}

describe('the span', () => {
  test.each([
    [700, 1],
    [30, 1],
    [22, 1],
    [20, 2],
    [13, 2],
    [10, 3],
    [6, 5],
    [5, 7],
    [1, 7],
    [0, 7],
  ])(
    'the span of a guild that posts %d articles a day is the step nearest to the time of three pages: %d days',
    (rate, days) => {
      expect(fittedSpan(null, at(rate), NO_PAGES)).toBe(days);
    },
  );

  test('the span moves only when another step is clearly nearer', () => {
    expect(fittedSpan(5, at(10), NO_PAGES)).toBe(3);
    expect(fittedSpan(1, at(20), NO_PAGES)).toBe(1);
    expect(fittedSpan(1, at(19), NO_PAGES)).toBe(2);
    expect(fittedSpan(2, at(22), NO_PAGES)).toBe(2);
    expect(fittedSpan(2, at(23), NO_PAGES)).toBe(1);
    expect(fittedSpan(2, at(30), NO_PAGES)).toBe(1);
    expect(fittedSpan(1, at(6), NO_PAGES)).toBe(5);
  });

  test.each([
    [100, 1],
    [300, 0.5],
    [1000, 0.125],
    [3000, 0.03125],
  ])(
    'the span of a guild that posts much, where the best get %d votes beside a mark of 20, is %d days: the first page is about a day old',
    (most, days) => {
      const pages = pagesOf(most);
      for (const before of [null, 0.25, 7] as const) {
        const span = fittedSpan(before, at(100), pages);
        expect(ageOfTen(span, pages)).toBeGreaterThan(0.5);
        expect(ageOfTen(span, pages)).toBeLessThan(2);
      }
      expect(fittedSpan(null, at(100), pages)).toBe(days);
    },
  );

  test('the span of a guild that posts much and hardly votes is a day', () => {
    for (const before of [null, 0.03125, 1] as const) {
      expect(fittedSpan(before, at(100), pagesOf(0))).toBe(1);
    }
  });

  test('the span below a day stays while the first page is between 16 and 36 hours old', () => {
    const pages = pagesOf(1000);
    const fresh = SPANS.filter(
      (span) => span <= 1 && Math.abs(Math.log(ageOfTen(span, pages))) < Math.log(1.4),
    );
    expect(fresh).not.toEqual([]);
    expect(fresh.map((span) => fittedSpan(span, at(100), pages))).toEqual(fresh);
  });

  test('the span grows to a day and more again when a guild that posted much posts little', () => {
    expect(fittedSpan(0.125, at(25), NO_PAGES)).toBe(0.125);
    expect(fittedSpan(0.125, at(6), pagesOf(1000))).toBe(5);
    expect(fittedSpan(5, at(100), pagesOf(1000))).toBe(0.125);
  });

  test('the span goes by the articles of the last 30 days', async () => {
    const guild = setup.newGuild();
    for (const daysAgo of [40, 29, 20, 1]) {
      await post(setup.ranking, guild, { id: idAt(NOON - daysAgo * DAY_MS) });
    }
    await post(setup.ranking, guild, { id: idAt(NOON - DAY_MS), listed: false });
    expect(await readPosting(setup.ranking, guild, NOON)).toEqual({ articles: 3, days: 30 });
  });

  test('the span of a young guild goes by the days since its first article, at least one', async () => {
    const guild = setup.newGuild();
    expect(await readPosting(setup.ranking, guild, NOON)).toMatchObject({ articles: 0 });
    await post(setup.ranking, guild, { id: idAt(NOON - DAY_MS / 4) });
    expect(await readPosting(setup.ranking, guild, NOON)).toEqual({ articles: 1, days: 1 });
    await post(setup.ranking, guild, { id: idAt(NOON - 4 * DAY_MS) });
    expect(await readPosting(setup.ranking, guild, NOON)).toEqual({ articles: 2, days: 4 });
  });
});
