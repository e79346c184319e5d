import { expect, test } from 'vitest';
import { type Order, ORDERS, WEB_ORDERS } from '../../../src/ranking/lists/orders.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { AI, idAt, NOON, post, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();
const HOUR_MS = 3_600_000;

test('each order shows its own list of the same articles, by pages and in a group', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  await setScale(ranking, guild, { mark: 10 });
  const rank = (hours: number, up: number, home: string) =>
    post(ranking, guild, {
      id: idAt(NOON + hours * HOUR_MS),
      home,
      tally: { up, down: 0, closed: false },
    });
  // A vote is worth 2.4 hours.
  const old = await rank(0, 12, RUST);
  const middle = await rank(10, 2, RUST);
  const quiet = await rank(11, 4, AI);
  const fresh = await rank(20, 1, RUST);
  const expected: Record<Order, string[]> = {
    score: [old, fresh, quiet, middle],
    'score-asc': [middle, quiet, fresh, old],
    time: [fresh, quiet, middle, old],
    'time-asc': [old, middle, quiet, fresh],
    interesting: [old],
    // Votes of the quiet group weigh more.
    front: [quiet, old, fresh, middle],
    votes: [old, quiet, middle, fresh],
  };
  for (const order of ORDERS) {
    const list = { guild, order, page: 1, pageSize: 9 } as const;
    const { articles, total } = await readList(ranking, list, NOON + 21 * HOUR_MS);
    expect([order, articles.map(({ id }) => id), total]).toEqual([
      order,
      expected[order],
      expected[order].length,
    ]);
    const of = { ...list, group: RUST };
    const inGroup = await readList(ranking, of, NOON + 21 * HOUR_MS);
    // A group alone is in the order of its scores where an order is for the whole guild.
    const wanted = order === 'front' ? expected.score : expected[order];
    expect([order, inGroup.articles.map(({ id }) => id)]).toEqual([
      order,
      wanted.filter((id) => id !== quiet),
    ]);
  }
});

test('the page on the web offers the orders that are for it, the default first', () => {
  expect(WEB_ORDERS).toEqual(['score', 'time', 'interesting', 'front', 'votes']);
});
