import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene({ follows: true });
});
afterAll(() => scene.stop());

async function addAsOnce(link: string): Promise<string> {
  const { sandbox, clock, bot } = scene;
  const id = sandbox.world.snowflake(clock.now() - 60_000);
  const [guild, poster, home] = [sandbox.guildId, sandbox.admin, sandbox.channels.general.id];
  // It has no message, for which a recount would take it out while it is open.
  const tally = { up: 1, down: 0, closed: true };
  const article = { guild, id, title: 'Old', link, linkName: link, poster, home, listed: true };
  await postArticle(bot.ranking, { ...article, tally });
  return id;
}

describe('links that were posted under other rules', () => {
  test('links that were posted under other rules are known again after the bot has started', async () => {
    const { sandbox, bot, redis: server } = scene;
    const general = sandbox.channels.general.id;
    const id = await addAsOnce('https://www.youtube.com/watch?v=dQw4w9WgXcQ');
    const { redis } = server;
    const { applicationId } = bot.ranking;
    const rules = `frontpage:${applicationId}:{${sandbox.guildId}}:link-rules`;
    // The first start has ended with them.
    await expect.poll(() => redis.exists(rules)).toBe(1);
    await redis.del(rules);
    await scene.restartBot();
    await expect.poll(() => redis.exists(rules)).toBe(1);
    const again = await sandbox
      .as(sandbox.admin)
      .command(general, 'post', { link: 'https://youtu.be/dQw4w9WgXcQ' });
    expect(again.message?.content).toContain(id);
  });
});
