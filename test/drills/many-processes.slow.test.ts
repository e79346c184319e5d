import { setImmediate as immediate } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/tour/sandbox.ts';
import { addMember } from '../../sandbox/discord/index.ts';
import { awaitIdentify } from '../../src/redis/identify.ts';
import { createLog } from '../../src/log.ts';
import { readArticle } from '../../src/ranking/articles/articles.ts';
import { openRanking, type Ranking } from '../../src/ranking/ranking.ts';
import { type Run, runFrontpage } from '../fixtures/bot-process.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const PROCESSES = 3;
/** The number of guilds of each process. */
const EACH = 4;

let sandbox: Sandbox;
let redis: TestRedis;
let ranking: Ranking;
const bots: Run[] = [];
const guilds: { guild: string; general: string }[] = [];

beforeAll(async () => {
  [sandbox, redis] = await Promise.all([
    startSandbox({ rateLimits: false, answerWithinMs: 30_000 }),
    startTestRedis(),
  ]);
  ranking = openRanking(redis.redis, sandbox.applicationId);
  // A guild's shard follows from the millisecond in which it was made.
  while (guilds.length < PROCESSES * EACH) {
    await immediate();
    const made = sandbox.operator.createGuild({ name: 'Guild', owner: sandbox.admin });
    const there = guilds.filter(({ guild }) => shardOf(guild) === shardOf(made.guild));
    if (there.length < EACH) guilds.push(made);
  }
});
afterAll(async () => {
  for (const bot of bots) await bot.end('SIGKILL');
  await sandbox.stop();
  await redis.stop();
});

function start(shard: number): Run {
  return runFrontpage({
    REDIS_URL: redis.url,
    DISCORD_API_BASE: sandbox.apiBase,
    DISCORD_TOKEN: sandbox.token,
    SHARDS: String(shard),
    SHARD_COUNT: String(PROCESSES),
  });
}

const shardOf = (guild: string) => Number((BigInt(guild) >> 22n) % BigInt(PROCESSES));
const tally = async (guild: string, article: string) =>
  (await readArticle(ranking, guild, article))?.up;

test('three processes share the guilds, one may die, and all tallies equal the record again', async () => {
  for (let shard = 0; shard < PROCESSES; shard++) bots.push(start(shard));
  for (const app of bots) await app.isOn();
  expect(sandbox.requests.count('PUT', /commands/)).toBe(1);

  const admin = sandbox.as(sandbox.admin);
  const articles: { guild: string; general: string; article: string }[] = [];
  for (const place of guilds) {
    const link = `https://news.example/${place.guild}`;
    const answer = await admin.command(place.general, 'post', { link });
    articles.push({ ...place, article: answer.message?.id ?? '' });
  }
  const voters = sandbox.members.slice(0, 3);
  const vote = (voter: string) => {
    for (const { general, article } of articles) sandbox.as(voter).react(general, article, '👍');
  };
  for (const { guild } of articles) {
    const { world } = sandbox;
    for (const voter of voters) addMember(world, world.guilds.get(guild)!, voter);
  }
  vote(voters[0]!);
  for (const { guild, article } of articles) {
    await expect.poll(() => tally(guild, article)).toBe(2);
  }

  // What a process misses is in Discord; the others go on meanwhile.
  const dead = 1;
  await bots[dead]!.end('SIGKILL');
  vote(voters[1]!);
  for (const { guild, article } of articles) {
    const known = shardOf(guild) === dead ? 2 : 3;
    await expect.poll(() => tally(guild, article)).toBe(known);
  }
  bots[dead] = start(dead);
  await bots[dead].isOn();
  vote(voters[2]!);
  for (const { guild, article } of articles) {
    await expect.poll(() => tally(guild, article)).toBe(4);
  }
}, 300_000);

test('of shards that want to begin at once, one of a bucket begins in five seconds', async () => {
  const store = { redis: redis.redis, applicationId: '1', log: createLog('silent') };
  // The third would wait for ever by this clock.
  const clock = { now: () => 1_000_000 };
  const giveUp = new AbortController();
  const begun: number[] = [];
  const waiting = [0, 0, 1].map((bucket) =>
    awaitIdentify(store, clock, bucket, giveUp.signal).then(
      () => begun.push(bucket),
      () => {},
    ),
  );
  await expect.poll(() => begun.toSorted((a, b) => a - b)).toEqual([0, 1]);
  const until = await redis.redis.hget('frontpage:1:lease:identify:0', 'until');
  expect(Number(until) - clock.now()).toBeGreaterThan(5000);
  giveUp.abort();
  await Promise.all(waiting);
  expect(begun).toHaveLength(2);
});
