import { EventEmitter, once } from 'node:events';
import type { Redis } from 'ioredis';
import { afterEach, expect, test, vi } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { connectRedis } from '../../../src/redis/connection.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { changeGroup } from '../../../src/ranking/articles/groups.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import type { List } from '../../../src/ranking/lists/read-list.ts';
import { readOutcomes } from '../../../src/ranking/outcomes.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { openRanking, type Ranking } from '../../../src/ranking/ranking.ts';
import { TopLists } from '../../../src/ranking/lists/top-lists.ts';
import { commandstats, resetCommandstats } from '../../fixtures/commandstats.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import {
  AI,
  APPLICATION,
  idAt,
  member,
  NOON,
  post,
  RUST,
  setListed,
  useRanking,
} from '../test-ranking.ts';

const setup = useRanking();
const opened: { redis: Redis; lists?: TopLists }[] = [];

afterEach(() => {
  for (const { redis, lists } of opened.splice(0)) {
    lists?.stop();
    redis.disconnect();
  }
});

function connect(): Redis {
  const redis = connectRedis(setup.server.url, { log: createLog('silent'), name: 'test' });
  opened.push({ redis });
  return redis;
}

/** What another process has: a ranking and top lists of its own. */
function openProcess(): { ranking: Ranking; lists: TopLists } {
  const ranking = openRanking({ redis: connect(), applicationId: APPLICATION });
  const lists = new TopLists(ranking, { now: () => NOON });
  opened.at(-1)!.lists = lists;
  return { ranking, lists };
}

/** Cached lists are read again after a minute, without any message. */
const soon = { timeout: 30_000 };

const ORDERS = ['score', 'score-asc', 'time', 'time-asc'] as const;

async function expectEqual(lists: TopLists, ranking: Ranking, guild: string): Promise<void> {
  for (const order of ORDERS) {
    for (const group of [undefined, RUST, AI]) {
      const base = { guild, order, page: 1, pageSize: 100, ...(group ? { group } : {}) };
      const wanted = await listArticles(ranking, base);
      // The messages of the last changes are on their way.
      await expect
        .poll(async () => (await lists.page(base)).articles, soon)
        .toEqual(wanted.articles);
    }
  }
}

test.each([40, 450])('with %i articles the cached lists equal Redis after quiet', async (count) => {
  const guild = setup.newGuild();
  const here = openProcess();
  const there = openProcess();
  const articles: string[] = [];
  for (let i = 0; i < count; i++) {
    const id = idAt(NOON + i * 60_000);
    articles.push(await post(here.ranking, guild, { id, groups: i % 3 === 0 ? [AI] : [] }));
  }
  const reader = openProcess();
  await expectEqual(reader.lists, here.ranking, guild);
  let random = 12345;
  const next = (below: number) => (random = (random * 1_103_515_245 + 12_345) % 2 ** 31) % below;
  for (let round = 0; round < 6; round++) {
    const votes = Array.from({ length: 150 }, () => {
      const { ranking } = next(2) === 0 ? here : there;
      const article = articles[next(articles.length)]!;
      const vote = (['up', 'down', 'none'] as const)[next(3)]!;
      return setVote(ranking, { guild, article, member: member(next(50)), vote }, NOON);
    });
    await Promise.all(votes);
    const id = idAt(NOON + (count + round) * 60_000);
    articles.push(await post(there.ranking, guild, { id }));
    await deleteArticle(here.ranking, guild, articles.splice(next(articles.length), 1)[0]!);
    for (const article of articles.slice(0, 5)) {
      await changeGroup(here.ranking, { guild, article, group: AI }, round % 2 ? 'remove' : 'add');
    }
    await Promise.all(
      [reader, here, there].map(({ lists }) =>
        lists.page({ guild, order: 'score', page: 1, pageSize: 25 }),
      ),
    );
  }
  await expectEqual(reader.lists, here.ranking, guild);
  await expectEqual(there.lists, here.ranking, guild);
});

test('a page beyond two hundred is read from Redis', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  for (let i = 0; i < 230; i++) await post(ranking, guild, { id: idAt(NOON + i * 1000) });
  // A page tells the guild's version, which moves when changes are told.
  await ranking.changes.flush();
  const list = { guild, order: 'time-asc', page: 23, pageSize: 10 } as const;
  expect(await lists.page(list)).toEqual(await listArticles(ranking, list));
  expect((await lists.page({ ...list, page: 24 })).articles).toEqual([]);
});

test('a first page costs no round trip once the list is cached', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  const article = await post(ranking, guild);
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  await lists.page(list);
  await ranking.changes.flush();
  const commands = async () => {
    await resetCommandstats(setup.server.redis);
    expect((await lists.page(list)).articles.map(({ id }) => id)).toEqual([article]);
    return commandstats(setup.server.redis);
  };
  await expect.poll(commands, soon).not.toContain('evalsha');
});

