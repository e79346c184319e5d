import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sandbox, startSandbox } from '../sandbox/server.ts';

let sandbox: Sandbox;
const folder = mkdtempSync(join(tmpdir(), 'frontpage-drill-'));
const dataDir = join(folder, 'data');
const file = join(folder, 'drill.backup.gz');
const started: ChildProcess[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ rateLimits: false });
});
afterAll(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  await sandbox.stop();
  rmSync(folder, { recursive: true });
});

const patience = { timeout: 20_000, interval: 20 };

function run(...words: string[]): {
  child: ChildProcess;
  said: () => string;
  code: Promise<number>;
} {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', ...words], {
    cwd: join(import.meta.dirname, '..'),
    env: {
      PATH,
      HOME,
      DATA_DIR: dataDir,
      DISCORD_API_BASE: sandbox.apiBase,
      DISCORD_TOKEN: sandbox.token,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = once(child, 'exit').then(([code]) => code as number);
  return { child, said: () => output, code };
}

async function startBot() {
  const bot = run('src/main.ts');
  await expect.poll(bot.said, patience).toContain('Frontpage is on');
  return bot;
}

const general = () => sandbox.channels.general.id;
const admin = () => sandbox.as(sandbox.admin);

async function post(name: string): Promise<string> {
  const link = `https://news.example/${name}`;
  const answer = await admin().command(general(), 'post', { link, title: name });
  return answer.message?.id ?? '';
}

async function top(): Promise<string> {
  const answer = await admin().command(general(), 'top');
  return JSON.stringify(answer.message?.embeds);
}

test('the drill: back up beside the running bot, lose everything, restore, go on', async () => {
  const bot = await startBot();
  const article = await post('before');
  const [first = '', second = ''] = sandbox.members;
  sandbox.as(first).react(general(), article, '👍');
  await expect.poll(top, patience).toContain('▲ 2');
  const settings = { channel: general(), time: '09:00', timezone: 'Europe/Berlin' };
  const setUp = await admin().command(general(), 'digest set', settings);
  expect(setUp.message?.content).toBeTruthy();

  const backup = run('src/backup.ts', 'backup', file);
  expect([await backup.code, backup.said()]).toEqual([
    0,
    expect.stringContaining('without a fault'),
  ]);

  // What happens after the backup is in Discord, and comes from there.
  sandbox.as(second).react(general(), article, '👍');
  await expect.poll(top, patience).toContain('▲ 3');
  const early = run('src/backup.ts', 'restore', file);
  expect([await early.code, early.said()]).toEqual([1, expect.stringContaining('end it first')]);
  bot.child.kill('SIGTERM');
  expect(await bot.code).toBe(0);
  renameSync(dataDir, `${dataDir}.lost`);

  const restore = run('src/backup.ts', 'restore', file);
  expect([await restore.code, restore.said()]).toEqual([0, expect.stringContaining('Restored')]);
  const again = run('src/backup.ts', 'restore', file);
  expect([await again.code, again.said()]).toEqual([1, expect.stringContaining('--replace')]);
  const replaced = run('src/backup.ts', 'restore', file, '--replace');
  expect(await replaced.code).toBe(0);

  await startBot();
  expect(await top()).toContain('before');
  const shown = await admin().command(general(), 'digest show');
  expect(JSON.stringify(shown.message)).toContain('Europe/Berlin');
  await expect.poll(top, { ...patience, timeout: 40_000 }).toContain('▲ 3');
}, 120_000);
