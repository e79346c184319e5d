import { describe, expect, test } from 'vitest';
import {
  postArticle,
  readArticle,
  readArticles,
  deleteArticle,
} from '../../../src/ranking/articles/articles.ts';
import {
  articlesToClose,
  closeArticle,
  articlesInVoting,
} from '../../../src/ranking/articles/closing.ts';
import { changeGroup, removeGroup } from '../../../src/ranking/articles/groups.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import type { Order } from '../../../src/ranking/lists/orders.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import {
  byScore,
  byTime,
  listArticles,
  topPostedBetween,
  walkList,
} from '../../../src/ranking/lists/ranked.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { commandstats, resetCommandstats } from '../../fixtures/commandstats.ts';
import {
  AI,
  anArticle,
  dump,
  GAMES,
  idAt,
  member,
  NOON,
  post,
  POSTER,
  RUST,
  setListed,
  useRanking,
  WEEK,
} from '../test-ranking.ts';

const setup = useRanking();

async function ids(guild: string, order: Order, group?: string, page = 1, pageSize = 10) {
  const list = { guild, order, page, pageSize };
  const { articles } = await readList(setup.ranking, group ? { ...list, group } : list, NOON);
  return articles.map(({ id }) => id);
}

describe('posting', () => {
  test('posting counts the poster’s up vote and opens voting for a week', async () => {
    const guild = setup.newGuild();
    const article = anArticle(guild, {
      groups: [AI, AI, RUST],
      title: 'Über 中文 🦀\nsecond line',
    });
    const outcome = await postArticle(setup.ranking, article);
    const whole = {
      id: article.id,
      title: 'Über 中文 🦀 second line',
      link: article.link,
      poster: POSTER,
      channel: RUST,
      home: RUST,
      groups: [RUST, AI],
      postedAtMs: NOON,
      closesAtMs: NOON + WEEK,
      up: 1,
      down: 0,
      score: NOON / 1000 + 432,
      interesting: false,
      locked: false,
      closed: false,
      listed: true,
    };
    expect(outcome).toEqual({ status: 'posted' });
    expect(await readArticle(setup.ranking, guild, article.id)).toEqual(whole);
  });

  test('an article that is posted twice changes nothing the second time', async () => {
    const guild = setup.newGuild();
    const article = anArticle(guild);
    await postArticle(setup.ranking, article);
    const before = await dump(setup.ranking, guild);
    expect(await postArticle(setup.ranking, article)).toEqual({ status: 'known' });
    expect(await dump(setup.ranking, guild)).toEqual(before);
  });

  test('posting of one link by fifty callers at once makes one article', async () => {
    const guild = setup.newGuild();
    const articles = Array.from({ length: 50 }, (_, i) =>
      anArticle(guild, { id: idAt(NOON + i), linkName: 'https://example.com/same' }),
    );
    const outcomes = await Promise.all(articles.map((a) => postArticle(setup.ranking, a)));
    const posted = outcomes.filter(({ status }) => status === 'posted');
    expect(posted).toHaveLength(1);
    expect(await ids(guild, 'time')).toHaveLength(1);
    const [first] = await ids(guild, 'time');
    expect(outcomes.filter(({ status }) => status === 'duplicate')).toEqual(
      Array.from({ length: 49 }, () => ({ status: 'duplicate', article: first })),
    );
  });
});