test('a message that was missed makes the list be read again', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  const first = await post(ranking, guild);
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  await expectEqual(lists, ranking, guild);
  // Another process changed something and its message was lost; then comes the next.
  const silent = openRanking({ redis: connect(), applicationId: APPLICATION });
  silent.changes.note = () => {};
  const second = await post(silent, guild, { id: idAt(NOON + 1000) });
  await setVote(ranking, { guild, article: first, member: member(1), vote: 'up' }, NOON);
  await expect
    .poll(async () => (await lists.page(list)).articles.map(({ id }) => id), soon)
    .toEqual([first, second]);
});

// Of a cluster, the driver does not tell that this connection broke: a minute makes up for it.
test.skipIf(process.env['TEST_REDIS'] === 'cluster')(
  'what was cached before the connection for messages broke is read again, under another stamp',
  async () => {
    const guild = setup.newGuild();
    const { ranking, lists } = openProcess();
    await expect.poll(() => lists.stamp(guild), soon).not.toBeNull();
    const atFirst = lists.stamp(guild)!;
    await post(ranking, guild);
    await ranking.changes.flush();
    await expect.poll(() => lists.stamp(guild), soon).toBeGreaterThan(atFirst);
    const before = lists.stamp(guild)!;
    const total = async () =>
      (await lists.page({ guild, order: 'score', page: 1, pageSize: 10 })).total;
    expect(await total()).toBe(1);
    const silent = openRanking({ redis: connect(), applicationId: APPLICATION });
    silent.changes.note = () => {};
    await post(silent, guild);
    expect(await total()).toBe(1);
    await setup.server.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await expect.poll(() => lists.stamp(guild), soon).toBeNull();
    await expect.poll(() => lists.stamp(guild), soon).not.toBeNull();
    expect(lists.stamp(guild)).toBeGreaterThan(before);
    expect(await total()).toBe(2);
  },
);

test.skipIf(process.env['TEST_REDIS'] === 'cluster')(
  'what others planned is looked at again when the connection for messages is back, though nobody reads a list',
  async () => {
    const { lists } = openProcess();
    const planned: [string | null, number][] = [];
    lists.onPlanned((of, atMs) => planned.push([of, atMs]));
    const anyGuild: [null, number] = [null, 0];
    await expect.poll(() => planned, soon).toEqual([anyGuild]);
    await setup.server.redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await expect.poll(() => planned, soon).toEqual([anyGuild, anyGuild]);
  },
);

test('a list is read again after a minute, though the message of a change was lost', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  await post(ranking, guild);
  await ranking.changes.flush();
  await expect.poll(() => lists.stamp(guild), soon).not.toBeNull();
  const silent = openRanking({ redis: connect(), applicationId: APPLICATION });
  silent.changes.note = () => {};
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  const timers = vi.spyOn(globalThis, 'setTimeout');
  await lists.page(list);
  const [[minuteIsOver] = []] = timers.mock.calls.filter(([, ms]) => ms === 60_000);
  timers.mockRestore();
  await post(silent, guild);
  expect((await lists.page(list)).total).toBe(1);
  minuteIsOver?.();
  expect((await lists.page(list)).total).toBe(2);
});

test('fifty who ask at once wait for one read', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  await post(ranking, guild);
  await ranking.changes.flush();
  await expect.poll(() => lists.stamp(guild), soon).not.toBeNull();
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  // From now on the server knows the script.
  await listArticles(ranking, list);
  await resetCommandstats(setup.server.redis);
  const pages = await Promise.all(Array.from({ length: 50 }, () => lists.page(list)));
  expect(pages.every(({ articles }) => articles.length === 1)).toBe(true);
  expect(await commandstats(setup.server.redis)).toContain('cmdstat_evalsha:calls=1,');
});

test('a list that was being read when a message came is not cached', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  const article = await post(ranking, guild);
  await ranking.changes.flush();
  const heard = () => expect.poll(() => lists.stamp(guild), soon);
  await heard().not.toBeNull();
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  // The connection learns the script.
  await listArticles(ranking, list);
  // The reply waits on its way until the message is there.
  const redis = ranking.redis as unknown as { readPage: (...given: unknown[]) => Promise<unknown> };
  const readPage = redis.readPage.bind(redis);
  const messages = new EventEmitter();
  const arrives = once(messages, 'message');
  redis.readPage = async (...given) => {
    const reply = await readPage(...given);
    await arrives;
    return reply;
  };
  const asked = lists.page(list);
  const stamp = lists.stamp(guild);
  const there = openProcess();
  await setVote(there.ranking, { guild, article, member: member(1), vote: 'up' }, NOON);
  await there.ranking.changes.flush();
  await heard().not.toBe(stamp);
  messages.emit('message');
  await asked;
  expect((await lists.page(list)).articles[0]?.up).toBe(2);
});

test('a new mark, and a channel that is hidden, reach the cached lists', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  for (let i = 0; i < 20; i++) {
    const tally = { up: 20 - i, down: 0, closed: false };
    await post(ranking, guild, { id: idAt(NOON + i * 3_600_000), tally });
  }
  const elsewhere = await post(ranking, guild, { home: AI });
  await expectEqual(lists, ranking, guild);
  await setScale(ranking, guild, { mark: 20 });
  await expectEqual(lists, ranking, guild);
  await setListed(ranking, { guild, home: RUST, listed: false });
  await expectEqual(lists, ranking, guild);
  const { articles } = await lists.page({ guild, order: 'score', page: 1, pageSize: 10 });
  expect(articles.map(({ id }) => id)).toEqual([elsewhere]);
});

