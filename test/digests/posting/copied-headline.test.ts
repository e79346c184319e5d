import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DigestScene, SIX, startDigestScene } from '../digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  // Without the intent, members' messages arrive empty.
  scene = await startDigestScene({ privileged: { messageContent: true } });
});
afterAll(() => scene.stop());

test('a member who writes the first line of an edition before it comes does not suppress it', async () => {
  await scene.setUp('daily', {});
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  await scene.tick();
  const [edition] = scene.posted();
  const copied = edition?.content ?? '';
  await scene.clear();
  await scene.setUp('daily', {});
  await scene.postArticles(['Best']);
  scene.goTo(SIX);
  scene.sandbox.as(scene.sandbox.members[1] ?? '').send(scene.channel, copied);
  await scene.tick();
  const { botId } = scene.sandbox.world.application;
  const posted = scene.posted();
  expect(posted.map(({ author }) => author.id === botId)).toEqual([false, true]);
  expect(posted[1]?.content).toBe(copied);
});