describe('lists', () => {
  test('lists are by score and by time, both ways, in pages', async () => {
    const guild = setup.newGuild();
    const posted: string[] = [];
    for (let i = 0; i < 25; i++) {
      posted.push(await post(setup.ranking, guild, { id: idAt(NOON + i * 1000) }));
    }
    // Each earlier one gets one vote more than needed to overtake the next.
    for (let m = 0; m < 3; m++) {
      const ballot = { guild, article: posted[4]!, member: member(m), vote: 'up' } as const;
      await setVote(setup.ranking, ballot, NOON);
    }
    const ballot = { guild, article: posted[20]!, member: member(1), vote: 'down' } as const;
    await setVote(setup.ranking, ballot, NOON);

    const newest = posted.toReversed();
    const rest = newest.filter((id) => id !== posted[4] && id !== posted[20]);
    const best = [posted[4], ...rest, posted[20]];
    const expected = {
      score: best,
      'score-asc': best.toReversed(),
      time: newest,
      'time-asc': posted,
    };
    for (const order of ['score', 'score-asc', 'time', 'time-asc'] as const) {
      const pages = await Promise.all([1, 2, 3].map((page) => ids(guild, order, undefined, page)));
      expect(pages.map((page) => page.length)).toEqual([10, 10, 5]);
      expect(pages.flat()).toEqual(expected[order]);
      expect(await ids(guild, order, RUST, 1, 25)).toEqual(expected[order]);
    }
  });

  test('articles of one score are in the order of their ids', async () => {
    const guild = setup.newGuild();
    const posted: string[] = [];
    for (let i = 0; i < 5; i++) posted.push(await post(setup.ranking, guild));
    posted.sort();
    expect(await ids(guild, 'score-asc')).toEqual(posted);
    expect(await ids(guild, 'score')).toEqual(posted.toReversed());
  });

  test('a page that is too high, or of an empty list, is empty', async () => {
    const guild = setup.newGuild();
    expect(await ids(guild, 'score')).toEqual([]);
    await post(setup.ranking, guild);
    for (const page of [2, 1000]) {
      expect(await ids(guild, 'score', undefined, page)).toEqual([]);
    }
    expect(await ids(guild, 'score', AI)).toEqual([]);
  });

  test('a page leaves out an article whose row is damaged, and has its guild checked', async () => {
    const guild = setup.newGuild();
    const [whole, damaged, gone] = [
      await post(setup.ranking, guild),
      await post(setup.ranking, guild),
      await post(setup.ranking, guild),
    ];
    const { articles, texts } = guildKeys(setup.ranking, guild);
    const told: string[] = [];
    const ranking = { ...setup.ranking, onDamaged: (of: string) => void told.push(of) };
    const list = { guild, order: 'time', page: 1, pageSize: 10 } as const;
    const shown = async () => (await listArticles(ranking, list)).articles.map(({ id }) => id);
    // It was deleted while the page was read.
    await setup.ranking.redis.hdel(articles, gone);
    await setup.ranking.redis.hdel(texts, gone);
    expect((await shown()).toSorted()).toEqual([whole, damaged].toSorted());
    expect(told).toEqual([]);
    await setup.ranking.redis.hset(articles, damaged, 'no row');
    expect(await shown()).toEqual([whole]);
    expect(told).toEqual([guild]);
  });

  test.each([
    ['a row that is none', 'articles', 'no row'],
    ['no row', 'articles', ''],
    ['a text without an address', 'texts', 'no address\nTitle'],
    ['a text of an address alone', 'texts', 'https://example.com/'],
    ['no text', 'texts', ''],
  ] as const)(
    'an article that has %s is left out wherever it is read, and has its guild checked',
    async (_, key, value) => {
      const guild = setup.newGuild();
      const [whole, damaged] = [await post(setup.ranking, guild), await post(setup.ranking, guild)];
      const { redis } = setup.ranking;
      const field = guildKeys(setup.ranking, guild)[key];
      await (value === '' ? redis.hdel(field, damaged) : redis.hset(field, damaged, value));
      const told: string[] = [];
      const ranking = { ...setup.ranking, onDamaged: (of: string) => void told.push(of) };
      const read = await readArticles(ranking, guild, [damaged, whole]);
      expect([read.map((one) => one?.id), told]).toEqual([[undefined, whole], [guild]]);
      await readArticles(ranking, guild, [whole, idAt(NOON)]);
      expect(told).toEqual([guild]);
      const list = { guild, order: 'time', page: 1, pageSize: 10 } as const;
      const { articles } = await listArticles(ranking, list);
      expect([articles.map(({ id }) => id), told]).toEqual([[whole], [guild, guild]]);
    },
  );

  test('the best of a period are those posted in it, its end excluded', async () => {
    const guild = setup.newGuild();
    const before = await post(setup.ranking, guild, { id: idAt(NOON - 1) });
    const first = await post(setup.ranking, guild, { id: idAt(NOON) });
    const last = await post(setup.ranking, guild, { id: idAt(NOON + 59_999) });
    const after = await post(setup.ranking, guild, { id: idAt(NOON + 60_000) });
    const ballot = { guild, article: first, member: member(1), vote: 'up' } as const;
    await setVote(setup.ranking, ballot, NOON);
    const period = { guild, fromMs: NOON, untilMs: NOON + 60_000, compare: byScore };
    const best = await topPostedBetween(setup.ranking, { ...period, count: 10 });
    expect(best.map(({ id }) => id)).toEqual([first, last]);
    const newest = { ...period, compare: byTime, count: 1 };
    expect((await topPostedBetween(setup.ranking, newest)).map(({ id }) => id)).toEqual([last]);
    expect([before, after]).toHaveLength(2);
  });

  test('the newest fifty interesting articles are listed, whole groups of them too', async () => {
    const guild = setup.newGuild();
    const posted: string[] = [];
    for (let i = 0; i < 55; i++) {
      const tally = { up: 200, down: 3, closed: false };
      const groups = i % 5 === 0 ? [AI] : [];
      posted.push(await post(setup.ranking, guild, { id: idAt(NOON + i * 1000), tally, groups }));
    }
    const newest = posted.toReversed().slice(0, 50);
    expect(await ids(guild, 'interesting', undefined, 1, 100)).toEqual(newest);
    expect(await ids(guild, 'interesting', undefined, 5)).toEqual(newest.slice(40));
    const inAi = newest.filter((id) => posted.indexOf(id) % 5 === 0);
    expect(await ids(guild, 'interesting', AI, 1, 100)).toEqual(inAi);
  });
});

