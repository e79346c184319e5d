import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const reader = new URL('../../../bin/read-typescript.js', import.meta.url).href;
const watch = new URL('../../../discord-box/test/contract/watch-process.ts', import.meta.url).href;
const main = fileURLToPath(new URL('../../../sandbox/tour/main.ts', import.meta.url));

let folder: string;
let child: ChildProcess;
let said: string;
/** By all that were started in a test. */
let told: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fp-'));
  told = '';
});
// `close` comes after the last of the output, unlike `exit`.
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGTERM');
    await once(child, 'close');
  }
  rmSync(folder, { recursive: true });
  const [fault] = /^Not as specified: .*/m.exec(told) ?? [];
  if (fault !== undefined) throw new Error(fault);
});

/** Starts what `npm run sandbox` starts, with its data in a folder of its own. */
async function start(): Promise<string> {
  const words = ['--import', reader, '--import', watch, main, '--port', '0', '--empty'];
  child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  said = '';
  return new Promise((resolve, reject) => {
    const hear = (data: Buffer): void => {
      said += data.toString();
      told += data.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0];
      if (address !== undefined) resolve(address);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('exit', () => reject(new Error(`The sandbox ended: ${said}`)));
  });
}

async function get(address: string, path: string): Promise<unknown> {
  return (await fetch(`${address}/sandbox/${path}`)).json();
}

async function post(address: string, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`${address}/sandbox/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

type Community = { bot: { online: boolean }; guilds: { ownerId: string }[] };
type Message = { content: string };

async function articleLinks(address: string): Promise<string[]> {
  const { guilds } = (await get(address, 'community')) as Community;
  const admin = guilds[0]?.ownerId;
  const channels = (await get(address, `as/${admin}/channels`)) as { id: string; name: string }[];
  const id = channels.find((channel) => channel.name === 'general')?.id;
  const messages = (await get(address, `as/${admin}/messages?channel=${id}`)) as Message[];
  return messages.flatMap(({ content }) => content.match(/https:[^\s()]+/g) ?? []);
}

test('one command starts the bot in its sandbox; Ctrl-C ends both; the next start knows what was', async () => {
  const address = await start();
  const { bot, guilds } = (await get(address, 'community')) as Community;
  expect(bot.online).toBe(true);
  expect(said).not.toContain('Setting up');
  expect(await get(address, 'tour')).toMatchObject({ webPage: null });
  const admin = guilds[0]?.ownerId;
  const channels = (await get(address, `as/${admin}/channels`)) as { id: string; name: string }[];
  const channel = channels.find(({ name }) => name === 'general')?.id;
  const values = { link: 'https://news.example/kept' };
  const answer = await post(address, `as/${admin}/command`, { channel, words: 'post', values });
  expect(answer).toMatchObject({ kind: 'message' });
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(told).toMatch(/Held to Discord's specification: [1-9]/);
  expect(await articleLinks(await start())).toEqual(['https://news.example/kept']);
});

test('a bot that dies is missed: the sandbox says so and ends', async () => {
  await start();
  const running = readFileSync(join(folder, 'data/sandbox/running.json'), 'utf8');
  process.kill((JSON.parse(running) as { botPid: number }).botPid, 'SIGKILL');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toContain('The bot ended by itself (SIGKILL)');
  // The Redis that the bot left behind is taken over, and ends with the next one.
  await start();
});
