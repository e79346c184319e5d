import { afterAll, beforeAll, expect, test } from 'vitest';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
  await scene.whole();
});
afterAll(() => scene.stop());

test('a re-scoring that a process began is finished by the next one that starts', async () => {
  const { guildId: guild, world, admin, channels } = scene.sandbox;
  const { ranking } = scene.bot;
  const id = world.snowflake(scene.clock.now() - 60_000);
  const link = 'https://news.example/rescored';
  const home = channels.general.id;
  const article = { guild, id, title: 'Re-scored', link, linkName: link, poster: admin, home };
  await postArticle(ranking, { ...article, listed: true });
  // What a process does that dies before its first step.
  const keys = guildKeys(ranking, guild);
  await ranking.redis.set(keys.rescoring, '100');
  await ranking.redis.hset(keys.articles, 'mark', '100');
  await scene.restartBot();
  const seconds = Math.floor((scene.clock.now() - 60_000) / 1000);
  await expect
    .poll(() => scene.redis.redis.zscore(keys.score, id).then(Number))
    .toBeGreaterThan(seconds + 800);
  await expect.poll(() => scene.redis.redis.exists(keys.rescoring)).toBe(0);
});
