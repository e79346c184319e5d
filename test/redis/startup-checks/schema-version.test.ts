import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { sharedKeys } from '../../../src/redis/store-keys.ts';
import { checkSchema, SCHEMA_VERSION } from '../../../src/redis/startup-checks/schema-version.ts';
import type { Store } from '../../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';

const APPLICATION = '1100000000000000001';
let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: APPLICATION, log: createLog('silent') };
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

test('an empty Redis is of this version from the first look on', async () => {
  await checkSchema(store, {});
  expect(await server.redis.get(sharedKeys({ applicationId: APPLICATION }).schema)).toBe(
    String(SCHEMA_VERSION),
  );
  await checkSchema(store, {});
});

// Withstands (Starts that fail, with one sentence): The version of the data is damaged
// → the sentence has the cure
test('a version that something damaged is named with its cure', async () => {
  const key = sharedKeys({ applicationId: APPLICATION }).schema;
  await server.redis.set(key, 'garbage');
  await expect(checkSchema(store, {})).rejects.toThrow(`SET ${key} ${SCHEMA_VERSION}`);
  await server.redis.del(key);
  await server.redis.rpush(key, 'garbage');
  await expect(checkSchema(store, {})).rejects.toThrow(`SET ${key} ${SCHEMA_VERSION}`);
  await server.redis.set(key, SCHEMA_VERSION);
  await checkSchema(store, {});
});

test('a version that cannot be read for now is not said to be damaged', async () => {
  await server.redis.call('ACL', 'SETUSER', 'blind', 'on', 'nopass', '~*', '+@all', '-get');
  const redis = server.redis.duplicate({ username: 'blind', password: 'any' });
  await expect(checkSchema({ ...store, redis }, {})).rejects.toThrow(/^NOPERM/);
  redis.disconnect();
  await server.redis.call('ACL', 'DELUSER', 'blind');
});

test('an older version is upgraded a step at a time, and one that another process upgraded further stays', async () => {
  const key = sharedKeys({ applicationId: APPLICATION }).schema;
  const steps: number[] = [];
  const step = (n: number) => async () => void steps.push(n);
  const last = SCHEMA_VERSION - 1;
  await server.redis.set(key, SCHEMA_VERSION - 2);
  await checkSchema(store, { [last - 1]: step(last - 1), [last]: step(last) });
  expect(steps).toEqual([last - 1, last]);
  expect(await server.redis.get(key)).toBe(String(SCHEMA_VERSION));
  await server.redis.set(key, last);
  const newer = async () => void (await server.redis.set(key, SCHEMA_VERSION + 1));
  await checkSchema(store, { [last]: newer });
  expect(await server.redis.get(key)).toBe(String(SCHEMA_VERSION + 1));
});

// Withstands (Damaged data): An older program is started with the data of a newer one
// → it does not start, says so, and changes nothing
test.each([SCHEMA_VERSION - 1, SCHEMA_VERSION + 1])(
  'data of version %i, to which no way leads, is refused and left as it is',
  async (version) => {
    await server.redis.set(sharedKeys({ applicationId: APPLICATION }).schema, version);
    await expect(checkSchema(store, {})).rejects.toThrow(`version ${version}`);
    expect(await server.redis.get(sharedKeys({ applicationId: APPLICATION }).schema)).toBe(
      String(version),
    );
  },
);
