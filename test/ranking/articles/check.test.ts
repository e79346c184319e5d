import { expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import {
  checkGuild,
  compareEntries,
  deleteUnreadable,
} from '../../../src/ranking/articles/check.ts';
import { findByLink, freeLink } from '../../../src/ranking/links/reservations.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import type { Ranking } from '../../../src/ranking/ranking.ts';
import { AI, dump, GAMES, member, NOON, post, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();

const nothing = { wrongTypes: [], misplaced: 0, broken: 0, rowless: 0, isGone: false };

/** Something happens in the guild each time the check has read this, and perhaps before it does. */
function after(
  command: string,
  happens: () => Promise<unknown>,
  before?: () => Promise<unknown>,
): Ranking {
  const { redis } = setup.ranking;
  const slow: typeof redis = new Proxy(redis, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      // A stream asks whatever it was made by.
      if (name !== command) return member.bind(String(name).endsWith('Stream') ? slow : target);
      return async (...args: unknown[]) => {
        const heard = args.findLast((arg) => typeof arg === 'function');
        await before?.();
        const reply: unknown = await member.apply(
          target,
          args.filter((arg) => arg !== heard),
        );
        await happens();
        heard?.(null, reply);
        return reply;
      };
    },
  });
  return { ...setup.ranking, redis: slow };
}

test('articles that are posted while the lists are checked are no damage', async () => {
  const guild = setup.newGuild();
  await post(setup.ranking, guild);
  const busy = after('hscan', () => post(setup.ranking, guild));
  expect(await checkGuild(busy, guild, [])).toEqual(nothing);
  const { time } = guildKeys(setup.ranking, guild);
  expect(await setup.ranking.redis.zcard(time)).toBeGreaterThan(1);
});

test('articles that are deleted while the lists are checked are no damage', async () => {
  const guild = setup.newGuild();
  const ids: string[] = [];
  for (let n = 0; n < 9; n += 1) ids.push(await post(setup.ranking, guild));
  const busy = after('hscan', () => deleteArticle(setup.ranking, guild, ids.pop() ?? ''));
  expect(await checkGuild(busy, guild, [])).toEqual(nothing);
});

test('an article that is interesting only while its row is read is no damage', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  await setScale(setup.ranking, guild, { mark: 2 });
  const ballot = { guild, article, member: member(1) };
  const busy = after(
    'hscan',
    () => setVote(setup.ranking, { ...ballot, vote: 'none' }, NOON),
    () => setVote(setup.ranking, { ...ballot, vote: 'up' }, NOON),
  );
  expect(await checkGuild(busy, guild, [])).toEqual(nothing);
});

test('a ranking that lacks an article is found and made again', async () => {
  const guild = setup.newGuild();
  const id = await post(setup.ranking, guild);
  const keys = guildKeys(setup.ranking, guild);
  await setup.ranking.redis.zrem(keys.score, id);
  await setup.ranking.changes.flush();
  expect(await checkGuild(setup.ranking, guild, [])).toEqual({ ...nothing, misplaced: 1 });
  expect(await setup.ranking.redis.zscore(keys.score, id)).not.toBeNull();
  // Whoever reads the lists is told.
  expect(setup.ranking.changes.isPending(guild)).toBe(true);
  await setup.ranking.changes.flush();
  expect(await checkGuild(setup.ranking, guild, [])).toEqual(nothing);
  expect(setup.ranking.changes.isPending(guild)).toBe(false);
});

test('a link that no article has any more is put back, and is no damage', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild);
  const linkName = 'https://example.com/again';
  const article = await post(ranking, guild, { link: linkName, linkName });
  await freeLink(ranking, { guild, linkName, article });
  expect(await checkGuild(ranking, guild, [])).toEqual(nothing);
  expect(await findByLink(ranking, guild, linkName)).toBe(article);
});

test('a row with another post time than its id cannot be read, and is deleted when that is noted', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  const id = await post(ranking, guild);
  const { articles } = guildKeys(ranking, guild);
  const row = (await ranking.redis.hget(articles, id)) ?? '';
  await ranking.redis.hset(articles, id, row.replace(String(NOON / 1000), '1'));
  expect(await checkGuild(ranking, guild, [])).toEqual({ ...nothing, broken: 1, isGone: true });
  expect(await ranking.redis.hexists(articles, id)).toBe(1);
  await deleteUnreadable(ranking, guild, []);
  expect(await ranking.redis.hexists(articles, id)).toBe(0);
});

