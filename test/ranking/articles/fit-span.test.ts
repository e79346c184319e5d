import { describe, expect, test } from 'vitest';
import { readStarredShare, readVotesKnown } from '../../../src/ranking/articles/fit-sample.ts';
import { fittedSpan, readPosting } from '../../../src/ranking/articles/fit-span.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { idAt, NOON, post, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();

/** A guild that posts so many articles a day. */
const at = (articlesADay: number) => ({ articles: Math.round(articlesADay * 30), days: 30 });

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
      expect(fittedSpan(null, at(rate))).toBe(days);
    },
  );

  test('the span moves only when another step is clearly nearer', () => {
    expect(fittedSpan(5, at(10))).toBe(3);
    expect(fittedSpan(1, at(20))).toBe(1);
    expect(fittedSpan(1, at(19))).toBe(2);
    expect(fittedSpan(2, at(22))).toBe(2);
    expect(fittedSpan(2, at(23))).toBe(1);
    expect(fittedSpan(2, at(30))).toBe(1);
    expect(fittedSpan(1, at(6))).toBe(5);
  });

  test('the span goes by the articles of the last 30 days', async () => {
    const guild = setup.newGuild();
    for (const daysAgo of [40, 29, 20, 1]) {
      await post(setup.ranking, guild, { id: idAt(NOON - daysAgo * DAY_MS) });
    }
    await post(setup.ranking, guild, { id: idAt(NOON - DAY_MS), listed: false });
    expect(await readPosting(setup.ranking, { guild }, NOON)).toEqual({ articles: 3, days: 30 });
  });

  test('the span of a young guild goes by the days since its first article, at least one', async () => {
    const guild = setup.newGuild();
    expect(await readPosting(setup.ranking, { guild }, NOON)).toMatchObject({ articles: 0 });
    await post(setup.ranking, guild, { id: idAt(NOON - DAY_MS / 4) });
    expect(await readPosting(setup.ranking, { guild }, NOON)).toEqual({ articles: 1, days: 1 });
    await post(setup.ranking, guild, { id: idAt(NOON - 4 * DAY_MS) });
    expect(await readPosting(setup.ranking, { guild }, NOON)).toEqual({ articles: 2, days: 4 });
  });
});

test('the mark goes by what closed in the last 30 days, and by what is in voting until thirty are closed', async () => {
  const guild = setup.newGuild();
  const closed = (daysAgo: number, up: number) =>
    post(setup.ranking, guild, {
      id: idAt(NOON - daysAgo * DAY_MS),
      tally: { up, down: 0, closed: true, starred: true },
    });
  await closed(60, 500);
  await closed(36, 3);
  await post(setup.ranking, guild, {
    id: idAt(NOON - DAY_MS),
    tally: { up: 7, down: 0, closed: false },
  });
  for (const of of [{ guild }, { guild, group: RUST }]) {
    const known = await readVotesKnown(setup.ranking, of, NOON);
    expect(known).toEqual({ closed: [3], inVoting: [7] });
  }
  expect(await readStarredShare(setup.ranking, guild, NOON)).toEqual({ starred: 0, of: 1 });
  await Promise.all(Array.from({ length: 29 }, () => closed(20, 4)));
  expect((await readVotesKnown(setup.ranking, { guild }, NOON)).inVoting).toEqual([]);
  expect(await readStarredShare(setup.ranking, guild, NOON)).toEqual({ starred: 29, of: 30 });
});
