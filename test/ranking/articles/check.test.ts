import { expect, test } from 'vitest';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { checkGuild } from '../../../src/ranking/articles/check.ts';
import { freeLink } from '../../../src/ranking/articles/edit.ts';
import { findByLink } from '../../../src/ranking/links/reservations.ts';
import { setMark } from '../../../src/ranking/articles/mark.ts';
import { castVote } from '../../../src/ranking/ballots/votes.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import type { Ranking } from '../../../src/ranking/ranking.ts';
import { member, NOON, post, usePlace } from '../place.ts';

const place = usePlace();

const nothing = { wrongTypes: [], misplaced: 0, broken: 0, isGone: false };

/** Something happens in the guild each time the check has read this, and perhaps before it does. */
function after(
  command: string,
  happens: () => Promise<unknown>,
  before?: () => Promise<unknown>,
): Ranking {
  const { redis } = place.ranking;
  const slow = new Proxy(redis, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      if (name !== command) return member.bind(target);
      return async (...args: unknown[]) => {
        await before?.();
        const reply: unknown = await member.apply(target, args);
        await happens();
        return reply;
      };
    },
  });
  return { ...place.ranking, redis: slow };
}

test('articles that are posted while the lists are checked are no damage', async () => {
  const guild = place.newGuild();
  await post(place.ranking, guild);
  const busy = after('hscan', () => post(place.ranking, guild));
  expect(await checkGuild(busy, guild)).toEqual(nothing);
});

test('articles that are deleted while the lists are checked are no damage', async () => {
  const guild = place.newGuild();
  const ids: string[] = [];
  for (let n = 0; n < 9; n += 1) ids.push(await post(place.ranking, guild));
  const busy = after('hscan', () => deleteArticle(place.ranking, guild, ids.pop() ?? ''));
  expect(await checkGuild(busy, guild)).toEqual(nothing);
});

test('an article that is interesting only while its row is read is no damage', async () => {
  const guild = place.newGuild();
  const article = await post(place.ranking, guild);
  await setMark(place.ranking, guild, 2);
  const ballot = { guild, article, member: member(1) };
  const busy = after(
    'hscan',
    () => castVote(place.ranking, { ...ballot, vote: 'none' }, NOON),
    () => castVote(place.ranking, { ...ballot, vote: 'up' }, NOON),
  );
  expect(await checkGuild(busy, guild)).toEqual(nothing);
});

test('a ranking that lacks an article is found and made again', async () => {
  const guild = place.newGuild();
  const id = await post(place.ranking, guild);
  const keys = guildKeys(place.ranking.applicationId, guild);
  await place.ranking.redis.zrem(keys.score, id);
  expect(await checkGuild(place.ranking, guild)).toEqual({ ...nothing, misplaced: 1 });
  expect(await place.ranking.redis.zscore(keys.score, id)).not.toBeNull();
});

test('a link that no article has any more is put back, and is no damage', async () => {
  const { ranking } = place;
  const guild = place.newGuild();
  await post(ranking, guild);
  const canonical = 'https://example.com/again';
  const article = await post(ranking, guild, { link: canonical, canonical });
  await freeLink(ranking, { guild, canonical, article });
  expect(await checkGuild(ranking, guild)).toEqual(nothing);
  expect(await findByLink(ranking, guild, canonical)).toBe(article);
});