test('an article that cannot be read leaves the lists, which have the others all the time', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  const closed = { up: 5, down: 1, closed: true, starred: true };
  await post(ranking, guild, { groups: [AI], tally: closed });
  await post(ranking, guild);
  const { links: _, due: __, ...others } = await dump(ranking, guild);
  const broken = await post(ranking, guild, { groups: [AI], tally: closed });
  const keys = guildKeys(ranking, guild);
  await ranking.redis.hset(keys.articles, broken, '3 1 ol 30');
  const lists = [...keys.rankings, keys.ofGroup('score', AI), keys.ofGroup('votes', RUST)];
  const counts = new Set<string>();
  const look = async () => {
    const cards = await Promise.all(lists.map((list) => ranking.redis.zcard(list)));
    counts.add([...cards, await ranking.redis.scard(keys.open)].join(' '));
  };
  const watched = after('hscan', look, look);
  expect(await checkGuild(watched, guild, [RUST, AI])).toEqual({ ...nothing, broken: 1 });
  await deleteUnreadable(watched, guild, [RUST, AI]);
  await look();
  expect([...counts]).toEqual(['2 3 3 2 2 2 1', '1 2 2 1 1 1 1']);
  expect(await dump(ranking, guild)).toMatchObject(others);
});

test('articles whose texts are gone leave the lists of all their groups', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild, { groups: [AI] });
  await post(ranking, guild, { home: GAMES });
  await ranking.redis.del(guildKeys(ranking, guild).texts);
  const channels = [RUST, AI, GAMES];
  expect(await checkGuild(ranking, guild, channels)).toMatchObject({ broken: 2, isGone: true });
  await deleteUnreadable(ranking, guild, channels);
  expect(Object.keys(await dump(ranking, guild)).filter((key) => /score|time/.test(key))).toEqual(
    [],
  );
});

test('an article of which the text alone is left is found, and nothing of it stays', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild);
  // It is in no list of the guild, where its row would be missed.
  const id = await post(ranking, guild, { home: AI, listed: false });
  const { articles, texts } = guildKeys(ranking, guild);
  await ranking.redis.hdel(articles, id);
  expect(await checkGuild(ranking, guild, [RUST, AI])).toEqual({ ...nothing, broken: 1 });
  await deleteUnreadable(ranking, guild, [RUST, AI]);
  expect(await ranking.redis.hexists(texts, id)).toBe(0);
  expect(await checkGuild(ranking, guild, [RUST, AI])).toEqual(nothing);
});

test('articles of which only the lists are left are gone, and leave the lists', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild, { groups: [AI] });
  const { articles, texts } = guildKeys(ranking, guild);
  await ranking.redis.del(articles, texts);
  expect(await checkGuild(ranking, guild, [RUST, AI])).toMatchObject({ isGone: true });
  await deleteUnreadable(ranking, guild, [RUST, AI]);
  expect(Object.keys(await dump(ranking, guild)).filter((key) => /score|time/.test(key))).toEqual(
    [],
  );
  expect(await checkGuild(ranking, guild, [RUST, AI])).toEqual(nothing);
});

test('articles that lists name without a row leave them, and are to be read again', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild);
  const before = await dump(ranking, guild);
  const keys = guildKeys(ranking, guild);
  for (const key of [keys.score, keys.time, keys.ofGroup('time', AI)])
    await ranking.redis.zadd(key, 1, '1');
  expect(await checkGuild(ranking, guild, [RUST, AI])).toEqual({ ...nothing, rowless: 1 });
  await ranking.changes.flush();
  await deleteUnreadable(ranking, guild, [RUST, AI]);
  expect(ranking.changes.isPending(guild)).toBe(true);
  expect(await dump(ranking, guild)).toEqual(before);
});

