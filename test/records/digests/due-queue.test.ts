import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readDue, setDue } from '../../../src/records/digests/due-queue.ts';
import type { Store } from '../../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';

const now = Date.UTC(2026, 10, 21, 9);

let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1', log: pino({ level: 'silent' }) };
});
afterAll(() => server.stop());
beforeEach(() => server.flush());

describe('what is due', () => {
  test('is read in one go, the longest due first', async () => {
    await setDue(store, '7', 'daily', now);
    await setDue(store, '8', 'a:b', now - 5);
    await setDue(store, '9', 'daily', now + 1);
    expect(await readDue(store, now)).toEqual([
      { guild: '8', digest: 'a:b', atMs: now - 5 },
      { guild: '7', digest: 'daily', atMs: now },
    ]);
  });

  test('moves and goes', async () => {
    await setDue(store, '7', 'daily', now);
    await setDue(store, '7', 'daily', now + 60_000);
    expect(await readDue(store, now)).toEqual([]);
    await setDue(store, '7', 'daily', null);
    expect(await readDue(store, now + 60_000)).toEqual([]);
  });
});
