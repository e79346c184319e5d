import { describe, expect, test } from 'vitest';
import {
  type Article,
  readArticle,
  deleteArticle,
} from '../../../src/ranking/articles/articles.ts';
import {
  eraseVotes,
  postsOf,
  votesOf,
  unvotedAmong,
} from '../../../src/ranking/ballots/of-member.ts';
import { isUnjudged } from '../../../src/ranking/ballots/unjudged.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { readActivity, readLeaderboard } from '../../../src/ranking/lists/activity.ts';
import { reachedFirstTen } from '../../../src/ranking/lists/first-ten.ts';
import { readList } from '../../../src/ranking/lists/read-list.ts';
import { lockArticle, retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { notePlaces } from '../../../src/ranking/outcomes.ts';
import { readPosition } from '../../../src/ranking/lists/ranked.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { hasWholeWords, matching, type Query } from '../../../src/ranking/lists/search-articles.ts';
import { setVote, recordReaction } from '../../../src/ranking/ballots/votes.ts';
import { inconsistencies } from '../consistency.ts';
import { AI, idAt, member, NOON, post, POSTER, RUST, useRanking, WEEK } from '../test-ranking.ts';

const setup = useRanking();
const hour = 3_600_000;
const now = NOON + 24 * hour + 1;

const ofFirst = (articles: readonly Article[]) =>
  articles.filter(({ poster }) => poster === member(1));
const at = (hours: number) => ({ id: idAt(NOON + hours * hour) });
const votes = (up: number, down: number) => ({ tally: { up, down, closed: false } });

function vote(guild: string, article: string, n: number, direction: 'up' | 'down' = 'up') {
  const ballot = { guild, article, member: member(n), vote: direction };
  return setVote(setup.ranking, ballot, now);
}

describe('a filtered list', () => {
  test('a filtered list goes through the whole ranking in steps and pages what is accepted', async () => {
    const guild = setup.newGuild();
    const ids = await Promise.all(
      Array.from({ length: 1203 }, (_, i) => {
        const poster = i % 100 === 0 ? member(1) : POSTER;
        return post(setup.ranking, guild, { id: idAt(NOON + i * 1000), poster });
      }),
    );
    const of = { guild, order: 'time-asc' as const, pageSize: 10, accept: ofFirst };
    const first = await readList(setup.ranking, { ...of, page: 1 }, now);
    expect(first.total).toBe(13);
    expect(first.articles.map(({ id }) => id)).toEqual(
      ids.filter((_, i) => i % 100 === 0).slice(0, 10),
    );
    const second = await readList(setup.ranking, { ...of, page: 2 }, now);
    expect(second.articles.map(({ id }) => id)).toEqual(
      ids.filter((_, i) => i % 100 === 0).slice(10),
    );
    expect((await readList(setup.ranking, { ...of, page: 0 }, now)).articles).toEqual([]);
  });

  test('a search knows case, width and domains', async () => {
    const guild = setup.newGuild();
    const link = 'https://blog.rust-lang.org/x';
    const id = await post(setup.ranking, guild, { id: idAt(NOON), title: 'Ｒｕｓｔ １.90', link });
    const query = { words: 'rust 1.90', host: 'rust-lang.org' };
    const search = async (wanted: Query) => {
      const list = { guild, order: 'time', page: 1, pageSize: 5 } as const;
      const accept = matching(wanted);
      const { articles } = await readList(setup.ranking, { ...list, accept }, now);
      return articles.map((article) => article.id);
    };
    expect(await search(query)).toEqual([id]);
    for (const other of [{ host: 'ust-lang.org' }, { words: 'rust 2' }]) {
      expect(await search({ ...query, ...other })).toEqual([]);
    }
  });

  test.each([
    ['https://vxtwitter.com/a/status/1', 'x.com'],
    ['https://x.com/a/status/1', 'twitter.com'],
    ['https://youtu.be/dQw4w9WgXcQ', 'www.youtube.com'],
    ['https://old.reddit.com/r/a', 'redd.it'],
  ])('a search finds the link %s by the site %s', (link, host) => {
    const article = { link, title: 'A' } as Article;
    expect(matching({ host })([article])).toEqual([article]);
    expect(matching({ host: `not${host}` })([article])).toEqual([]);
    expect(matching({ host: 'no site' })([article])).toEqual([]);
  });

  test('a search has whole words before parts of words, each newest first', async () => {
    const guild = setup.newGuild();
    const titles = [
      'Rust is out',
      'In whom to trust',
      'C++ or (rust)?',
      'Rusty nails',
      'rust-like',
    ];
    for (const [i, title] of titles.entries()) {
      await post(setup.ranking, guild, { id: idAt(NOON + i * 1000), title });
    }
    const query = { words: 'Rust' };
    const list = { guild, order: 'time', page: 1, pageSize: 9 } as const;
    const of = { ...list, accept: matching(query), prefer: hasWholeWords(query) };
    const { articles, total } = await readList(setup.ranking, of, now);
    expect(articles.map(({ title }) => title)).toEqual([
      'rust-like',
      'C++ or (rust)?',
      'Rust is out',
      'Rusty nails',
      'In whom to trust',
    ]);
    expect(total).toBe(5);
    const second = await readList(setup.ranking, { ...of, page: 2, pageSize: 3 }, now);
    expect(second.articles.map(({ title }) => title)).toEqual(['Rusty nails', 'In whom to trust']);
    expect(hasWholeWords({ words: 'c++ rust' })(articles[1]!)).toBe(true);
    const accented = { ...articles[0]!, title: 'Le Café du coin' };
    expect(['cafe', 'café', 'caf'].map((words) => hasWholeWords({ words })(accented))).toEqual([
      true,
      true,
      false,
    ]);
    for (const words of ['rust-like', '-', '/', '$^', '[', '\\']) {
      expect(hasWholeWords({ words })(articles[0]!)).toBe(words === 'rust-like');
    }
  });
});

describe('what is left to vote on', () => {
  test('what is left to vote on leaves out own, voted, closed, locked and hidden ones, best first', async () => {
    const guild = setup.newGuild();
    const old = await post(setup.ranking, guild, at(0));
    const fresh = await post(setup.ranking, guild, at(1));
    await post(setup.ranking, guild, { ...at(2), poster: member(1) });
    const voted = await post(setup.ranking, guild, at(3));
    const locked = await post(setup.ranking, guild, at(4));
    const hidden = await post(setup.ranking, guild, { ...at(6), home: AI, listed: false });
    await post(setup.ranking, guild, { id: idAt(NOON - WEEK) });
    await vote(guild, voted, 1, 'down');
    await lockArticle(setup.ranking, { guild, article: locked, locked: true });
    for (let n = 2; n < 20; n += 1) await vote(guild, old, n);
    const accept = (articles: readonly Article[]) =>
      unvotedAmong(setup.ranking, guild, member(1), articles, now);
    const of = { guild, accept, order: 'score', page: 1, pageSize: 10 } as const;
    const left = await readList(setup.ranking, of, now);
    expect(left.articles.map(({ id }) => id)).toEqual([old, fresh]);
    const newest = await readList(setup.ranking, { ...of, order: 'time' }, now);
    expect(newest.articles.map(({ id }) => id)).toEqual([fresh, old]);
    const there = await readList(setup.ranking, { ...of, group: AI }, now);
    expect(there.articles.map(({ id }) => id)).toEqual([hidden]);
  });
});

const of = (position: number, count: number) => ({ position, of: count });

describe('an article’s places', () => {
  test('an article needs a vote while voting on it is open and its poster’s is the only one', async () => {
    const guild = setup.newGuild();
    const id = await post(setup.ranking, guild, { id: idAt(NOON), ...votes(1, 0) });
    const needsVote = async (atMs = now) =>
      isUnjudged((await readArticle(setup.ranking, guild, id))!, atMs);
    expect(await needsVote()).toBe(true);
    expect(await needsVote(NOON + WEEK)).toBe(false);
    await lockArticle(setup.ranking, { guild, article: id, locked: true });
    expect(await needsVote()).toBe(false);
    await lockArticle(setup.ranking, { guild, article: id, locked: false });
    expect(await needsVote()).toBe(true);
    await vote(guild, id, 1, 'down');
    expect(await needsVote()).toBe(false);
  });

  test('an article’s places are those in the lists, and none where it does not stand', async () => {
    const guild = setup.newGuild();
    const first = await post(setup.ranking, guild, { id: idAt(NOON), groups: [AI] });
    const second = await post(setup.ranking, guild, { id: idAt(NOON + hour) });
    const hidden = await post(setup.ranking, guild, { id: idAt(NOON), home: AI, listed: false });
    for (let n = 1; n < 15; n += 1) await vote(guild, first, n);
    const read = (id: string) => {
      const lists = [
        { order: 'score' },
        { order: 'time' },
        { order: 'score', group: RUST },
        { order: 'score', group: AI },
      ] as const;
      return Promise.all(lists.map((list) => readPosition(setup.ranking, { guild, ...list }, id)));
    };
    expect(await read(first)).toEqual([of(1, 2), of(2, 2), of(1, 2), of(1, 2)]);
    expect(await read(second)).toEqual([of(2, 2), of(1, 2), of(2, 2), null]);
    expect(await read(hidden)).toEqual([null, null, null, of(2, 2)]);
  });
});

describe('sums', () => {
  test('sums of posters and of days leave the posters’ own votes out, and posters without others', async () => {
    const guild = setup.newGuild();
    const one = await post(setup.ranking, guild, { id: idAt(NOON), poster: member(1) });
    await post(setup.ranking, guild, { id: idAt(NOON + hour), poster: member(1) });
    const tally = { up: 2, down: 0, closed: true };
    await post(setup.ranking, guild, { id: idAt(NOON - 20 * WEEK), poster: member(2), tally });
    await post(setup.ranking, guild, { id: idAt(NOON - 20 * WEEK), poster: member(3) });
    const disputed = { up: 4, down: 2, closed: true };
    await post(setup.ranking, guild, {
      id: idAt(NOON - 30 * WEEK),
      poster: member(4),
      tally: disputed,
    });
    for (let n = 10; n < 13; n += 1) await vote(guild, one, n);
    await vote(guild, one, 13, 'down');
    expect(await readLeaderboard(setup.ranking, guild, 'week', now)).toEqual([
      { member: member(1), articles: 2, net: 2 },
    ]);
    expect(await readLeaderboard(setup.ranking, guild, 'ever', now)).toEqual([
      { member: member(1), articles: 2, net: 2 },
      { member: member(2), articles: 1, net: 1 },
    ]);
    const figures = await readActivity(setup.ranking, { guild }, 3, now);
    expect(figures).toMatchObject({ articles: 2, votes: 4, posters: 1, interesting: 0 });
    expect(figures.days).toEqual([0, 2, 0]);
    expect(figures.best?.id).toBe(one);
    expect(figures.hosts).toEqual([['example.com', 2]]);
    // One whose message has an id of a moment to come is of no day before.
    await post(setup.ranking, guild, { id: idAt(now + 13 * hour) });
    expect((await readActivity(setup.ranking, { guild }, 3, now)).days).toEqual([0, 2, 0]);
  });

  test('the five sites and channels with the most articles are named, of equal ones the first by name', async () => {
    const guild = setup.newGuild();
    for (const name of ['f', 'b', 'd', 'c', 'a', 'e', 'f']) {
      const home = `30000000000000001${name.charCodeAt(0) % 10}`;
      await post(setup.ranking, guild, { ...at(1), link: `https://${name}.example/`, home });
    }
    const { hosts, groups } = await readActivity(setup.ranking, { guild }, 3, now);
    const names = ['f', 'a', 'b', 'c', 'd'].map((name) => `${name}.example`);
    expect(hosts).toEqual(names.map((name, at) => [name, at === 0 ? 2 : 1]));
    expect(groups.map(([, count]) => count)).toEqual([2, 1, 1, 1, 1]);
  });
});

test('what came by the first ten was there if more members were for it than against it, or it was seen there', async () => {
  const guild = setup.newGuild();
  const liked = await post(setup.ranking, guild, { ...at(0), ...votes(5, 1) });
  const disputed = await post(setup.ranking, guild, { ...at(1), ...votes(5, 5) });
  const unjudged = await post(setup.ranking, guild, { ...at(2), ...votes(1, 0) });
  for (let n = 0; n < 10; n += 1) await post(setup.ranking, guild, { ...at(10), ...votes(9, 0) });
  const list = { guild, order: 'score', page: 1, pageSize: 20 } as const;
  const { articles: best } = await readList(setup.ranking, list, now);
  const reached = await reachedFirstTen(setup.ranking, guild, { best, most: 20 });
  const older = reached.map(({ id }) => id).slice(10);
  expect(best.map(({ id }) => id)).toEqual(expect.arrayContaining([liked, disputed, unjudged]));
  expect(older).toEqual([liked]);
  // Where ten older ones are above, it was there if somebody saw it there.
  const [seen, unseen] = [
    await post(setup.ranking, guild, { ...at(20), ...votes(5, 1) }),
    await post(setup.ranking, guild, { ...at(20), ...votes(5, 1) }),
  ];
  const read = async (id: string) => (await readArticle(setup.ranking, guild, id))!;
  const [first, second, third] = [await read(seen), await read(unseen), await read(liked)];
  const ten = best.filter(({ up }) => up === 9);
  await notePlaces(setup.ranking, guild, [...ten.slice(0, 3), first], now);
  // One that is older has a higher score.
  const all = { best: [...ten, third, first, second], most: 20 };
  const then = (await reachedFirstTen(setup.ranking, guild, all)).map(({ id }) => id);
  expect([seen, unseen, liked].filter((id) => then.includes(id))).toEqual([seen, liked]);
  // The newest, where not all may be shown.
  const eleven = (await reachedFirstTen(setup.ranking, guild, { ...all, most: 11 })).map(
    ({ id }) => id,
  );
  expect([seen, unseen, liked].filter((id) => eleven.includes(id))).toEqual([seen]);
  expect(eleven).toHaveLength(11);
});

describe('what belongs to a member', () => {
  test('what belongs to a member is found, the removed too, and is gone after erasing, and all else still agrees', async () => {
    const guild = setup.newGuild();
    const mine = { poster: member(1) };
    const open = await post(setup.ranking, guild, { id: idAt(NOON), ...mine });
    const closed = await post(setup.ranking, guild, { id: idAt(NOON - 2 * WEEK), ...mine });
    const buried = await post(setup.ranking, guild, { id: idAt(NOON + hour), ...mine });
    const other = await post(setup.ranking, guild, { id: idAt(NOON) });
    const locked = await post(setup.ranking, guild, { id: idAt(NOON) });
    await closeArticle(setup.ranking, guild, closed);
    await removeArticle(setup.ranking, guild, buried, now);
    const shown = { guild, article: other, member: member(1), shown: true } as const;
    await recordReaction(setup.ranking, { ...shown, direction: 'up' }, now);
    await recordReaction(setup.ranking, { ...shown, direction: 'down' }, now);
    await vote(guild, locked, 1);
    await lockArticle(setup.ranking, { guild, article: locked, locked: true });

    const posts = await postsOf(setup.ranking, guild, member(1));
    expect(posts.map(({ id }) => id)).toEqual([closed, open, buried]);
    const votes = await votesOf(setup.ranking, guild, member(1));
    const kept = Object.fromEntries(votes.map(({ article, vote }) => [article.id, vote]));
    expect(kept).toEqual({ [other]: 'down', [locked]: 'up' });
    expect(await eraseVotes(setup.ranking, guild, member(1))).toEqual(votes);
    for (const { id } of posts) await deleteArticle(setup.ranking, guild, id);
    expect(await votesOf(setup.ranking, guild, member(1))).toEqual([]);
    expect(await postsOf(setup.ranking, guild, member(1))).toEqual([]);
    expect(await readArticle(setup.ranking, guild, locked)).toMatchObject({ up: 1, locked: true });
  });

  test('what belongs to a member keeps a comment through a new title', async () => {
    const guild = setup.newGuild();
    const id = await post(setup.ranking, guild, { title: 'Old', comment: 'One.\nTwo.' });
    await retitleArticle(setup.ranking, { guild, article: id, title: 'New' });
    const article = await readArticle(setup.ranking, guild, id);
    expect(article).toMatchObject({ title: 'New', comment: 'One.\nTwo.' });
    expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
  });
});

test('of posters with as many net votes, the one of more articles comes first', async () => {
  const guild = setup.newGuild();
  const of = (n: number, up: number, hours: number) =>
    post(setup.ranking, guild, { ...at(hours), ...votes(up, 0), poster: member(n) });
  await of(5, 3, 0);
  await of(4, 3, 1);
  await of(6, 2, 2);
  await of(6, 2, 3);
  await of(3, 3, 4);
  await of(8, 3, 5);
  const board = await readLeaderboard(setup.ranking, guild, 'week', now);
  expect(board.map((one) => one.member)).toEqual([6, 3, 4, 5, 8].map(member));
});
