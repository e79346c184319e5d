import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  endScan,
  readScanned,
  rescanFrom,
  writeScanned,
} from '../../../src/history/rebuild/stored-rebuilds.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import type { Store } from '../../../src/redis/store.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';

const guild = '7';
let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1', log: createLog('silent') };
});
afterAll(() => server.stop());

test('a scan notes until when it has read, unless an earlier time was wanted while it read', async () => {
  await endScan(store, guild, { before: null, untilMs: 100 });
  expect(await readScanned(store, guild)).toBe(100);
  await rescanFrom(store, guild, 40);
  await endScan(store, guild, { before: 100, untilMs: 200 });
  expect(await readScanned(store, guild)).toBe(40);
  await endScan(store, guild, { before: 40, untilMs: 300 });
  expect(await readScanned(store, guild)).toBe(300);
});

test('a scan notes until when it has read also where the time before cannot be read', async () => {
  await writeScanned(store, guild, 100);
  await server.redis.set(storeKeys(store, guild).scanned, 'damaged');
  await endScan(store, guild, { before: await readScanned(store, guild), untilMs: 200 });
  expect(await readScanned(store, guild)).toBe(200);
});
