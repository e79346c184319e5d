import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isWhole } from '../../fixtures/sample.ts';

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

/** Starts what `npm run sandbox` starts, with its data in a folder of its own, and without waiting for a browser. */
const start = (...more: string[]): Promise<string> => startAsIs('--language', 'en', ...more);

async function startAsIs(...more: string[]): Promise<string> {
  spawnSandbox(more);
  const [address = ''] = await saying(/http:\/\/127\.0\.0\.1:\d+/);
  return address;
}

function spawnSandbox(more: string[]): void {
  const options = ['--port', '0', '--no-open', ...more];
  const words = ['--import', reader, '--import', watch, main, ...options];
  child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  said = '';
  const hear = (data: Buffer): void => {
    said += data.toString();
    told += data.toString();
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
}

/** Resolves when the sandbox has said it. Rejects if it ends before. */
function saying(what: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const found = what.exec(said);
      if (found !== null) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
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

type Community = {
  bot: { online: boolean };
  guilds: { id: string; ownerId: string; members: { user: { id: string; bot?: boolean } }[] }[];
};
type Message = {
  id: string;
  content: string;
  reactions?: { emoji: { name: string }; count: number }[];
};
type Answer = { kind: string; message?: Message };
type Tour = { done: string[]; freshLink: string };

async function articleLinks(address: string): Promise<string[]> {
  const { guilds } = (await get(address, 'community')) as Community;
  const admin = guilds[0]?.ownerId;
  const channels = (await get(address, `as/${admin}/channels`)) as { id: string; name: string }[];
  const id = channels.find((channel) => channel.name === 'general')?.id;
  const messages = (await get(address, `as/${admin}/messages?channel=${id}`)) as Message[];
  return messages.flatMap(({ content }) => content.match(/https:[^\s()]+/g) ?? []);
}

test('one command starts the bot in its sandbox; Ctrl-C ends both; the next start knows what was', async () => {
  const address = await start('--empty');
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
  expect(await articleLinks(await start('--empty'))).toEqual(['https://news.example/kept']);
});

async function stop(): Promise<void> {
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
}

test('a world that starts again is as alive as a new one, the second time and the third', async () => {
  await start();
  for (const time of isWhole ? [2, 3] : [2]) {
    await stop();
    const address = await start();
    const { guilds } = (await get(address, 'community')) as Community;
    const { id: guild = '', ownerId: admin = '', members = [] } = guilds[0] ?? {};
    const people = members.filter(({ user }) => user.bot !== true).map(({ user }) => user.id);
    const [poster, voter] = people.filter((id) => id !== admin);
    const channels = (await get(address, `as/${admin}/channels`)) as { id: string; name: string }[];
    const channel = channels.find(({ name }) => name === 'general')?.id;

    // The tour goes on where it was, and what it would post now is not there yet.
    const { done, freshLink } = (await get(address, 'tour')) as Tour;
    expect(done.includes('post')).toBe(time === 3);
    const values = { link: freshLink };
    const given = { channel, words: 'post', values };
    const { message } = (await post(address, `as/${poster}/command`, given)) as Answer;
    const article = message?.id ?? '';
    const shown = async (): Promise<Message | undefined> => {
      const read = await get(address, `as/${admin}/messages?channel=${channel}`);
      return (read as Message[]).find(({ id }) => id === article);
    };
    const firstLine = async () => (await shown())?.content.split('\n')[0];
    const lastLine = async () => (await shown())?.content.split('\n').at(-1);

    // It edits its message: the title that the preview has.
    await expect.poll(firstLine).toMatch(/^\*\*\[[^\]]*(?:Bicycle|Sound)[^\]]*\]/);
    expect(await get(address, 'tour')).toMatchObject({ done: expect.arrayContaining(['post']) });
    await post(address, `as/${voter}/react`, { channel, message: article, emoji: '👍' });
    const ranked = () => get(address, `ranking/${guild}/${article}`);
    await expect.poll(ranked).toMatchObject({ status: 'found', article: { up: 2, down: 0 } });

    const menu = { channel, message: article, name: 'Moderate' };
    const open = (await post(address, `as/${admin}/message-command`, menu)) as Answer;
    const customId = `moderate|lock|${article}`;
    await post(address, `as/${admin}/press`, { channel, message: open.message?.id, customId });
    await expect.poll(lastLine).toMatch(/^-# 🔒/);
    if (time === 3) await post(address, 'clock', { addMs: 3_600_000 });
  }
  if (!isWhole) return;
  await stop();
  // The empty world has a clock of its own, which was not moved.
  const { nowMs } = (await get(await start('--empty'), 'clock')) as { nowMs: number };
  expect(Math.abs(nowMs - Date.now())).toBeLessThan(1_800_000);
}, 240_000);

test('a new world waits for the first browser, whose language it and its digest speak', async () => {
  const address = await startAsIs();
  expect(said).not.toContain('Building');
  const page = await fetch(address, { headers: { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' } });
  expect(await page.text()).toContain('Die Sandbox startet');
  // Between the page that waits and the sandbox, nothing listens for a moment.
  const ready = () => get(address, 'ready').catch(() => ({ ready: false }));
  await expect.poll(ready, { timeout: 150_000 }).toEqual({ ready: true });
  const { guilds } = (await get(address, 'community')) as Community;
  const admin = guilds[0]?.ownerId;
  const channels = (await get(address, `as/${admin}/channels`)) as { id: string; name: string }[];
  const front = channels.find(({ name }) => name === 'titelseite')?.id;
  const messages = (await get(address, `as/${admin}/messages?channel=${front}`)) as Message[];
  expect(messages.map(({ content }) => content).join('\n')).toContain('Auslese');
  await stop();
  // The world keeps its language, and waits for nobody.
  spawnSandbox([]);
  await saying(/Starting the bot/);
  expect(said).not.toContain('in your browser');
}, 240_000);

test.runIf(isWhole)('a bot that dies is missed: the sandbox says so and ends', async () => {
  await start('--empty');
  const running = readFileSync(join(folder, 'data/sandbox-empty/running.json'), 'utf8');
  process.kill((JSON.parse(running) as { botPid: number }).botPid, 'SIGKILL');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toContain('The bot ended by itself (SIGKILL)');
  // The Redis that the bot left behind is taken over, and ends with the next one.
  await start('--empty');
});
