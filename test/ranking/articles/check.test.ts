import { expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { checkGuild } from '../../../src/ranking/articles/check.ts';
import { findByLink, freeLink } from '../../../src/ranking/links/reservations.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import type { Ranking } from '../../../src/ranking/ranking.ts';
import { AI, dump, GAMES, member, NOON, post, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();

const nothing = { wrongTypes: [], misplaced: 0, broken: 0, isGone: false };

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
  expect(await checkGuild(setup.ranking, guild, [])).toEqual({ ...nothing, misplaced: 1 });
  expect(await setup.ranking.redis.zscore(keys.score, id)).not.toBeNull();
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

test('a row with another post time than its id cannot be read, and is deleted', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  const id = await post(ranking, guild);
  const { articles } = guildKeys(ranking, guild);
  const row = (await ranking.redis.hget(articles, id)) ?? '';
  await ranking.redis.hset(articles, id, row.replace(String(NOON / 1000), '1'));
  expect(await checkGuild(ranking, guild, [])).toMatchObject({ broken: 1 });
  expect(await ranking.redis.hexists(articles, id)).toBe(0);
});

test('articles whose texts are gone leave the lists of all their groups', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild, { groups: [AI] });
  await post(ranking, guild, { home: GAMES });
  await ranking.redis.del(guildKeys(ranking, guild).texts);
  expect(await checkGuild(ranking, guild, [RUST, AI, GAMES])).toMatchObject({ broken: 2 });
  expect(Object.keys(await dump(ranking, guild)).filter((key) => /score|time/.test(key))).toEqual(
    [],
  );
});

test('articles of which only the lists are left are gone, and leave the lists', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  await post(ranking, guild, { groups: [AI] });
  const { articles, texts } = guildKeys(ranking, guild);
  await ranking.redis.del(articles, texts);
  expect(await checkGuild(ranking, guild, [RUST, AI])).toMatchObject({ isGone: true });
  expect(Object.keys(await dump(ranking, guild)).filter((key) => /score|time/.test(key))).toEqual(
    [],
  );
  expect(await checkGuild(ranking, guild, [RUST, AI])).toEqual(nothing);
});

test('lists that name articles without a row are made again', async () => {
  const { ranking } = setup;
  const guild = setup.newGuild();
  const id = await post(ranking, guild);
  const before = await dump(ranking, guild);
  const keys = guildKeys(ranking, guild);
  for (const key of [keys.score, keys.time, keys.ofGroup('time', AI)])
    await ranking.redis.zadd(key, 1, '1');
  expect(await checkGuild(ranking, guild, [RUST, AI])).toEqual({ ...nothing, misplaced: 1 });
  expect(await ranking.redis.zrange(keys.time, '0', '-1')).toEqual([id]);
  expect(await dump(ranking, guild)).toEqual(before);
});
