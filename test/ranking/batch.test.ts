import { expect, test } from 'vitest';
import { postArticle, readArticle } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { openRanking } from '../../src/ranking/ranking.ts';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { setVote, recordReaction } from '../../src/ranking/ballots/votes.ts';
import { commandstats, resetCommandstats } from '../fixtures/commandstats.ts';
import { anArticle, APPLICATION, idAt, member, NOON, post, useRanking } from './test-ranking.ts';

const setup = useRanking();

/** Scripts that ran: a server that does not know one yet refuses it first. */
async function scriptsDuring(work: () => Promise<unknown>): Promise<number> {
  await setup.ranking.changes.flush();
  await resetCommandstats(setup.ranking.redis);
  await work();
  const stats = await commandstats(setup.ranking.redis);
  const calls = [...stats.matchAll(/cmdstat_eval(?:sha)?:calls=(\d+).*failed_calls=(\d+)/g)];
  return calls.reduce((sum, [, made, failed]) => sum + Number(made) - Number(failed), 0);
}

test('the votes of one turn of the event loop are one script for each guild', async () => {
  const guilds = [setup.newGuild(), setup.newGuild()];
  const articles = await Promise.all(guilds.map((guild) => post(setup.ranking, guild)));
  const scripts = await scriptsDuring(() =>
    Promise.all(
      Array.from({ length: 40 }, (_, i) => {
        const [guild, article] = [guilds[i % 2]!, articles[i % 2]!];
        return setVote(setup.ranking, { guild, article, member: member(i), vote: 'up' }, NOON);
      }),
    ),
  );
  expect(scripts).toBe(2);
  expect(await readArticle(setup.ranking, guilds[0]!, articles[0]!)).toMatchObject({ up: 21 });
  expect(await readArticle(setup.ranking, guilds[1]!, articles[1]!)).toMatchObject({ up: 21 });
});

test('a turn with more votes than a script takes is several scripts', async () => {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const outcomes: Promise<unknown>[] = [];
  const scripts = await scriptsDuring(() => {
    for (let i = 0; i < 1000; i++) {
      const ballot = { guild, article, member: member(i), vote: 'up' } as const;
      outcomes.push(setVote(setup.ranking, ballot, NOON));
    }
    return Promise.all(outcomes);
  });
  expect(scripts).toBe(Math.ceil(1000 / 32));
  // Each vote is told the tally that it made itself.
  expect(await Promise.all(outcomes)).toMatchObject(
    Array.from({ length: 1000 }, (_, i) => ({ status: 'counted', up: 2 + i })),
  );
});

test('each of many switches is told its tally and which older reaction is still shown', async () => {
  const guild = setup.newGuild();
  const [one, other] = await Promise.all([post(setup.ranking, guild), post(setup.ranking, guild)]);
  const show = (article: string, n: number, direction: 'up' | 'down') => {
    const reaction = { guild, article, member: member(n), direction, shown: true } as const;
    return recordReaction(setup.ranking, reaction, NOON);
  };
  expect(
    await Promise.all([show(one, 1, 'up'), show(other, 1, 'down'), show(one, 2, 'down')]),
  ).toEqual([
    { status: 'counted', vote: 'up', older: null, up: 2, down: 0, crossedMark: false },
    { status: 'counted', vote: 'down', older: null, up: 1, down: 1, crossedMark: false },
    { status: 'counted', vote: 'down', older: null, up: 2, down: 1, crossedMark: false },
  ]);
  expect(
    await Promise.all([show(one, 1, 'down'), show(other, 1, 'up'), show(one, 2, 'down')]),
  ).toEqual([
    { status: 'counted', vote: 'down', older: 'up', up: 1, down: 2, crossedMark: false },
    { status: 'counted', vote: 'up', older: 'down', up: 2, down: 0, crossedMark: false },
    { status: 'repeated' },
  ]);
});

