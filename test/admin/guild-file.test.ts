import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { schemaKey, storeKeys } from '../../src/redis/keys.ts';
import { readSettings, writeSetting } from '../../src/records/settings.ts';
import { patience, type Scene, startScene } from '../scene.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'frontpage-guild-file-'));
let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});
afterAll(async () => {
  await scene.stop();
  rmSync(folder, { recursive: true });
});

function atCommandLine(...args: string[]): Promise<{ stdout: string; stderr: string }> {
  const { PATH = '', HOME = '' } = process.env;
  const { token, apiBase } = scene.sandbox;
  return run(process.execPath, ['--import', 'tsx', 'src/cli/guild-file.ts', ...args], {
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
const refused = async (...args: string[]): Promise<string> => {
  const done = await atCommandLine(...args).catch((error: unknown) => error);
  return (done as { stderr: string }).stderr;
};
const born = () => storeKeys(scene.sandbox.applicationId, scene.sandbox.guildId).born;

test('npm run export saves a server beside the running bot, and npm run restore-guild puts it back', async () => {
  const { sandbox } = scene;
  const { guildId } = sandbox;
  const general = sandbox.channels.general.id;
  const [grace = ''] = sandbox.members;
  const link = 'https://file.example/1';
  const { message } = await sandbox.as(sandbox.admin).command(general, 'post', { link });
  const id = message?.id ?? '';
  await expect.poll(() => scene.article(id), patience).not.toBeNull();
  sandbox.as(grace).react(general, id, '👍');
  await expect.poll(async () => (await scene.article(id))?.up, patience).toBe(2);
  await writeSetting(scene.bot.app.store, guildId, 'repost-days', 30);
  await expect(
    scene.bot.app.lists.page({ guild: guildId, order: 'score-desc', page: 1, pageSize: 9 }),
  ).resolves.toMatchObject({ total: 1 });

  const file = join(folder, 'guild.ndjson.gz');
  const saved = await atCommandLine('export', guildId, file);
  expect(saved.stdout).toContain('holds 1 articles and was read back without a fault');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await refused('export', guildId, file)).toContain('name another one');

  await scene.redis.flush();
  const looked = await atCommandLine('restore', file, '--dry-run');
  expect(looked.stdout).toContain('Articles: 1 new');
  expect(await scene.article(id)).toBeNull();
  await scene.redis.redis.set(born(), Date.now());
  const done = await atCommandLine('restore', file);
  expect(done.stdout).toContain('Articles: 1 new');
  expect(done.stdout + done.stderr).not.toContain(sandbox.token);
  expect(await scene.article(id)).toMatchObject({ up: 2, link });
  expect((await readSettings(scene.bot.app.store, guildId))['repost-days']).toBe(30);
  // The running bot is told, and reads again what it keeps.
  const top = () => sandbox.as(sandbox.admin).command(general, 'top');
  await expect.poll(async () => JSON.stringify((await top()).message), patience).toContain('▲ 2');
}, 60_000);

test('what cannot be done is refused in words', async () => {
  const { guildId } = scene.sandbox;
  expect(await refused('export')).toContain('Usage: npm run export');
  expect(await refused('export', guildId, '--force')).toContain('Usage: npm run export');
  expect(await refused('export', '123456789012345678')).toContain('Nothing is kept');
  expect(await refused('restore', join(folder, 'none'))).toContain('cannot be used (ENOENT)');
  const plain = join(folder, 'plain.ndjson');
  await atCommandLine('export', guildId, plain);
  const text = readFileSync(plain, 'utf8');
  const cut = join(folder, 'cut.ndjson');
  writeFileSync(cut, text.slice(0, -10));
  expect(await refused('restore', cut)).toContain('The end of this file is missing');
  await scene.redis.redis.set(schemaKey(scene.sandbox.applicationId), '99');
  expect(await refused('restore', plain)).toContain('of a newer Frontpage');
  await scene.redis.redis.del(schemaKey(scene.sandbox.applicationId));
  expect(gunzipSync(readFileSync(join(folder, 'guild.ndjson.gz'))).toString()).toContain(
    '{"kind":"end"',
  );
}, 60_000);