test('a list of a group of another type is made again, and keeps no article from being deleted', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild);
  const before = await dump(ranking, guild);
  const keys = guildKeys(ranking, guild);
  const breakList = () => ranking.redis.set(keys.ofGroup('score', RUST), 'not what it was');
  await breakList();
  expect(await checkGuild(ranking, guild, [RUST])).toEqual({ ...nothing, misplaced: 1 });
  expect(await dump(ranking, guild)).toEqual(before);
  await ranking.redis.hset(keys.articles, '1', 'no row');
  await breakList();
  await deleteUnreadable(ranking, guild, [RUST]);
  await checkGuild(ranking, guild, [RUST]);
  expect(await dump(ranking, guild)).toEqual(before);
});

test('a comparison of the numbers of entries finds each that is missing, too many or of a wrong type', async () => {
  const { redis } = setup.ranking;
  const guild = setup.newGuild();
  const keys = guildKeys(setup.ranking, guild);
  const ids = [await post(setup.ranking, guild), await post(setup.ranking, guild)];
  const isFit = async () => (await compareEntries(setup.ranking, guild, NOON)).fit;
  const [id = ''] = ids;
  expect(await isFit()).toBe(true);
  const row = (await redis.hget(keys.articles, id)) ?? '';
  const text = (await redis.hget(keys.texts, id)) ?? '';
  const damages: [what: string, harm: () => Promise<unknown>, mend: () => Promise<unknown>][] = [
    ['a row', () => redis.hdel(keys.articles, id), () => redis.hset(keys.articles, id, row)],
    ['a text', () => redis.hdel(keys.texts, id), () => redis.hset(keys.texts, id, text)],
    ['a score', () => redis.zrem(keys.score, id), () => redis.zadd(keys.score, 1, id)],
    ['a time', () => redis.zrem(keys.time, id), () => redis.zadd(keys.time, NOON / 1000, id)],
    [
      'rows of two that are listed',
      () => Promise.all([redis.zadd(keys.score, 1, '9'), redis.zadd(keys.time, 1, '9')]),
      () => Promise.all([redis.zrem(keys.score, '9'), redis.zrem(keys.time, '9')]),
    ],
    ['what is in voting', () => redis.srem(keys.open, id), () => redis.sadd(keys.open, id)],
  ];
  for (const [what, harm, mend] of damages) {
    await harm();
    expect([what, await isFit()]).toEqual([what, false]);
    await mend();
    expect([what, await isFit()]).toEqual([what, true]);
  }
  await redis.unlink(keys.links);
  await redis.set(keys.links, 'no hash');
  expect(await isFit()).toBe(false);
});

test('a mark and a span that are none are deleted and named, and so no article is lost', async () => {
  const { redis } = setup.ranking;
  const guild = setup.newGuild();
  const keys = guildKeys(setup.ranking, guild);
  await post(setup.ranking, guild);
  await redis.hset(keys.articles, { mark: 'many', span: '4', version: 'x' });
  expect(await checkGuild(setup.ranking, guild, [])).toEqual({
    ...nothing,
    wrongTypes: ['mark', 'span'],
  });
  const [version, ...scale] = await redis.hmget(keys.articles, 'version', 'mark', 'span');
  expect(scale).toEqual([null, null]);
  // Whatever changed since counts from the beginning.
  expect(version).not.toBe('x');
  await redis.hset(keys.articles, { mark: '5', span: '3', version: '7' });
  expect(await checkGuild(setup.ranking, guild, [])).toEqual(nothing);
});

test('articles whose texts are of a wrong type are gone, and stay until they are deleted', async () => {
  const { redis } = setup.ranking;
  const guild = setup.newGuild();
  const keys = guildKeys(setup.ranking, guild);
  await post(setup.ranking, guild);
  await redis.set(keys.texts, 'no hash');
  const gone = { ...nothing, wrongTypes: ['texts'], isGone: true };
  expect(await checkGuild(setup.ranking, guild, [])).toEqual(gone);
  expect(await redis.get(keys.texts)).toBe('no hash');
  await deleteUnreadable(setup.ranking, guild, []);
  expect(await redis.exists(keys.texts, keys.score, keys.time)).toBe(0);
  expect(await checkGuild(setup.ranking, guild, [])).toEqual(nothing);
});
