import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../src/log.ts';
import { deployedKey, schemaKey } from '../../src/redis/keys.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { type Migration, prepareSchema, schemaVersion } from '../../src/redis/migrations.ts';
import { openStore, type Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../private-redis.ts';

const APPLICATION = '1100000000000000001';
const log = createLog('silent');
let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = openStore(server.redis, APPLICATION, log);
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

/** Steps that write down what they did. */
function steps(count: number, diesAt?: number): Migration[] {
  return Array.from({ length: count }, (_, i) => ({
    what: `step ${i + 1}`,
    async run({ redis }) {
      if (i + 1 === diesAt) throw new Error('died');
      await redis.rpush('steps', String(i + 1));
    },
  }));
}
const done = () => server.redis.lrange('steps', 0, -1);
const version = () => server.redis.get(schemaKey(APPLICATION));

test('an empty Redis is of this version from the start', async () => {
  expect(await prepareSchema(store, steps(2))).toMatchObject({ status: 'ready', version: 3 });
  expect(await done()).toEqual([]);
  expect(await prepareSchema(store, steps(2))).toMatchObject({ status: 'ready', from: 3 });
});

describe('older data', () => {
  test('is brought forward step by step, each once', async () => {
    await server.redis.set(schemaKey(APPLICATION), '2');
    const outcome = await prepareSchema(store, steps(4));
    expect(outcome).toEqual({ status: 'ready', version: 5, from: 2 });
    expect(await done()).toEqual(['2', '3', '4']);
    await prepareSchema(store, steps(4));
    expect(await done()).toHaveLength(3);
  });

  test('from before versions were kept is version 1', async () => {
    await server.redis.set(deployedKey(APPLICATION), 'hash');
    expect(await prepareSchema(store, steps(1))).toMatchObject({ from: 1, version: 2 });
    expect(await done()).toEqual(['1']);
  });

  test('goes on where a process died', async () => {
    await server.redis.set(schemaKey(APPLICATION), '1');
    await expect(prepareSchema(store, steps(3, 2))).rejects.toThrow('died');
    expect(await version()).toBe('2');
    await prepareSchema(store, steps(3));
    expect(await done()).toEqual(['1', '2', '3']);
  });

  test('is upgraded by one of many processes that start at once', async () => {
    await server.redis.set(schemaKey(APPLICATION), '1');
    const connections = Array.from({ length: 5 }, () =>
      connectRedis(server.url, { log, name: 'test' }),
    );
    const outcomes = await Promise.all(
      connections.map((redis) => prepareSchema(openStore(redis, APPLICATION, log), steps(2))),
    );
    for (const redis of connections) redis.disconnect();
    expect(outcomes.every(({ status }) => status === 'ready')).toBe(true);
    expect(await done()).toEqual(['1', '2']);
  });
});

test('newer data is left as it is, with a sentence that says what to do', async () => {
  const newer = String(schemaVersion() + 1);
  await server.redis.set(schemaKey(APPLICATION), newer);
  const outcome = await prepareSchema(store);
  expect(outcome).toMatchObject({
    status: 'refused',
    reason: expect.stringMatching(/newer Frontpage .*: start that one again, or restore .+\.$/),
  });
  expect(await version()).toBe(newer);
});