describe('groups', () => {
  test('groups take in and let go articles, and the lists are fresh', async () => {
    const guild = setup.newGuild();
    const a = await post(setup.ranking, guild, { id: idAt(NOON) });
    const b = await post(setup.ranking, guild, { id: idAt(NOON + 1000), groups: [GAMES] });
    for (const article of [a, b]) {
      const place = { guild, article, group: AI };
      expect(await changeGroup(setup.ranking, place, 'add')).toMatchObject({ status: 'changed' });
    }
    await changeGroup(setup.ranking, { guild, article: b, group: GAMES }, 'remove');
    expect(await ids(guild, 'time', AI)).toEqual([b, a]);
    expect(await ids(guild, 'score-asc', AI)).toEqual([a, b]);
    expect(await ids(guild, 'time', GAMES)).toEqual([]);
    expect(await ids(guild, 'time', RUST)).toEqual([b, a]);
  });

  test.each([
    ['said twice', 'add', AI, 'unchanged'],
    ['of a group that it is not in', 'remove', GAMES, 'unchanged'],
    ['that takes the home group away', 'remove', RUST, 'home'],
  ] as const)('a change %s is %s, %s: %s', async (_, change, group, status) => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild, { groups: [AI] });
    const before = await dump(setup.ranking, guild);
    const outcome = await changeGroup(setup.ranking, { guild, article, group }, change);
    expect(outcome).toMatchObject({ status });
    expect(await dump(setup.ranking, guild)).toEqual(before);
  });

  test('an article is in ten groups at most', async () => {
    const guild = setup.newGuild();
    const groups = Array.from({ length: 8 }, (_, i) => `30000000000000001${i}`);
    const article = await post(setup.ranking, guild, { groups });
    const add = (group: string) => changeGroup(setup.ranking, { guild, article, group }, 'add');
    expect(await add(AI)).toMatchObject({ status: 'changed' });
    expect(await add(GAMES)).toMatchObject({ status: 'full' });
    // One that comes from elsewhere, too.
    const many = await post(setup.ranking, guild, { groups: [...groups, AI, GAMES] });
    const read = await readArticle(setup.ranking, guild, many);
    expect(read?.groups).toEqual([RUST, ...groups, AI]);
  });

  test('an article that is added later comes with its votes', async () => {
    const guild = setup.newGuild();
    const first = await post(setup.ranking, guild);
    const second = await post(setup.ranking, guild, { id: idAt(NOON + 1000), groups: [AI] });
    const ballot = { guild, article: first, member: member(1), vote: 'up' } as const;
    await setVote(setup.ranking, ballot, NOON);
    await changeGroup(setup.ranking, { guild, article: first, group: AI }, 'add');
    expect(await ids(guild, 'score', AI)).toEqual([first, second]);
  });

  test('an unknown article is answered with unknown', async () => {
    const place = { guild: setup.newGuild(), article: idAt(NOON), group: AI };
    expect(await changeGroup(setup.ranking, place, 'add')).toMatchObject({ status: 'unknown' });
    expect(await dump(setup.ranking, place.guild)).toEqual({});
  });

  test('a hidden article stands in its home group’s list alone', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild, { listed: false });
    expect(await ids(guild, 'score')).toEqual([]);
    expect(await ids(guild, 'score', RUST)).toEqual([article]);
    const place = { guild, article, group: AI };
    expect(await changeGroup(setup.ranking, place, 'add')).toMatchObject({ status: 'hidden' });
  });

  test('a hidden article that reaches the mark by a vote is among no interesting ones of the guild', async () => {
    const guild = setup.newGuild();
    const tally = { up: 199, down: 0, closed: false };
    const article = await post(setup.ranking, guild, { listed: false, tally });
    await setVote(setup.ranking, { guild, article, member: member(1), vote: 'up' }, NOON);
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({ interesting: true });
    expect(await ids(guild, 'interesting')).toEqual([]);
  });

  test('a home channel that is hidden and shown again takes its articles along', async () => {
    const guild = setup.newGuild();
    for (let i = 0; i < 250; i++) {
      const tally = { up: 100 + i, down: 0, closed: false };
      // Many of one second, so that a step ends among them.
      await post(setup.ranking, guild, {
        id: idAt(NOON + Math.floor(i / 90) * 1000),
        tally,
        groups: [AI],
      });
    }
    const elsewhere = await post(setup.ranking, guild, { home: AI, groups: [RUST] });
    await setListed(setup.ranking, { guild, home: RUST, listed: true });
    const before = await dump(setup.ranking, guild);
    await setListed(setup.ranking, { guild, home: RUST, listed: false });
    expect(await ids(guild, 'score', undefined, 1, 300)).toEqual([elsewhere]);
    expect(await ids(guild, 'score', AI, 1, 300)).toEqual([elsewhere]);
    expect(await ids(guild, 'interesting')).toEqual([]);
    expect(await ids(guild, 'score', RUST, 1, 300)).toHaveLength(251);
    await setListed(setup.ranking, { guild, home: RUST, listed: true });
    expect(await dump(setup.ranking, guild)).toEqual(before);
  });

  test('a channel that is as it was costs no write, and what a stale post left is put right', async () => {
    const guild = setup.newGuild();
    await post(setup.ranking, guild);
    const hidden = { guild, home: RUST, listed: false };
    await setListed(setup.ranking, hidden);
    expect(await ids(guild, 'time')).toEqual([]);
    await resetCommandstats(setup.ranking.redis);
    await setListed(setup.ranking, hidden);
    expect(await commandstats(setup.ranking.redis)).not.toContain('evalsha');
    // A post that read the channel before it was hidden, and was written after.
    const stale = await post(setup.ranking, guild, { listed: true });
    expect(await ids(guild, 'time')).toEqual([stale]);
    await setListed(setup.ranking, hidden);
    expect(await ids(guild, 'time')).toEqual([]);
  });

  test('a channel that is gone takes its own articles with it and lets the others go', async () => {
    const guild = setup.newGuild();
    for (let i = 0; i < 120; i++) await post(setup.ranking, guild, { groups: [AI] });
    const elsewhere = await post(setup.ranking, guild, { home: AI, groups: [RUST] });
    await removeGroup(setup.ranking, guild, RUST);
    expect(await ids(guild, 'time')).toEqual([elsewhere]);
    expect(await ids(guild, 'time', RUST)).toEqual([]);
    expect(await readArticle(setup.ranking, guild, elsewhere)).toMatchObject({ groups: [AI] });
  });
});

