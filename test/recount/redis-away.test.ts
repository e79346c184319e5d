import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { showReaction } from '../../src/ranking/ballots/votes.ts';
import { gatherMob } from './damage.ts';
import { type Stage, startStage } from './stage.ts';

let stage: Stage;
let articles: string[];
let members: string[];

beforeAll(async () => {
  stage = await startStage();
});
afterAll(async () => {
  stage.redis.resume();
  await stage.stop();
});
beforeEach(async () => {
  articles = await stage.plant(stage.sandbox.channels.general.id, 5);
  members = stage.crowd(40);
});

/** Everybody shows one reaction, so that what they meant is plain. */
function everyoneVotes(round: number) {
  members.forEach((member, n) => {
    const id = articles[(n + round) % articles.length] ?? '';
    const [now, before] = (n + round) % 3 === 0 ? ['👎', '👍'] : ['👍', '👎'];
    stage.unreact(member, id, before ?? '');
    stage.react(member, id, now ?? '');
  });
}

async function expectVotesWithin5s() {
  const fromMs = performance.now();
  await stage.agree(articles);
  expect(performance.now() - fromMs).toBeLessThan(5000);
}

describe('votes flow again within 5 s', () => {
  test('after Redis was killed while votes came', async () => {
    everyoneVotes(0);
    const back = stage.redis.restart();
    for (let round = 1; round < 4; round += 1) everyoneVotes(round);
    await back;
    everyoneVotes(4);
    await expectVotesWithin5s();
  });

  test('after Redis stood still for longer than a command may take', async () => {
    everyoneVotes(0);
    stage.redis.pause();
    everyoneVotes(1);
    const untilMs = performance.now() + 2500;
    await stage.eventually(
      () => performance.now(),
      (now) => now > untilMs,
      'later',
    );
    everyoneVotes(2);
    stage.redis.resume();
    await expectVotesWithin5s();
  });

  test('after Redis was read-only', async () => {
    const { redis } = stage.redis;
    everyoneVotes(0);
    await stage.agree(articles);
    await redis.config('SET', 'min-replicas-to-write', '1');
    everyoneVotes(1);
    const untilMs = performance.now() + 1000;
    await stage.eventually(
      () => performance.now(),
      (now) => now > untilMs,
      'later',
    );
    everyoneVotes(2);
    await redis.config('SET', 'min-replicas-to-write', '0');
    await expectVotesWithin5s();
  });
});

test('a vote that the server confirmed and its successor lacks is counted again', async () => {
  stage.follow();
  everyoneVotes(0);
  await stage.agree(articles);
  const { ranking, clock } = stage.bot.app;
  const [article = '', other = ''] = articles;
  const [member = ''] = (await readVoters(ranking, stage.sandbox.guildId, article)).keys();
  for (const direction of ['up', 'down'] as const) {
    const lost = { guild: stage.sandbox.guildId, article, member, direction, shown: false };
    await showReaction(ranking, lost, clock.now());
  }
  expect(await stage.differences(articles)).toHaveLength(1);
  stage.redis.pause();
  stage.react(stage.crowd(1)[0] ?? '', other, '👍');
  const { reactions } = stage.bot;
  const untilMs = performance.now() + 2000;
  await stage.eventually(
    () => performance.now(),
    (now) => now > untilMs,
    'later',
  );
  stage.redis.resume();
  await stage.eventually(
    () => reactions.missed.size,
    (missed) => missed === 1,
    'back',
  );
  await stage.recounts.tick();
  await stage.agree(articles);
});

test('a recount during which Redis goes away leaves the rest as it is', async () => {
  const mob = gatherMob(stage, 3, { articles, members });
  stage.secretly(() => mob.react(400));
  const end = stage.sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 50 });
  const before = stage.sandbox.requests.count('GET', /reactions/);
  const recount = stage.recount({ full: true });
  await stage.sandbox.until(
    () => stage.sandbox.requests.count('GET', /reactions/) > before + 7 || undefined,
    'some lists',
  );
  stage.redis.pause();
  end();
  const { read, unread } = await recount;
  expect(read).toBeGreaterThan(0);
  expect(unread).not.toEqual([]);
  stage.redis.resume();
  await stage.eventually(
    () => stage.recount({ full: true }).catch(() => null),
    (report) => report?.unread.length === 0,
    'recounted',
  );
  expect(await stage.differences(articles)).toEqual([]);
});
