import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onMetric } from '../../../src/runtime/metrics.ts';
import { readVoters } from '../../../src/ranking/ballots/voters.ts';
import { recordReaction } from '../../../src/ranking/ballots/votes.ts';
import { randomReactions } from './random-reactions.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { within } from '../../fixtures/own-time.ts';

let scene: Scene;
let articles: string[];
let members: string[];

beforeAll(async () => {
  scene = await startScene();
  const recounted = new Promise<void>((resolve) => {
    const stopHearing = onMetric('recount', () => {
      stopHearing();
      resolve();
    });
  });
  scene.follow();
  // The recount of the start would find what a test is about.
  await recounted;
});
afterAll(async () => {
  scene.redis.resume();
  await scene.stop();
});
beforeEach(async () => {
  articles = await scene.plant(scene.sandbox.channels.general.id, 5);
  members = scene.crowd(40);
});

/** Everybody shows one reaction, so that what they meant is plain. */
function everyoneVotes(round: number) {
  members.forEach((member, n) => {
    const id = articles[(n + round) % articles.length] ?? '';
    const [now, before] = (n + round) % 3 === 0 ? ['👎', '👍'] : ['👍', '👎'];
    scene.unreact(member, id, before ?? '');
    scene.react(member, id, now ?? '');
  });
}

/** Resolves when a vote could not be written. */
const aMissedVote = () => new Promise<unknown>((resolve) => scene.bot.reactions.onMissed(resolve));

async function expectVotesWithin5s() {
  await within(5000, scene.agree(articles));
}

describe('votes flow again within 5 s', () => {
  // Withstands (Redis, while the bot runs): Redis is killed, stands still or refuses writes
  // → votes count within half a minute
  test('votes flow again within 5 s after Redis was killed while votes came', async () => {
    everyoneVotes(0);
    const back = scene.redis.restart();
    for (let round = 1; round < 4; round += 1) everyoneVotes(round);
    await back;
    everyoneVotes(4);
    await expectVotesWithin5s();
  });

  test('votes flow again within 5 s after Redis stood still for longer than a command may take', async () => {
    everyoneVotes(0);
    scene.redis.pause();
    const missed = aMissedVote();
    everyoneVotes(1);
    await missed;
    everyoneVotes(2);
    scene.redis.resume();
    await expectVotesWithin5s();
  });

  test('votes flow again within 5 s after Redis was read-only', async () => {
    const { redis } = scene.redis;
    everyoneVotes(0);
    await scene.agree(articles);
    await redis.config('SET', 'min-replicas-to-write', '1');
    const missed = aMissedVote();
    everyoneVotes(1);
    await missed;
    everyoneVotes(2);
    await redis.config('SET', 'min-replicas-to-write', '0');
    await expectVotesWithin5s();
  });
});

test('a vote in the place of another one while Redis was away is found behind equal counts', async () => {
  const [article = ''] = articles;
  const [one = '', other = ''] = members;
  scene.react(one, article, '👍');
  await scene.agree([article]);
  scene.redis.pause();
  scene.unreact(one, article, '👍');
  scene.react(other, article, '👍');
  const { seen } = scene.bot;
  await expect.poll(() => seen.lastReading(article).kind).toBe('missed event');
  scene.redis.resume();
  const { ranking } = scene.bot;
  await expect
    .poll(async () => [...(await readVoters(ranking, scene.sandbox.guildId, article)).keys()])
    .toEqual([other]);
});

// Withstands (Redis, while the bot runs): A failover forgets confirmed votes
// → they are counted again
test('a vote that the server confirmed and its successor lacks is counted again', async () => {
  everyoneVotes(0);
  await scene.agree(articles);
  // A recount that an earlier test left pending would find the vote as well.
  await scene.settled();
  const { ranking, clock } = scene.bot;
  const [article = '', other = ''] = articles;
  const [member = ''] = (await readVoters(ranking, scene.sandbox.guildId, article)).keys();
  for (const direction of ['up', 'down'] as const) {
    const lost = { guild: scene.sandbox.guildId, article, member, direction, shown: false };
    await recordReaction(ranking, lost, clock.now());
  }
  expect(await scene.differences(articles)).toHaveLength(1);
  const missed = aMissedVote();
  scene.redis.pause();
  scene.react(scene.crowd(1)[0] ?? '', other, '👍');
  await missed;
  scene.redis.resume();
  await scene.agree(articles);
});

test('votes that a restarted server lacks are counted again, though only an event of another guild failed', async () => {
  everyoneVotes(0);
  await scene.agree(articles);
  // A recount that an earlier test left pending would find the vote as well.
  await scene.settled();
  const { ranking, clock, reactions } = scene.bot;
  const [article = ''] = articles;
  const { guildId: guild, channels } = scene.sandbox;
  const [member = ''] = (await readVoters(ranking, guild, article)).keys();
  for (const direction of ['up', 'down'] as const) {
    await recordReaction(ranking, { guild, article, member, direction, shown: false }, clock.now());
  }
  expect(await scene.differences([article])).toHaveLength(1);
  scene.redis.pause();
  const outcomes: string[] = [];
  reactions.onMissed((missed) => outcomes.push(missed));
  const channel = channels.general.id;
  reactions.handle({ kind: 'removal', guild: '1', channel, article: '2', atMs: clock.now() });
  await expect.poll(() => outcomes).toEqual(['1']);
  scene.redis.resume();
  await scene.redis.restart();
  await scene.agree([article]);
});

test('a recount during which Redis goes away leaves the rest as it is', async () => {
  await scene.settled();
  const crowd = randomReactions(scene, 3, { articles, members });
  scene.secretly(() => crowd.react(400));
  const end = scene.sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 50 });
  const before = scene.sandbox.requests.count('GET', /reactions/);
  const recount = scene.recount({ full: true });
  await scene.sandbox.until(
    () => scene.sandbox.requests.count('GET', /reactions/) > before + 7 || undefined,
    'some lists',
  );
  scene.redis.pause();
  end();
  const { read, unread } = await recount;
  expect(read).toBeGreaterThan(0);
  expect(unread).not.toEqual([]);
  scene.redis.resume();
  await scene.eventually(
    () => scene.recount({ full: true }).catch(() => null),
    (report) => report?.unread.length === 0,
    'recounted',
  );
  expect(await scene.differences(articles)).toEqual([]);
});