test('a cached list leaves out what stands in a channel that closed, before a change of it is told', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  await post(ranking, guild);
  const open = await post(ranking, guild, { home: AI });
  await ranking.changes.flush();
  await expect.poll(() => lists.stamp(guild), soon).not.toBeNull();
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  expect((await lists.page(list)).articles).toHaveLength(2);
  // By another rule, lists are gone through where that differs alone.
  const others = (differs: boolean) =>
    lists
      .by(
        () => false,
        () => differs,
      )
      .page(list);
  expect([(await others(false)).total, (await others(true)).total]).toEqual([2, 0]);
  ranking.isListed = (_, home) => home === AI;
  expect((await lists.page(list)).articles.map(({ id }) => id)).toEqual([open]);
});

test('whoever votes sees it in the cached list at once', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  const first = await post(ranking, guild);
  const second = await post(ranking, guild, { id: idAt(NOON + 1000) });
  await expectEqual(lists, ranking, guild);
  const list = { guild, order: 'score', page: 1, pageSize: 10 } as const;
  for (let m = 0; m < 20; m++) {
    const article = m % 2 ? first : second;
    for (const who of [2 * m, 2 * m + 1]) {
      await setVote(ranking, { guild, article, member: member(who), vote: 'up' }, NOON);
    }
    if (m % 5 === 0) await ranking.changes.flush();
    const { articles } = await lists.page(list);
    expect(articles).toEqual((await listArticles(ranking, list)).articles);
  }
});

test('a stamp stays while nothing happens, and is another one after every change, whoever made it', async () => {
  const guild = setup.newGuild();
  const here = openProcess();
  const there = openProcess();
  const article = await post(there.ranking, guild, { id: idAt(NOON) });
  await there.ranking.changes.flush();
  await expect.poll(() => here.lists.stamp(guild), soon).not.toBeNull();
  const before = here.lists.stamp(guild);
  await here.lists.page({ guild, order: 'score', page: 1, pageSize: 10 });
  expect(here.lists.stamp(guild)).toBe(before);

  await setVote(there.ranking, { guild, article, member: member(1), vote: 'up' }, NOON);
  await expect.poll(() => here.lists.stamp(guild), soon).not.toBe(before);
  const after = here.lists.stamp(guild);

  await deleteArticle(here.ranking, guild, article);
  await expect.poll(() => here.lists.stamp(guild), soon).toBeGreaterThan(after ?? 0);
});

test('of the rows that one process planned, the others are told the first, and it is not told itself', async () => {
  const guild = setup.newGuild();
  const [here, there] = [openProcess(), openProcess()];
  const heard = [here, there].map(({ lists }) => {
    const planned: [string | null, number][] = [];
    lists.onPlanned((of, atMs) => planned.push([of, atMs]));
    return planned;
  });
  const all: [string | null, number][] = [[null, 0]];
  for (const planned of heard) await expect.poll(() => planned, soon).toEqual(all);
  for (const times of [
    [5, 9000],
    [9000, 6],
  ]) {
    for (const atMs of times) here.ranking.changes.notePlanned(guild, atMs);
    await here.ranking.changes.flush();
    all.push([guild, Math.min(...times)]);
    await expect.poll(() => heard[1], soon).toEqual(all);
  }
  expect(heard[0]).toEqual([[null, 0]]);
});

test('the places that count are those of the guild’s list, from its first page on', async () => {
  const guild = setup.newGuild();
  const { ranking, lists } = openProcess();
  const two = { up: 2, down: 0, closed: false };
  const [best, second] = [
    await post(ranking, guild, { tally: { ...two, up: 9 } }),
    await post(ranking, guild, { home: AI, tally: two }),
  ];
  const places = async () => {
    const outcomes = await readOutcomes(ranking, guild, [best, second]);
    return outcomes.map((outcome) => outcome.best);
  };
  const list = { guild, order: 'score', page: 1, pageSize: 1 } as const;
  const ids = async (other: Partial<List>) =>
    (await lists.page({ ...list, ...other })).articles.map(({ id }) => id);
  const looks = async () => {
    expect(await ids({ group: AI })).toEqual([second]);
    expect(await ids({ page: 2 })).toEqual([second]);
    expect(await ids({ order: 'score-asc' })).toEqual([second]);
  };
  // Before messages are received, lists are read anew.
  await looks();
  await ranking.changes.flush();
  await expect.poll(() => lists.stamp(guild), soon).not.toBeNull();
  expect(await ids({ group: AI })).toEqual([second]);
  await ranking.redis.ping();
  expect(await places()).toEqual([null, null]);
  expect(await ids({})).toEqual([best]);
  await expect.poll(places, soon).toEqual([1, 2]);
});
