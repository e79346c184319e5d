import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { awaitIdentify } from '../../src/redis/identify.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

test('of shards that want to begin at once, one of a bucket begins in five seconds', async () => {
  const store = { redis: server.redis, applicationId: '1', log: createLog('silent') };
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
  const until = await server.redis.hget('frontpage:1:lease:identify:0', 'until');
  expect(Number(until) - clock.now()).toBeGreaterThan(5000);
  giveUp.abort();
  await Promise.all(waiting);
  expect(begun).toHaveLength(2);
});

test('shards of a bucket begin one after the other, however many wait', async () => {
  const store = { redis: server.redis, applicationId: '2', log: createLog('silent') };
  const clock = { now: () => Math.floor(performance.now()) };
  const begin = async () => {
    await awaitIdentify(store, clock, 0, new AbortController().signal, 50);
    return clock.now();
  };
  const [first = 0, second = 0, third = 0] = (await Promise.all([1, 2, 3].map(begin))).toSorted(
    (a, b) => a - b,
  );
  // When an answer of Redis comes, a session has begun for as long as it took.
  expect(Math.min(second - first, third - second)).toBeGreaterThan(25);
});

test('while Redis is away, a shard begins after the time of one session', async () => {
  const redis = server.redis.duplicate();
  redis.disconnect();
  const store = { redis, applicationId: '1', log: createLog('silent') };
  const clock = { now: () => 1_000_000 };
  const begunMs = performance.now();
  await awaitIdentify(store, clock, 0, new AbortController().signal, 100);
  expect(performance.now() - begunMs).toBeGreaterThan(95);
});
