import { afterAll, beforeAll, expect, test } from 'vitest';
import { guildKeys } from '../../src/ranking/keys.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

test('more links of a spammer than are removed at once are removed as one, and come back as one', async () => {
  const { sandbox } = scene;
  const [poster = ''] = englishSpeakers(sandbox);
  const general = sandbox.channels.general.id;
  const as = sandbox.as(sandbox.admin);
  const count = 520;
  const ids = await Promise.all(
    Array.from({ length: count }, (_, n) =>
      scene.rank({
        title: `Spam ${n}`,
        link: `https://many.example/${n}`,
        poster,
        atMs: scene.clock.now() - 1000 * n,
      }),
    ),
  );
  const blocked = await scene.command(sandbox.admin, 'mod block', { site: 'many.example' });
  expect(blocked.message?.content).toContain(`${count} links that this would refuse`);
  const id = blocked.message?.id ?? '';
  const swept = await as.press(general, id, 'mod|sweep|origin:many.example');
  expect(swept.message?.content).toContain(`Removing ${count} links:`);
  await scene.eventually(
    () => scene.message(id).content,
    (text) => text === `${count} links removed.`,
    'removed',
  );
  expect(await scene.article(ids[0] ?? '')).toBeNull();
  expect(await scene.article(ids.at(-1) ?? '')).toBeNull();
  await scene.command(sandbox.admin, 'mod unblock', { site: 'many.example' });
  const rows = scene.message(id).components as unknown as { components: { custom_id: string }[] }[];
  const undo = rows[0]?.components[0]?.custom_id ?? '';
  expect(undo).toContain('moderate|undo|');
  await as.press(general, id, undo);
  await scene.eventually(
    () => scene.message(id).content,
    (text) => text.startsWith(`${count} articles are back.`),
    'back',
  );
  const { removed } = guildKeys(scene.bot.ranking, sandbox.guildId);
  expect(await scene.redis.redis.exists(removed)).toBe(0);
});
