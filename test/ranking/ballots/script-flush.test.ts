import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { readArticle } from '../../../src/ranking/articles/articles.ts';
import { scripts } from '../../../src/ranking/scripts.ts';
import { setVote } from '../../../src/ranking/ballots/votes.ts';
import { mastersOf } from '../../fixtures/cluster.ts';
import { member, NOON, post, useRanking } from '../test-ranking.ts';

const setup = useRanking();

// Withstands (Redis, while the bot runs): Servers forget their scripts (SCRIPT FLUSH)
// → votes go on in order
test('votes over thirty guilds go on while every server forgets its scripts', async () => {
  const { ranking } = setup;
  const guilds = Array.from({ length: 30 }, () => setup.newGuild());
  const articles = await Promise.all(guilds.map((guild) => post(ranking, guild)));
  let flushes = 0;
  let next = 0;
  const votes = 3000;
  const vote = async () => {
    for (let i = next++; i < votes; i = next++) {
      const n = i % guilds.length;
      const ballot = { guild: guilds[n]!, article: articles[n]!, member: member(i) };
      expect(await setVote(ranking, { ...ballot, vote: 'up' }, NOON)).toMatchObject({
        status: 'counted',
      });
      if (i % 200 === 0) {
        flushes++;
        await Promise.all(mastersOf(ranking.redis).map((node) => node.script('FLUSH')));
      }
    }
  };
  await Promise.all(Array.from({ length: 64 }, vote));
  expect(flushes).toBe(15);
  const tallies = await Promise.all(
    guilds.map((guild, n) => readArticle(ranking, guild, articles[n]!)),
  );
  expect(tallies.map((article) => article?.up)).toEqual(guilds.map(() => 1 + votes / 30));
});

test('a server that is connected anew knows the scripts of votes before any is cast', async () => {
  const { redis } = setup.ranking;
  const { castVotes, clearReactions } = scripts;
  const knownTo = async (node: Redis) =>
    node.script('EXISTS', sha1(castVotes.lua), sha1(clearReactions.lua));
  const nodes = mastersOf(redis);
  const all = nodes.map(() => [1, 1]);
  for (const node of nodes) {
    await node.script('FLUSH');
    expect(await knownTo(node)).toEqual([0, 0]);
    // As after a new start, connections end and scripts are gone.
    await node.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'no').catch(() => {});
  }
  const known = async () => {
    // A cluster's connections are others now.
    const guilds = Array.from({ length: 30 }, () => setup.newGuild());
    await Promise.all(guilds.map((guild) => redis.exists(`nothing:{${guild}}`)));
    return Promise.all(mastersOf(redis).map(knownTo));
  };
  await expect.poll(() => known().catch(() => [])).toEqual(all);
});

function sha1(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}
