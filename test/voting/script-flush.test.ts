import { expect, test } from 'vitest';
import { readArticle } from '../../src/voting/articles.ts';
import { castVote } from '../../src/voting/votes.ts';
import { mastersOf } from '../cluster.ts';
import { member, NOON, post, usePlace } from './place.ts';

const place = usePlace();

test('votes over thirty guilds go on while every server forgets its scripts', async () => {
  const { ranking } = place;
  const guilds = Array.from({ length: 30 }, () => place.newGuild());
  const articles = await Promise.all(guilds.map((guild) => post(ranking, guild)));
  let flushes = 0;
  let next = 0;
  const votes = 3000;
  const vote = async () => {
    for (let i = next++; i < votes; i = next++) {
      const n = i % guilds.length;
      const ballot = { guild: guilds[n]!, article: articles[n]!, member: member(i) };
      expect(await castVote(ranking, { ...ballot, vote: 'up' }, NOON)).toMatchObject({
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
