import { afterAll, beforeAll, expect, test } from 'vitest';
import { setSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('a removed article is out of sight before the log channel, which Discord limits, says so', async () => {
  const { sandbox } = scene;
  const { admin, channels, faults } = sandbox;
  const { general, moderators } = channels;
  await setSetting(sandbox, 'log', [moderators.id]);
  const reader = sandbox.as(admin);
  const logged = () => reader.messages(moderators.id).filter(({ embeds }) => embeds.length > 0);
  const before = logged().length;
  const article = await scene.post(sandbox.members[0] ?? '', { title: 'An insult' });
  const path = new RegExp(`/channels/${moderators.id}/messages`);
  faults.add({ method: 'POST', path, status: 429, retryAfterSeconds: 3, times: 1 });
  const answered = scene.moderate(admin, 'remove', article);
  const shown = () => reader.messages(general.id).find(({ id }) => id === article)?.content;
  await expect.poll(shown).not.toContain('An insult');
  expect(logged()).toHaveLength(before);
  await answered;
  await expect.poll(() => logged().length).toBe(before + 1);
});
