import { createHash } from 'node:crypto';
import { execFile } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedKeys, storeKeys } from '../../../src/redis/store-keys.ts';
import { eraseMember } from '../../../src/privacy/member-data.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { noteGuilds } from '../../../src/community/known-guilds.ts';
import { readSettings, writeSetting } from '../../../src/community/settings.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'frontpage-guild-file-'));
let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});
afterAll(async () => {
  await scene.stop();
  rmSync(folder, { recursive: true });
});

function atCommandLine(
  name: 'backup' | 'restore',
  ...args: string[]
): Promise<{ stdout: string; stderr: string }> {
  const env = environment();
  return run(process.execPath, ['bin/frontpage.js', name, ...args], { cwd: root, env });
}
function environment(): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  const { token, apiBase } = scene.sandbox;
  return {
    PATH,
    HOME,
    DATA_DIR: join(folder, 'data'),
    DISCORD_TOKEN: token,
    DISCORD_API_BASE: apiBase,
    REDIS_URL: `unix://${scene.redis.url}`,
  };
}
const refusal = async (...args: Parameters<typeof atCommandLine>) => {
  const done = await atCommandLine(...args).catch((error: unknown) => error);
  return done as { stderr: string; code: number };
};
const refused = async (...args: Parameters<typeof atCommandLine>): Promise<string> =>
  (await refusal(...args)).stderr;

/** A changed file with its right checksum. */
function signedAgain(text: string): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .slice(0, -1)
    .map((line) => `${line}\n`)
    .join('');
  const sha256 = createHash('sha256').update(lines).digest('hex');
  return `${lines}${JSON.stringify({ kind: 'end', sha256 })}\n`;
}

test('npm run backup saves every server beside the running bot, and npm run restore puts them back', async () => {
  const { sandbox, bot } = scene;
  const { guildId } = sandbox;
  const { store } = bot;
  await noteGuilds(store, [guildId]);
  const general = sandbox.channels.general.id;
  const [grace = '', ada = ''] = sandbox.members;
  const link = 'https://file.example/1';
  const id = await scene.post(sandbox.admin, { link });
  const erased = await scene.post(ada, { link: 'https://file.example/2' });
  await scene.vote(grace, id);
  await writeSetting(store, guildId, 'repost-days', 30);

  const saved = await atCommandLine('backup');
  const [file = ''] = /^\S+/.exec(saved.stdout) ?? [];
  expect(saved.stdout).toContain('was read back without a fault. Servers: 1, articles: 2.');
  expect(file.startsWith(join(folder, 'data/'))).toBe(true);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
  expect(await refused('backup', file)).toContain('name another one');
  // A folder that exists gets a file with a name of its own.
  const elsewhere = mkdtempSync(join(folder, 'elsewhere-'));
  const { stdout } = await atCommandLine('backup', elsewhere);
  expect(stdout).toMatch(new RegExp(`^${elsewhere}/frontpage-.*\\.backup\\.gz was read back`));

  // What a member erases after the backup does not come back with it.
  const notes = storeKeys(sandbox, guildId).erased;
  await eraseMember(bot, guildId, ada);
  await deleteArticle(bot.ranking, guildId, id);
  await scene.redis.redis.del(storeKeys(sandbox, guildId).settings);
  const done = await atCommandLine('restore', file);
  expect(done.stdout).toContain('Articles: 1 restored, 0 unchanged, 1 skipped');
  expect(done.stdout + done.stderr).not.toContain(sandbox.token);
  expect(await scene.article(id)).toMatchObject({ up: 2, link });
  expect(await scene.article(erased)).toBeNull();
  expect(await scene.redis.redis.hexists(notes, ada)).toBe(1);
  expect((await readSettings(store, guildId))['repost-days']).toBe(30);
  // The running bot is told, and reads again what it keeps.
  const top = () => sandbox.as(sandbox.admin).command(general, 'top');
  await expect.poll(async () => JSON.stringify((await top()).message)).toContain('▲ 2');
}, 240_000);

