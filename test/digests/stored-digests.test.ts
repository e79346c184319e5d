import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  deleteDigest,
  readDigest,
  readDigests,
  repairRun,
  saveDigest,
} from '../../src/digests/stored-digests.ts';
import { type Digest, NO_RUN, zDigest } from '../../src/digests/digest-settings.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';

const guild = '100000000000000001';
const warnings: { faults?: string[]; msg: string }[] = [];
const log = pino(
  { level: 'warn' },
  { write: (line: string) => void warnings.push(JSON.parse(line)) },
);

let server: TestRedis;
let store: Store;
beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '1', log };
});
afterAll(() => server.stop());
beforeEach(async () => {
  await server.flush();
  warnings.length = 0;
});

const daily: Digest = zDigest.parse({
  channel: '200000000000000001',
  schedule: { every: 'day', time: '09:00', zone: 'Europe/Berlin' },
});

describe('digests', () => {
  test('one that is deleted and made anew has posted nothing yet', async () => {
    await saveDigest(store, guild, 'daily', daily);
    await repairRun(store, guild, 'daily', { ...NO_RUN, lastDate: '2026-11-21', lastSlotMs: 1 });
    await deleteDigest(store, guild, 'daily');
    await saveDigest(store, guild, 'daily', daily);
    expect((await readDigest(store, guild, 'daily'))?.run).toEqual(NO_RUN);
  });

  test('digests are read as they were saved, by name', async () => {
    const weekly: Digest = {
      ...daily,
      count: 25,
      schedule: { ...daily.schedule, every: 'week', weekdays: [1] },
    };
    await saveDigest(store, guild, 'daily', daily);
    await saveDigest(store, guild, 'wöchentlich', weekly);
    expect(await readDigests(store, guild)).toEqual([
      { name: 'daily', digest: daily, run: NO_RUN },
      { name: 'wöchentlich', digest: weekly, run: NO_RUN },
    ]);
    expect(await readDigest(store, guild, 'wöchentlich')).toMatchObject({ digest: weekly });
    expect(await readDigest(store, '100000000000000002', 'daily')).toBeNull();
  });

  test('digests that are deleted are gone, and deleting again says so', async () => {
    await saveDigest(store, guild, 'daily', daily);
    expect(await deleteDigest(store, guild, 'daily')).toEqual({ status: 'deleted' });
    expect(await deleteDigest(store, guild, 'daily')).toEqual({ status: 'unknown' });
    expect(await readDigest(store, guild, 'daily')).toBeNull();
  });

  test.each([
    ['not JSON', '{"channel":', null],
    ['a list', '[1]', null],
    ['no channel', JSON.stringify({ ...daily, channel: 7 }), null],
    [
      'an unknown zone',
      JSON.stringify({ ...daily, schedule: { ...daily.schedule, zone: 'Moon/Sea' } }),
      null,
    ],
    ['too many articles', JSON.stringify({ ...daily, count: 4000 }), null],
    ['fields of a later version', JSON.stringify({ ...daily, colour: 'red' }), daily],
    ['fields missing', JSON.stringify({ channel: daily.channel, schedule: daily.schedule }), daily],
  ])(
    'digests stored with %s never crash, and warn if they cannot be read',
    async (_, json, expected) => {
      await server.redis.hset(storeKeys(store, guild).digests, 'daily', json);
      expect((await readDigest(store, guild, 'daily'))?.digest ?? null).toEqual(expected);
      expect(warnings).toHaveLength(expected ? 0 : 1);
    },
  );

  test('digests whose run cannot be read start without one', async () => {
    await saveDigest(store, guild, 'daily', daily);
    await server.redis.hset(
      storeKeys(store, guild).runs,
      'daily',
      '{"lastSlotMs":"yesterday","lastDate":"2026-11-20"}',
    );
    expect((await readDigest(store, guild, 'daily'))?.run).toEqual(NO_RUN);
    expect(warnings).toHaveLength(1);
  });
});
