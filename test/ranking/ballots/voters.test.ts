import { describe, expect, test } from 'vitest';
import { readArticle } from '../../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { lockArticle } from '../../../src/ranking/articles/edit.ts';
import { removeArticle, restoreArticle } from '../../../src/ranking/articles/removed.ts';
import type { Direction } from '../../../src/ranking/row.ts';
import { readVoter, readVoters, readVotesOf } from '../../../src/ranking/ballots/voters.ts';
import { castVote, setVote } from '../../../src/ranking/ballots/votes.ts';
import { audit } from '../books.ts';
import { APPLICATION, NOON, post, usePlace } from '../place.ts';

const place = usePlace();

/** Ids of every length up to the longest that 64 bits hold. */
const members = Array.from({ length: 60 }, (_, i) =>
  i === 59 ? '18446744073709551615' : String(10n ** BigInt(i % 20) + BigInt(i)),
);
const direction = (i: number): Direction => (i % 3 === 2 ? 'down' : 'up');

async function voteAll(guild: string, article: string, count: number): Promise<void> {
  for (const [i, member] of members.slice(0, count).entries()) {
    await castVote(place.ranking, { guild, article, member, vote: direction(i) }, NOON);
  }
}

describe.each([0, 1, 31, 32, 33, 34, 60])('of %i voters', (count) => {
  test('each is known by id and vote, and the books balance', async () => {
    const guild = place.newGuild();
    const article = await post(place.ranking, guild);
    await voteAll(guild, article, count);
    const wanted = members
      .slice(0, count)
      .map((member, i) => [member, { vote: direction(i), older: false }] as const);
    expect(await readVoters(place.ranking, guild, article)).toEqual(new Map(wanted));
    for (const [i, member] of members.entries()) {
      const vote = i < count ? direction(i) : 'none';
      expect(await readVotesOf(place.ranking, guild, member, [article])).toEqual([vote]);
    }
    const key = guildKeys(APPLICATION, guild).voters(article);
    expect(await place.ranking.redis.exists(key)).toBe(count > 32 ? 1 : 0);
    expect(await audit(place.ranking, guild)).toEqual([]);
  });

  test('each can switch and take back', async () => {
    const guild = place.newGuild();
    const article = await post(place.ranking, guild);
    await voteAll(guild, article, count);
    for (const [i, member] of members.slice(0, count).entries()) {
      const other = direction(i) === 'up' ? 'down' : 'up';
      const ballot = { guild, article, member };
      expect(await castVote(place.ranking, { ...ballot, vote: other }, NOON)).toMatchObject({
        status: 'counted',
      });
      expect(await readVoter(place.ranking, guild, article, member)).toEqual({
        vote: other,
        older: false,
      });
      if (i % 2 === 0) await setVote(place.ranking, { ...ballot, vote: 'none' }, NOON);
    }
    expect(await audit(place.ranking, guild)).toEqual([]);
    expect((await readVoters(place.ranking, guild, article)).size).toBe(Math.floor(count / 2));
  });

  test('a removed article keeps them, and a closed one does not', async () => {
    const guild = place.newGuild();
    const article = await post(place.ranking, guild);
    await voteAll(guild, article, count);
    const voters = await readVoters(place.ranking, guild, article);
    const before = await readArticle(place.ranking, guild, article);
    await removeArticle(place.ranking, guild, article, NOON);
    expect(await readVoters(place.ranking, guild, article)).toEqual(voters);
    await restoreArticle(place.ranking, guild, article, true);
    expect(await readVoters(place.ranking, guild, article)).toEqual(voters);
    expect(await readArticle(place.ranking, guild, article)).toEqual(before);
    expect(await audit(place.ranking, guild)).toEqual([]);
    await closeArticle(place.ranking, guild, article);
    expect((await readVoters(place.ranking, guild, article)).size).toBe(0);
    expect(await readArticle(place.ranking, guild, article)).toEqual({ ...before, closed: true });
    expect(await audit(place.ranking, guild)).toEqual([]);
  });
});

test('a row without a place for voters, as version 1 wrote it, is one whose voters are a set', async () => {
  const guild = place.newGuild();
  const article = await post(place.ranking, guild);
  const keys = guildKeys(APPLICATION, guild);
  const row = (await place.ranking.redis.hgetBuffer(keys.articles, article))!;
  expect(row.at(-1)).toBe(10);
  const old = row.subarray(0, -1);
  old.writeUInt32BE(3, 0);
  await place.ranking.redis.hset(keys.articles, article, old);
  await place.ranking.redis.sadd(keys.voters(article), members[25]!, members[26]!);
  const ballot = { guild, article, vote: 'up' } as const;
  await castVote(place.ranking, { ...ballot, member: members[25]! }, NOON);
  await castVote(place.ranking, { ...ballot, member: members[27]! }, NOON);
  expect(await readArticle(place.ranking, guild, article)).toMatchObject({ up: 4, down: 0 });
});

test('no member is taken for another whose bytes in the row are alike', async () => {
  const guild = place.newGuild();
  const article = await post(place.ranking, guild);
  const billion = 10n ** 9n;
  const [first, second] = [123_456_789n * billion + 111n, 42n * billion + 5n];
  // The end of the first and the beginning of the second, as they stand side by side.
  const across = 1280n * billion + 123_456_789n;
  // The same but for the last byte.
  const above = first + 2n ** 32n * billion;
  for (const id of [first, second, across, above]) {
    const ballot = { guild, article, member: String(id) };
    expect(await readVoter(place.ranking, guild, article, ballot.member)).toBeNull();
    const outcome = await castVote(place.ranking, { ...ballot, vote: 'up' }, NOON);
    expect(outcome.status).toBe('counted');
  }
  expect(await readArticle(place.ranking, guild, article)).toMatchObject({ up: 5, down: 0 });
});

test.each([0, 40])(
  'a repeated vote on a locked article with %i others is unchanged',
  async (others) => {
    const guild = place.newGuild();
    const article = await post(place.ranking, guild);
    await voteAll(guild, article, others);
    const ballot = { guild, article, member: members[50]!, vote: 'up' } as const;
    await castVote(place.ranking, ballot, NOON);
    await lockArticle(place.ranking, { guild, article, locked: true });
    expect((await castVote(place.ranking, ballot, NOON)).status).toBe('unchanged');
    expect((await castVote(place.ranking, { ...ballot, vote: 'down' }, NOON)).status).toBe(
      'locked',
    );
    expect((await castVote(place.ranking, { ...ballot, member: '77' }, NOON)).status).toBe(
      'locked',
    );
    expect(await audit(place.ranking, guild)).toEqual([]);
  },
);