test('what cannot be done is refused in words', async () => {
  const { sandbox } = scene;
  const { guildId } = sandbox;
  expect(await refusal('backup', '--guild', 'x')).toMatchObject({
    code: 64,
    stderr: expect.stringContaining('Usage: node bin/frontpage.js backup') as string,
  });
  expect(await refusal('backup', '--guild', '123456789012345678')).toMatchObject({
    code: 66,
    stderr: expect.stringContaining('Nothing is stored about 123456789012345678') as string,
  });
  expect(await refusal('restore', join(folder, 'none'))).toMatchObject({
    code: 66,
    stderr: expect.stringContaining('There is no ') as string,
  });
  expect(await refusal('restore', folder)).toMatchObject({
    code: 66,
    stderr: expect.stringContaining('where a file is needed') as string,
  });
  const link = join(folder, 'link.ndjson');
  symlinkSync(join(folder, 'elsewhere'), link);
  expect(await refusal('backup', link, '--guild', guildId)).toMatchObject({
    code: 73,
    stderr: expect.stringContaining('name another one') as string,
  });
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
  const plain = join(folder, 'plain.ndjson');
  await atCommandLine('backup', plain, '--guild', guildId);
  const text = readFileSync(plain, 'utf8');
  expect(text).toContain('{"kind":"end"');
  const cut = join(folder, 'cut.ndjson');
  writeFileSync(cut, text.slice(0, -10));
  expect(await refusal('restore', cut)).toMatchObject({
    code: 65,
    stderr: expect.stringContaining('The end of this file is missing') as string,
  });
  // Of a backup of several servers, one's fault stops no other.
  const other = sandbox.operator.createGuild({ name: 'Pier', owner: sandbox.admin }).guild;
  const path = new RegExp(`/guilds/${other}($|/)`);
  const end = sandbox.faults.add({ method: 'GET', path, status: 500 });
  const of = (id: string) => text.replaceAll(guildId, id);
  const damaged = of('123456789012345678').replace('"kind":"end"', '"kind":"?"');
  const several = join(folder, 'several.ndjson');
  writeFileSync(several, `${damaged}${signedAgain(of(other))}${text}`);
  const mixed = await refusal('restore', several);
  end();
  expect(mixed).toMatchObject({
    code: 65,
    stdout: expect.stringContaining('Harbour, as it was on') as string,
  });
  expect(mixed.stderr).toContain('Server 123456789012345678 is left out. Line ');
  expect(mixed.stderr).toContain(`server ${other} (500): restore again with --guild ${other}`);
  expect(await refused('restore', plain, '--guild', '123456789012345678')).toContain(
    'holds nothing of that server',
  );
  await scene.redis.redis.set(sharedKeys(scene.sandbox).schema, '99');
  expect(await refusal('restore', plain)).toMatchObject({
    code: 78,
    stderr: expect.stringContaining('A newer Frontpage wrote the data') as string,
  });
  await scene.redis.redis.del(sharedKeys(scene.sandbox).schema);
  // The file is not what is wrong.
  const base = 'http://127.0.0.1:1/api';
  const away = await run(process.execPath, ['bin/frontpage.js', 'restore', plain], {
    cwd: root,
    env: { ...environment(), DISCORD_API_BASE: base },
  }).catch((error: unknown) => error);
  expect(away).toMatchObject({
    code: 69,
    stdout: '',
    stderr: expect.stringMatching(/^Discord cannot be reached \(ECONNREFUSED\).+\n$/) as string,
  });
}, 240_000);

test.runIf(process.platform === 'linux')(
  'a backup into /proc is refused at once',
  async () => {
    expect(await refusal('backup', '/proc/frontpage/a.backup.gz')).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('There is no /proc/frontpage') as string,
    });
  },
  60_000,
);
