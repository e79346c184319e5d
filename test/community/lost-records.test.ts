import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteImported } from '../../src/articles/imported.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { deleteBlock, writeBlock, zBlock } from '../../src/community/blocks.ts';
import { findLostRecords, lacksRecords, noteRecords } from '../../src/community/lost-records.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { zDigest } from '../../src/digests/digest-settings.ts';
import { deleteDigest, saveDigest } from '../../src/digests/stored-digests.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('an article that an import made of an old message says nothing of lost settings, an old one of the bot does', async () => {
  const { bot, sandbox, clock } = scene;
  const { guildId } = sandbox;
  const old = (title: string) => scene.rank({ title, atMs: clock.now() - 30 * DAY_MS });
  await noteImported(bot.store, guildId, await old('Imported'));
  expect(await lacksRecords(bot, guildId)).toBe(false);
  await old('Of the bot');
  expect(await lacksRecords(bot, guildId)).toBe(true);
});

test('a server that has settings or blocks, or was restored without any, or whose articles are as new as its ranking, has lost nothing', async () => {
  const { bot, sandbox, clock, redis } = scene;
  const { guildId } = sandbox;
  expect(await lacksRecords(bot, guildId)).toBe(true);
  await writeSetting(bot.store, guildId, 'repost-days', 9);
  expect(await lacksRecords(bot, guildId)).toBe(false);
  await writeSetting(bot.store, guildId, 'repost-days', 0);
  expect(await lacksRecords(bot, guildId)).toBe(true);
  const subject = memberSubject('5');
  await writeBlock(bot.store, guildId, { subject, ...zBlock.parse({ by: '6' }) });
  expect(await lacksRecords(bot, guildId)).toBe(false);
  await deleteBlock(bot.store, guildId, subject);
  expect(await lacksRecords(bot, guildId)).toBe(true);
  await noteRecords(bot.store, guildId);
  expect(await lacksRecords(bot, guildId)).toBe(false);
  await findLostRecords(bot.store, guildId);
  const { complete, recorded } = storeKeys(bot.store, guildId);
  await redis.redis.del(recorded);
  const oldestMs = clock.now() - 30 * DAY_MS;
  await redis.redis.set(complete, oldestMs + 9 * MINUTE_MS);
  expect(await lacksRecords(bot, guildId)).toBe(false);
  await redis.redis.set(complete, oldestMs + 12 * MINUTE_MS);
  expect(await lacksRecords(bot, guildId)).toBe(true);
});

const schedule = { every: 'day', time: '18:00', zone: 'UTC' } as const;

test.each<[string, (is: boolean) => Promise<unknown>]>([
  [
    'settings',
    (is) => writeSetting(scene.bot.store, scene.sandbox.guildId, 'repost-days', is ? 9 : 0),
  ],
  [
    'digests',
    (is) => {
      const { store } = scene.bot;
      const digest = zDigest.parse({ channel: '1', schedule });
      if (!is) return deleteDigest(store, scene.sandbox.guildId, 'daily');
      return saveDigest(store, scene.sandbox.guildId, 'daily', digest);
    },
  ],
  [
    'blocks',
    (is) => {
      const { store } = scene.bot;
      const subject = memberSubject('5');
      if (!is) return deleteBlock(store, scene.sandbox.guildId, subject);
      return writeBlock(store, scene.sandbox.guildId, { subject, ...zBlock.parse({ by: '6' }) });
    },
  ],
  ['optedOut', (is) => setOptedOut(scene.bot.store, scene.sandbox.guildId, '5', is)],
] as const)(
  '%s that somebody emptied are no loss, and those that Redis lost are one, once',
  async (name, have) => {
    const { bot, sandbox, redis } = scene;
    const lost = () => findLostRecords(bot.store, sandbox.guildId);
    await have(true);
    await lost();
    await have(false);
    expect(await lost()).toEqual([]);
    await have(true);
    await lost();
    const keys = storeKeys(bot.store, sandbox.guildId);
    await redis.redis.del(keys[name as 'blocks']);
    expect(await lost()).toEqual([name]);
    expect(await lost()).toEqual([]);
  },
);