describe('removal', () => {
  test('removal takes everything that belongs to the article, and its link can be posted again', async () => {
    const guild = setup.newGuild();
    const article = anArticle(guild, { groups: [AI], tally: { up: 300, down: 0, closed: false } });
    await postArticle(setup.ranking, article);
    const ballot = { guild, article: article.id, member: member(1), vote: 'up' } as const;
    await setVote(setup.ranking, ballot, NOON);
    const { previews, replies, outcomes } = guildKeys(setup.ranking, guild);
    for (const key of [previews, replies, outcomes]) {
      await setup.ranking.redis.hset(key, article.id, '1');
    }
    for (const of of ['led', 'first', 'told', 'led-on']) {
      await setup.ranking.redis.hset(outcomes, `${article.id}:${of}`, '1');
    }
    expect(await deleteArticle(setup.ranking, guild, article.id)).toEqual({ status: 'deleted' });
    // What its voting had due is looked at then.
    const { due, ...others } = await dump(setup.ranking, guild);
    const rows = (due as string[]).filter((_, at) => at % 2 === 0);
    expect([others, rows.toSorted()]).toEqual([{}, ['announce', 'close', 'counts', 'full']]);
    expect(await deleteArticle(setup.ranking, guild, article.id)).toEqual({ status: 'unknown' });
    const again = { ...article, id: idAt(NOON + 5) };
    expect(await postArticle(setup.ranking, again)).toMatchObject({ status: 'posted' });
    expect(await readArticles(setup.ranking, guild, [article.id, again.id])).toMatchObject([
      null,
      { id: again.id },
    ]);
  });
});

