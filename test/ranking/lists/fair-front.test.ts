import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { spread } from '../../../src/ranking/lists/fair-front.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import type { Article } from '../../../src/ranking/row.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { AI, idAt, member, NOON, post, RUST, setListed, useRanking } from '../test-ranking.ts';

const setup = useRanking();
const HOUR = 3_600_000;
const minutesAgo = (minutes: number) => idAt(NOON - minutes * 60_000);

async function front(guild: string, page = 1, pageSize = 10): Promise<Article[]> {
  const list = { guild, order: 'front', page, pageSize } as const;
  return (await readList(setup.ranking, list, NOON)).articles;
}

async function ids(guild: string): Promise<string[]> {
  return (await front(guild)).map(({ id }) => id);
}

describe('the front order', () => {
  test('the front order with one group is the order by score', async () => {
    const guild = setup.newGuild();
    const old = await post(setup.ranking, guild, { id: idAt(NOON - HOUR) });
    const fresh = await post(setup.ranking, guild, { id: idAt(NOON) });
    const good = await post(setup.ranking, guild, {
      id: idAt(NOON - 2 * HOUR),
      tally: { up: 30, down: 2, closed: false },
    });
    expect(await ids(guild)).toEqual([good, fresh, old]);
  });

  test('the front order follows votes, posts, removals and hidden channels', async () => {
    const guild = setup.newGuild();
    const first = await post(setup.ranking, guild, { id: idAt(NOON - HOUR) });
    const second = await post(setup.ranking, guild, { id: idAt(NOON) });
    expect(await ids(guild)).toEqual([second, first]);
    for (let m = 0; m < 12; m++) {
      const ballot = { guild, article: first, member: member(m), vote: 'up' } as const;
      await setVote(setup.ranking, ballot, NOON);
    }
    expect(await ids(guild)).toEqual([first, second]);
    const third = await post(setup.ranking, guild, { id: idAt(NOON + 5 * HOUR), home: AI });
    expect(await ids(guild)).toEqual([third, first, second]);
    await deleteArticle(setup.ranking, guild, first);
    expect(await ids(guild)).toEqual([third, second]);
    await setListed(setup.ranking, { guild, home: AI, listed: false });
    expect(await ids(guild)).toEqual([second]);
  });

  test('the front order of a single group is in the order of its scores', async () => {
    const guild = setup.newGuild();
    const tally = { down: 0, closed: false };
    await post(setup.ranking, guild, { home: RUST, groups: [AI], tally: { up: 90, ...tally } });
    await post(setup.ranking, guild, { home: RUST, groups: [AI], tally: { up: 80, ...tally } });
    await post(setup.ranking, guild, { home: AI, tally: { up: 20, ...tally } });
    await post(setup.ranking, guild, { home: RUST, tally: { up: 100, ...tally } });
    const list = { guild, group: AI, order: 'front', page: 1, pageSize: 10 } as const;
    const { articles } = await readList(setup.ranking, list, NOON);
    expect(articles.map(({ up }) => up)).toEqual([90, 80, 20]);
  });

  test('the front order takes a channel for as loud as its down votes make it, too', async () => {
    const guild = setup.newGuild();
    const tally = { up: 10, down: 0, closed: false };
    const disputed = { up: 60, down: 60, closed: false };
    await post(setup.ranking, guild, { id: minutesAgo(60), home: RUST, tally: disputed });
    const loud = await post(setup.ranking, guild, { id: minutesAgo(1), home: RUST, tally });
    const quiet = await post(setup.ranking, guild, { id: minutesAgo(2), home: AI, tally });
    await post(setup.ranking, guild, { id: minutesAgo(50), home: AI, tally: { ...tally, up: 60 } });
    const order = await ids(guild);
    expect(order.indexOf(quiet)).toBeLessThan(order.indexOf(loud));
  });

  test('the front order lifts no article of a quiet channel further than votes lift the best of all', async () => {
    const guild = setup.newGuild();
    const best = { up: 20, down: 0, closed: false };
    for (let i = 0; i < 9; i++) {
      await post(setup.ranking, guild, { id: minutesAgo(600 + i), home: RUST, tally: best });
    }
    const tally = { up: 10, down: 0, closed: false };
    const quiet = await post(setup.ranking, guild, { id: minutesAgo(180), home: AI, tally });
    const older = await post(setup.ranking, guild, { id: minutesAgo(130), home: RUST });
    const fresh = await post(setup.ranking, guild, { id: minutesAgo(0), home: RUST });
    const order = await ids(guild);
    expect(order.filter((id) => [quiet, older, fresh].includes(id))).toEqual([fresh, quiet, older]);
  });

  test('the front order has two hundred articles, and pages end there', async () => {
    const guild = setup.newGuild();
    const posts = Array.from({ length: 320 }, (_, i) =>
      post(setup.ranking, guild, { id: idAt(NOON - i * 60_000), home: i % 2 ? AI : RUST }),
    );
    await Promise.all(posts);
    const list = { guild, order: 'front', page: 20, pageSize: 10 } as const;
    const last = await readList(setup.ranking, list, NOON);
    expect(last.total).toBe(200);
    expect(last.articles).toHaveLength(10);
    expect(await front(guild, 21)).toEqual([]);
  });

  test('the front order of a guild without articles is empty', async () => {
    expect(await ids(setup.newGuild())).toEqual([]);
  });
});

test('spreading keeps every article, and at most seven of ten in a row are of one group', () => {
  const homes = fc.array(fc.constantFrom('a', 'a', 'a', 'a', 'b', 'c'), { maxLength: 100 });
  fc.assert(
    fc.property(homes, (order) => {
      const articles = order.map((home, i) => ({ id: String(i), home }) as Article);
      const spreadOut = spread(articles, articles.length);
      expect(new Set(spreadOut)).toEqual(new Set(articles));
      expect(spreadOut).toHaveLength(articles.length);
      const tooMany = spreadOut.filter(({ home }, i) => {
        const ten = spreadOut.slice(Math.max(0, i - 9), i + 1);
        const othersLeft = spreadOut.slice(i).some((article) => article.home !== home);
        return othersLeft && ten.filter((article) => article.home === home).length > 7;
      });
      expect(tooMany).toEqual([]);
    }),
  );
});
