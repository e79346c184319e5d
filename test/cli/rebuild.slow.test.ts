import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Scene, startScene } from '../fixtures/scene.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
});
afterAll(() => scene.stop());

function rebuild(guild: string): Promise<{ stdout: string; stderr: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const { token, apiBase } = scene.sandbox;
  return run(process.execPath, ['bin/frontpage.js', 'rebuild', guild], {
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

test('npm run rebuild brings a guild back over REST alone, and shows how far it is', async () => {
  const { sandbox } = scene;
  const { general, moderators } = sandbox.channels;
  const [a = '', b = ''] = sandbox.members;
  const open = await scene.post(scene.sandbox.admin, {
    channel: general.id,
    link: 'https://hand.example/1',
  });
  const hidden = await scene.post(scene.sandbox.admin, {
    channel: moderators.id,
    link: 'https://hand.example/2',
  });
  scene.react(a, open, '👍');
  scene.react(b, open, '👎');
  await expect.poll(async () => (await scene.article(open))?.down).toBe(1);
  await scene.settled();
  const before = await scene.dump();
  await scene.bot.stop();
  await scene.redis.flush();
  const { stdout, stderr } = await rebuild(sandbox.guildId);
  expect(stderr).toMatch(/Older messages: \d+ of \d+ channels and threads, 2 articles\./);
  expect(stdout).toContain('Done: 2 articles of Harbour are in place.');
  expect(stdout).not.toContain(sandbox.token);
  expect(await scene.dump()).toEqual(before);
  expect(await scene.article(hidden)).toMatchObject({ listed: false });
  await scene.restartBot();
});

test('npm run rebuild says what is wrong', async () => {
  await expect(rebuild('general')).rejects.toThrow('Usage: npm run rebuild');
  await expect(rebuild('1234567890123456')).rejects.toMatchObject({
    code: 66,
    stderr: expect.stringContaining('The bot is in no server') as string,
  });
});
