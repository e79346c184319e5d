import { describe, expect, test } from 'vitest';
import { readArticle } from '../../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { linkHashOf } from '../../../src/ranking/links/reservations.ts';
import { removeArticle, restoreArticle } from '../../../src/ranking/articles/removed.ts';
import type { Direction } from '../../../src/ranking/row.ts';
import {
  readReactionCounts,
  readVoter,
  readVoters,
  readVotesOf,
} from '../../../src/ranking/ballots/voters.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { inconsistencies } from '../consistency.ts';
import { AI, GAMES, member, NOON, post, POSTER, RUST, useRanking } from '../test-ranking.ts';

const setup = useRanking();

/** Ids of every length up to the longest that 64 bits hold. */
const members = Array.from({ length: 60 }, (_, i) =>
  i === 59 ? '18446744073709551615' : String(10n ** BigInt(i % 20) + BigInt(i)),
);
const direction = (i: number): Direction => (i % 3 === 2 ? 'down' : 'up');

async function voteAll(guild: string, article: string, count: number): Promise<void> {
  for (const [i, member] of members.slice(0, count).entries()) {
    await setVote(setup.ranking, { guild, article, member, vote: direction(i) }, NOON);
  }
}

describe.each([0, 1, 60])('of %i voters', (count) => {
  test('each is known by id and vote, and rankings, links and tallies agree', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await voteAll(guild, article, count);
    const wanted = members
      .slice(0, count)
      .map((member, i) => [member, { vote: direction(i), older: false }] as const);
    expect(await readVoters(setup.ranking, guild, article)).toEqual(new Map(wanted));
    for (const [i, member] of members.entries()) {
      const vote = i < count ? direction(i) : 'none';
      expect(await readVotesOf(setup.ranking, guild, member, [article])).toEqual([vote]);
    }
    const key = guildKeys(setup.ranking, guild).voters(article);
    expect(await setup.ranking.redis.exists(key)).toBe(count > 0 ? 1 : 0);
    expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
  });

  test('each can switch and take back', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await voteAll(guild, article, count);
    for (const [i, member] of members.slice(0, count).entries()) {
      const other = direction(i) === 'up' ? 'down' : 'up';
      const ballot = { guild, article, member };
      expect(await setVote(setup.ranking, { ...ballot, vote: other }, NOON)).toMatchObject({
        status: 'counted',
      });
      expect(await readVoter(setup.ranking, guild, article, member)).toEqual({
        vote: other,
        older: false,
      });
      if (i % 2 === 0) await setVote(setup.ranking, { ...ballot, vote: 'none' }, NOON);
    }
    expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
    expect((await readVoters(setup.ranking, guild, article)).size).toBe(Math.floor(count / 2));
  });

  test('a removed article keeps them, and a closed one does not', async () => {
    const guild = setup.newGuild();
    const article = await post(setup.ranking, guild);
    await voteAll(guild, article, count);
    const voters = await readVoters(setup.ranking, guild, article);
    const before = await readArticle(setup.ranking, guild, article);
    await removeArticle(setup.ranking, guild, article, NOON);
    expect(await readVoters(setup.ranking, guild, article)).toEqual(voters);
    await restoreArticle(setup.ranking, guild, article, true);
    expect(await readVoters(setup.ranking, guild, article)).toEqual(voters);
    expect(await readArticle(setup.ranking, guild, article)).toEqual(before);
    expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
    await closeArticle(setup.ranking, guild, article);
    expect((await readVoters(setup.ranking, guild, article)).size).toBe(0);
    expect(await readArticle(setup.ranking, guild, article)).toEqual({ ...before, closed: true });
    expect(await inconsistencies(setup.ranking, guild)).toEqual([]);
  });
});

test('what Discord’s counts are compared with says which articles are damaged, and which unknown', async () => {
  const guild = setup.newGuild();
  const { ranking } = setup;
  const [fit, damaged] = [await post(ranking, guild), await post(ranking, guild)];
  for (const article of [fit, damaged])
    await setVote(ranking, { guild, article, member: member(1), vote: 'up', older: true }, NOON);
  expect(await readVoter(ranking, guild, fit, member(2))).toBeNull();
  await ranking.redis.set(guildKeys(ranking, guild).older(damaged), 'no set');
  expect(await readReactionCounts(ranking, guild, [damaged, '1', fit])).toMatchObject([
    { article: { id: damaged }, both: 0, broken: true },
    null,
    { article: { id: fit }, both: 1, broken: false },
  ]);
});

test('the voters are one intset of signed ids, and the row is text that begins with the tally', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild, { groups: [AI], channel: GAMES });
  const keys = guildKeys(setup.ranking, guild);
  await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      setVote(setup.ranking, { guild, article, member: member(i), vote: direction(i) }, NOON),
    ),
  );
  const { redis } = setup.ranking;
  expect(await redis.object('ENCODING', keys.voters(article))).toBe('intset');
  expect(await redis.sismember(keys.voters(article), `-${member(2)}`)).toBe(1);
  const row = await redis.hget(keys.articles, article);
  const linkHash = linkHashOf(`https://example.com/${article}`);
  expect(row).toBe(`201 100 ${NOON / 1000} ol ${RUST},${AI} ${POSTER} ${linkHash} ${GAMES}`);
});
