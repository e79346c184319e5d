import { describe, expect, test } from 'vitest';
import { readArticles, deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { bestPostedBetween } from '../../../src/ranking/articles/posted-between.ts';
import { type Period, PERIODS } from '../../../src/ranking/lists/by-votes.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import { snowflakeTimeMs } from '../../../src/runtime/snowflake.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import {
  AI,
  idAt,
  member,
  NOON,
  post,
  RUST,
  setListed,
  useRanking,
  WEEK,
} from '../test-ranking.ts';

const setup = useRanking();
const DAY = 86_400_000;
const HOUR = DAY / 24;
const LENGTH: Record<Period, number> = { day: DAY, week: WEEK, month: 30 * DAY, ever: Infinity };

async function ids(guild: string, period: Period, now: number, group?: string, pageSize = 100) {
  const list = { guild, order: 'votes' as const, period, page: 1, pageSize };
  const { articles } = await readList(setup.ranking, group ? { ...list, group } : list, now);
  return articles.map(({ id }) => id);
}

/** Posts one article every seven hours for 45 days, closing those of over a week ago, some of them late. */
async function aSeason(guild: string, untilMs: number): Promise<string[]> {
  const posted: string[] = [];
  for (let i = 0; i < 150; i++) {
    const at = untilMs - i * 7 * HOUR - 1000;
    const tally = { up: 1 + ((i * 37) % 23), down: (i * 11) % 7, closed: false };
    const groups = i % 4 === 0 ? [AI] : [];
    posted.push(await post(setup.ranking, guild, { id: idAt(at), tally, groups }));
  }
  const old = posted.filter((id) => snowflakeTimeMs(id) < untilMs - WEEK);
  // The closing job is behind by three.
  for (const id of old.slice(3)) await closeArticle(setup.ranking, guild, id);
  return posted;
}

describe('the order by votes', () => {
  test.each(PERIODS)(
    'the order by votes of a %s has the articles posted in it, open and closed',
    async (period) => {
      const guild = setup.newGuild();
      const posted = await aSeason(guild, NOON);
      for (const group of [undefined, RUST, AI]) {
        const rows = (await readArticles(setup.ranking, guild, posted)).filter(
          (row) => row !== null,
        );
        const wanted = rows
          .filter(({ postedAtMs }) => postedAtMs > NOON - LENGTH[period])
          .filter(({ groups }) => group === undefined || groups.includes(group))
          .sort((a, b) => b.up - b.down - (a.up - a.down) || (a.id < b.id ? 1 : -1))
          .map(({ id }) => id);
        expect(wanted.length).toBeGreaterThan(0);
        expect(await ids(guild, period, NOON, group)).toEqual(wanted.slice(0, 100));
      }
    },
  );

  test('a vote moves an open article at once', async () => {
    const guild = setup.newGuild();
    const first = await post(setup.ranking, guild, { id: idAt(NOON) });
    const second = await post(setup.ranking, guild, { id: idAt(NOON + 1000) });
    expect(await ids(guild, 'day', NOON + HOUR)).toEqual([second, first]);
    const ballot = { guild, article: first, member: member(1), vote: 'up' } as const;
    await setVote(setup.ranking, ballot, NOON + HOUR);
    expect(await ids(guild, 'day', NOON + HOUR)).toEqual([first, second]);
  });

  test('the order by votes pages through the list, and is empty behind its end', async () => {
    const guild = setup.newGuild();
    await aSeason(guild, NOON);
    const whole = await ids(guild, 'ever', NOON, undefined, 150);
    const list = { guild, order: 'votes', pageSize: 40 } as const;
    const pages = [];
    for (const page of [1, 2, 3, 4, 5]) {
      const { articles, total } = await readList(setup.ranking, { ...list, page }, NOON);
      expect(total).toBe(150);
      pages.push(articles.map(({ id }) => id));
    }
    expect(pages.map((page) => page.length)).toEqual([40, 40, 40, 30, 0]);
    expect(pages.flat()).toEqual(whole);
  });

  test('the order by votes keeps the best thousand of all time', async () => {
    const guild = setup.newGuild();
    const posted = await Promise.all(
      Array.from({ length: 1100 }, (_, i) => {
        const tally = { up: 1 + i, down: 0, closed: true };
        return post(setup.ranking, guild, { id: idAt(NOON - 400 * DAY + i * 6 * HOUR), tally });
      }),
    );
    const best = posted.toReversed().slice(0, 1000);
    expect(await ids(guild, 'ever', NOON, undefined, 1000)).toEqual(best);
    await deleteArticle(setup.ranking, guild, best[0]!);
    expect(await ids(guild, 'ever', NOON, undefined, 10)).toEqual(best.slice(1, 11));
  });
});

test('of a year with more articles than are looked at, what was voted most comes first all the same', async () => {
  const guild = setup.newGuild();
  const old = { up: 500, down: 0, closed: true };
  const best = await post(setup.ranking, guild, { id: idAt(NOON - 300 * DAY), tally: old });
  for (const days of [-400, 0, 1])
    await post(setup.ranking, guild, { id: idAt(NOON + days * DAY), tally: { ...old, up: 600 } });
  const newest = [];
  for (const at of [2, 1])
    newest.push(await post(setup.ranking, guild, { id: idAt(NOON - at * DAY) }));
  const year = { guild, fromMs: NOON - 365 * DAY, untilMs: NOON };
  for (const group of [null, RUST]) {
    const found = await bestPostedBetween(setup.ranking, { ...year, group, most: 2 });
    expect(found).toEqual([best, ...newest.toReversed()]);
  }
});

const at = (ms: number) => ({ id: idAt(NOON + ms) });

test('what everyone sees of a time begins and ends with it, newest first of equals, and has nothing of a channel that became hidden', async () => {
  const guild = setup.newGuild();
  await post(setup.ranking, guild, at(-1000));
  const first = await post(setup.ranking, guild, at(0));
  const last = await post(setup.ranking, guild, at(HOUR - 1000));
  const hidden = await post(setup.ranking, guild, { ...at(HOUR / 2), home: AI });
  await post(setup.ranking, guild, at(HOUR));
  const hour = { guild, group: null, fromMs: NOON, untilMs: NOON + HOUR, most: 100 };
  expect(await bestPostedBetween(setup.ranking, hour)).toEqual([last, hidden, first]);
  const shown = { ...setup.ranking, isListed: (_: string, home: string) => home !== AI };
  expect(await bestPostedBetween(shown, hour)).toEqual([last, first]);
  // Nor has a channel's own list what its row hides from everyone.
  const secret = await post(setup.ranking, guild, { ...at(0), home: AI, listed: false });
  const there = { ...hour, group: AI };
  expect(await bestPostedBetween(setup.ranking, there)).toEqual([hidden]);
  await setListed(setup.ranking, { guild, home: AI, listed: true });
  expect(await bestPostedBetween(setup.ranking, there)).toEqual([hidden, secret]);
});
