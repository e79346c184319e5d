import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteGuilds } from '../../src/community/known-guilds.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
  await noteGuilds(scene.bot.store, [scene.sandbox.guildId]);
});
afterAll(() => scene.stop());

function forget(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const { token, apiBase } = scene.sandbox;
  return run(process.execPath, ['bin/frontpage.js', 'forget', ...args], {
    cwd: root,
    env: {
      PATH,
      HOME,
      DISCORD_TOKEN: token,
      DISCORD_API_BASE: apiBase,
      REDIS_URL: `unix://${scene.redis.url}`,
    },
  });
}

test('npm run forget erases a member everywhere while the bot is running', async () => {
  const { sandbox } = scene;
  const general = sandbox.channels.general.id;
  const [grace = ''] = sandbox.members;
  const own = await scene.post(grace, { link: 'https://forget.example/1' });
  const other = await scene.post(sandbox.admin, { link: 'https://forget.example/2' });
  await scene.vote(grace, other);
  const { stdout } = await forget(grace, '--opt-out');
  expect(stdout).toContain(`Server ${sandbox.guildId}: 1 articles and 1 votes erased.`);
  expect(await scene.article(own)).toBeNull();
  expect(await scene.article(other)).toMatchObject({ up: 1 });
  expect(sandbox.world.channels.get(general)?.messages.has(own)).toBe(false);
  expect((await forget(grace)).stdout).toContain('Nothing is stored about that member.');
});

test('npm run forget says how it is used', async () => {
  await expect(forget('grace')).rejects.toThrow('Usage: node bin/frontpage.js forget');
});