describe('closing', () => {
  test('closing freezes the votes, deletes the voters and keeps the article in its lists', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    const later = await post(setup.ranking, guild, { id: idAt(NOON + 5000) });
    const ballot = { guild, article, member: member(1), vote: 'down' } as const;
    await setVote(setup.ranking, ballot, NOON);
    expect(await articlesToClose(setup.ranking, guild, NOON + WEEK - 1)).toEqual([]);
    expect(await articlesToClose(setup.ranking, guild, NOON + WEEK + 1000)).toEqual([article]);
    const frozen = { up: 1, down: 1 };
    expect(await closeArticle(setup.ranking, guild, article)).toEqual({ status: 'closed' });
    expect(await closeArticle(setup.ranking, guild, article)).toEqual({ status: 'unchanged' });
    expect(await articlesInVoting(setup.ranking, guild)).toEqual([later]);
    expect(Object.keys(await dump(setup.ranking, guild))).not.toContain(`voters:${article}`);
    // Also a clock that runs behind cannot vote on it any more.
    for (const vote of ['up', 'down', 'none'] as const) {
      const late = { ...ballot, member: member(2), vote };
      expect(await setVote(setup.ranking, late, NOON)).toEqual({ status: 'closed' });
    }
    expect(await ids(guild, 'score-asc')).toEqual([article, later]);
    expect(await readArticle(setup.ranking, guild, article)).toMatchObject({
      ...frozen,
      closed: true,
    });
  });
});

test('a walk through a list shows no article twice, though new ones push the others to the next page', async () => {
  const guild = setup.newGuild();
  const posts = Array.from({ length: 510 }, (_, n) =>
    post(setup.ranking, guild, { id: idAt(NOON + n * 1000) }),
  );
  const posted = await Promise.all(posts);
  const seen: string[] = [];
  for await (const articles of walkList(setup.ranking, { guild, order: 'time' }, 1000)) {
    seen.push(...articles.map(({ id }) => id));
    for (const n of [1, 2, 3]) {
      await post(setup.ranking, guild, { id: idAt(NOON + (1000 + n) * 1000) });
    }
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect(posted.filter((id) => !seen.includes(id))).toEqual([]);
});
