import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openGuildRules } from '../../src/eligibility/guild-rules.ts';
import { writeSetting } from '../../src/records/settings.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { Store } from '../../src/redis/store.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';

const guild = '300000000000000001';
const { log, text } = recordLog();
let server: TestRedis;
let store: Store;

beforeAll(async () => {
  server = await startTestRedis();
  store = { redis: server.redis, applicationId: '100000000000000001', log };
});
afterEach(() => vi.useRealTimers());
afterAll(() => server.stop());

test('settings that vanish while the bot runs are said to be gone, and those that an admin resets are not', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const rules = openGuildRules(store, log);
  const aMinuteLater = async () => {
    vi.advanceTimersByTime(61_000);
    rules.known(guild);
    // The read that this began.
    const before = rules.known(guild);
    await expect.poll(() => rules.known(guild)).not.toBe(before);
  };
  await writeSetting(store, guild, 'repost-days', 7);
  await rules.refresh(guild);
  await writeSetting(store, guild, 'repost-days', 0);
  await rules.refresh(guild);
  await aMinuteLater();
  expect(text()).not.toContain('are gone');

  await writeSetting(store, guild, 'repost-days', 7);
  await rules.refresh(guild);
  await store.redis.del(storeKeys(store, guild).settings);
  await aMinuteLater();
  expect(rules.known(guild)?.settings['repost-days']).toBe(0);
  expect(text()).toContain('Stored rules of a guild were there before and are gone');
  expect(text()).toContain('"lost":["settings"]');
});