test('what else is sent in the turn goes after what was gathered before it', async () => {
  const guild = setup.newGuild();
  const article = anArticle(guild);
  const ballot = { guild, article: article.id, member: member(1), direction: 'up' } as const;
  const sent = [
    postArticle(setup.ranking, article),
    recordReaction(setup.ranking, { ...ballot, shown: true }, NOON),
    recordReaction(setup.ranking, { ...ballot, shown: false }, NOON),
    recordReaction(setup.ranking, { ...ballot, shown: true }, NOON),
    postArticle(setup.ranking, article),
  ];
  expect(await Promise.all(sent)).toMatchObject([
    { status: 'posted' },
    { status: 'counted', up: 2 },
    { status: 'counted', up: 1 },
    { status: 'counted', up: 2 },
    { status: 'known' },
  ]);
  const direct = setVote(setup.ranking, { ...ballot, member: member(2), vote: 'down' }, NOON);
  const seen = setup.ranking.redis
    .exists(`nothing:{${guild}}`)
    .then(() => readVoters(setup.ranking, guild, article.id));
  expect([...(await seen).keys()].toSorted()).toEqual([member(1), member(2)]);
  await direct;
});

test('the same link twice in one turn belongs to the first', async () => {
  const guild = setup.newGuild();
  const first = anArticle(guild);
  const second = { ...anArticle(guild), linkName: first.linkName };
  const outcomes = await Promise.all([
    postArticle(setup.ranking, first),
    postArticle(setup.ranking, second),
    postArticle(setup.ranking, first),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'posted' },
    { status: 'duplicate', article: first.id },
    { status: 'known' },
  ]);
});

test('votes in thousands of guilds go out in one turn', async () => {
  const guilds = Array.from({ length: 4000 }, () => setup.newGuild());
  const article = idAt(NOON);
  const outcomes = await Promise.all(
    guilds.map((guild) =>
      setVote(setup.ranking, { guild, article, member: member(1), vote: 'up' }, NOON),
    ),
  );
  expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['unknown']));
});

test('a row that no version wrote fails nobody else’s vote', async () => {
  const guild = setup.newGuild();
  const articles = await Promise.all([post(setup.ranking, guild), post(setup.ranking, guild)]);
  const { articles: rows } = guildKeys(setup.ranking, guild);
  const voters = Array.from({ length: 32 }, (_, i) => member(i));
  for (const voter of voters) {
    const ballot = { guild, article: articles[0], member: voter, vote: 'up' } as const;
    await setVote(setup.ranking, ballot, NOON);
  }
  for (const broken of ['', 'broken', 'neither a row nor a tally', `${'x'.repeat(400)} \n`]) {
    await setup.ranking.redis.hset(rows, articles[1], broken);
    const who = member(100 + broken.length);
    const outcomes = await Promise.all(
      articles.map((article) =>
        setVote(setup.ranking, { guild, article, member: who, vote: 'up' }, NOON),
      ),
    );
    expect(outcomes.map(({ status }) => status)).toEqual(['counted', 'unknown']);
  }
  const known = await readVoters(setup.ranking, guild, articles[0]);
  expect(known.size).toBe(36);
  expect(await readArticle(setup.ranking, guild, articles[0])).toMatchObject({ up: 37 });
});

test('an article that is none fails no other post', async () => {
  const guild = setup.newGuild();
  const outcomes = await Promise.allSettled([
    postArticle(setup.ranking, anArticle(guild)),
    postArticle(setup.ranking, { ...anArticle(guild), id: 'none' }),
    postArticle(setup.ranking, anArticle(guild)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('where Redis cannot be asked, every vote of the turn is told so', async () => {
  const redis = setup.server.redis.duplicate();
  const ranking = openRanking({ redis, applicationId: APPLICATION });
  await redis.ping();
  redis.disconnect();
  const guild = setup.newGuild();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 3 }, (_, i) =>
      setVote(ranking, { guild, article: '1', member: member(i), vote: 'up' }, 0),
    ),
  );
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
});
