import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('a name that Discord could not tell is asked for again at the next look', async () => {
  const { faults, guildId, admin } = scene.sandbox;
  const { displayNames } = scene.bot.app;
  const end = faults.add({ method: 'GET', path: /\/members\//, status: 503 });
  expect(await displayNames(guildId, admin)).toBeNull();
  end();
  await expect.poll(() => displayNames(guildId, admin)).not.toBeNull();
});

test('a member who is gone is not asked for again', async () => {
  const { guildId, requests, world } = scene.sandbox;
  const { displayNames } = scene.bot.app;
  const gone = world.snowflake(scene.clock.now());
  const asked = () => requests.count('GET', /members/);
  await displayNames(guildId, gone);
  const before = asked();
  expect(await displayNames(guildId, gone)).toBeNull();
  expect(asked()).toBe(before);
});
