import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteImported } from '../../src/articles/imported.ts';
import { lacksRecords } from '../../src/community/lost-records.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
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
