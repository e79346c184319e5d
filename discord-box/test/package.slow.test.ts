import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDiscord } from '../src/index.ts';

const run = promisify(execFile);
const box = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));

/** An empty folder, into which the packed box is installed as a stranger would. */
let folder: string;
const inFolder = (command: string, ...words: string[]) => run(command, words, { cwd: folder });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'box-package-'));
  const { stdout } = await run('npm', ['pack', '--pack-destination', folder], { cwd: box });
  const packed = stdout.trim().split('\n').at(-1) ?? '';
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  const peers = ['discord.js', 'discord-api-spec@10.0.266135', '@swc/core', '@types/node@20'];
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  await inFolder('npm', 'install', ...quiet, `./${packed}`, ...peers);
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** The first example of the README, without its test. */
function example(): string {
  const readme = readFileSync(join(box, 'README.md'), 'utf8');
  return /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
}

test('the packed box, installed in an empty folder, runs the example of its README', async () => {
  writeFileSync(join(folder, 'wave.test.mjs'), example());
  const { stdout } = await inFolder('node', '--test', 'wave.test.mjs');
  expect(stdout).toMatch(/pass 1/);
});

test('a bot that knows no address but Discord’s meets the box when it is started behind `point`', async () => {
  writeFileSync(
    join(folder, 'unchanged.mjs'),
    `import https from 'node:https';
     import { Client, Events } from 'discord.js';
     import WebSocket from 'ws';
     const url = 'https://discord.com/api/v10/gateway';
     const byFetch = (await fetch(url)).status;
     const byHttps = await new Promise((resolve, reject) =>
       https.get(url, (response) => resolve(response.statusCode)).on('error', reject));
     const socket = new WebSocket('wss://gateway.discord.gg/?v=10&encoding=json');
     const hello = await new Promise((resolve, reject) =>
       socket.once('message', (text) => resolve(JSON.parse(text).op)).once('error', reject));
     socket.close();
     const elsewhere = await fetch('https://127.0.0.1:9/').then(() => 'reached', () => 'not led here');
     const client = new Client({ intents: [] });
     client.once(Events.ClientReady, ({ user }) => {
       console.log(JSON.stringify({ byFetch, byHttps, hello, elsewhere, bot: user.username }));
       void client.destroy();
     });
     await client.login(process.env.DISCORD_TOKEN);`,
  );
  const discord = await startDiscord({ name: 'Wave' });
  const { apiBase, token } = discord;
  const env = { ...process.env, DISCORD_API: apiBase, DISCORD_TOKEN: token };
  const behind = ['--import', 'discord-in-a-box/point', 'unchanged.mjs'];
  const { stdout } = await run('node', behind, { cwd: folder, env }).finally(() => discord.stop());
  const seen = { byFetch: 200, byHttps: 200, hello: 10, elsewhere: 'not led here', bot: 'Wave' };
  expect(JSON.parse(stdout)).toEqual(seen);
});

test('its types are whole for who writes TypeScript', async () => {
  writeFileSync(join(folder, 'wave.test.ts'), example());
  const words = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023'];
  const told = await inFolder(tsc, ...words, '--skipLibCheck', '--types', 'node', 'wave.test.ts');
  expect(told.stdout).toBe('');
});

test('its contract names what Discord’s specification does not allow', async () => {
  writeFileSync(
    join(folder, 'contract.mjs'),
    `import { loadCheck } from 'discord-in-a-box/contract';
     const check = await loadCheck();
     const common = { kind: 'request', query: {}, files: [], status: 403 };
     const response = { code: 50013, message: 'Missing Permissions' };
     const route = '/channels/:channel/messages';
     const { ofBot } = check({ ...common, method: 'POST', route, body: { content: 7 }, response });
     console.log(ofBot.join());`,
  );
  const { stdout } = await inFolder('node', 'contract.mjs');
  expect(stdout).toContain('.content ');
});

test('it holds nothing of the house: its licence, its README and what was built', async () => {
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: box,
  });
  const [{ files } = { files: [] }] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const tops = new Set(files.map(({ path }) => path.split('/')[0]));
  expect(tops).toEqual(new Set(['LICENSE', 'README.md', 'package.json']));
});
