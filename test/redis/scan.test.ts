import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteKeys, readFields, readHash, readSet } from '../../src/redis/scan.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

let server: TestRedis;
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());

const names = Array.from({ length: 3500 }, (_, n) => `${n}`);

test('a guild’s keys go, however many others there are between them', async () => {
  const { redis } = server;
  await redis.mset(names.flatMap((name) => [`other:${name}`, name]));
  await redis.mset('left:{1}:a', '1', 'left:{1}:b', '2', 'left:{12}:a', '3');
  await deleteKeys(redis, 'left:{1}:');
  expect(await redis.keys('left:*')).toEqual(['left:{12}:a']);
  expect(await redis.keys('other:*')).toHaveLength(names.length);
});

test('what is longer than a step is read whole, and what is missing is left out', async () => {
  const { redis } = server;
  await redis.hset('hash', Object.fromEntries(names.map((name) => [name, `of ${name}`])));
  await redis.sadd('set', names);
  expect((await readHash(redis, 'hash')).size).toBe(names.length);
  expect((await readHash(redis, 'hash', '12?')).get('125')).toBe('of 125');
  expect((await readSet(redis, 'set')).size).toBe(names.length);
  const found = await readFields(redis, 'hash', [...names, 'none']);
  expect([found.size, found.get('3499'), found.has('none')]).toEqual([3500, 'of 3499', false]);
  expect((await readFields(redis, 'no hash', ['none'])).size).toBe(0);
});
