import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { lockFile } from '../../../src/redis/private-server/bot-lock.ts';
import { findServersIn } from '../../../src/redis/private-server/probe.ts';
import { sample } from '../../fixtures/sample.ts';
import { connect, dataDir, listening, said, start, useDataFolder } from './data-folder.ts';

useDataFolder();
afterEach(() => {
  vi.useRealTimers();
});

/** For a server that is looked after all the time. */
const often = { pauses: { restartMs: 20, lookMs: 20 } };
const count = (words: string) => said().split(words).length - 1;

// Withstands (The private server): Its folder is deleted, and it dies
// → a new one starts
test('a server that dies after its folder was deleted is started anew, and the host is told', async () => {
  const folder = join(dataDir, 'inner');
  const pauses = { restartMs: 20, lookMs: 60_000 };
  const server = await start(folder, { heard: listening, pauses });
  const first = server.pid();
  rmSync(folder, { recursive: true });
  process.kill(first, 'SIGKILL');
  await expect.poll(() => server.pid()).not.toBe(first);
  await connect(server.url).set('key', 'value');
  expect(said()).toContain('The data of an earlier start is gone.');
  // It is this bot's alone, as the first one was.
  expect(await lockFile(join(folder, 'redis', 'bot.lock'))).toBeNull();
  await server.stop();
  expect(await connect((await start(folder)).url).get('key')).toBe('value');
});

test.each(sample(['redis/appendonlydir', '.', 'redis'], 2))(
  'the data survives when %s is deleted under the bot',
  async (deleted) => {
    const folder = join(dataDir, 'inner');
    const server = await start(folder, { ...often, heard: listening });
    await connect(server.url).set('key', 'value');
    const first = server.pid();
    rmSync(join(folder, deleted), { recursive: true });
    await expect.poll(() => server.pid()).not.toBe(first);
    expect(count('Files of the private Redis server were deleted')).toBe(1);
    expect(said()).not.toContain('is gone');
    expect(await connect(server.url).get('key')).toBe('value');
    await server.stop();
    expect(await connect((await start(folder)).url).get('key')).toBe('value');
  },
);

test('a socket that something removed is made again, and the data is not written anew', async () => {
  const server = await start(dataDir, often);
  const redis = connect(server.url);
  await redis.set('key', 'value');
  const [first, parts] = [server.pid(), readdirSync(join(dataDir, 'redis', 'appendonlydir'))];
  rmSync(server.url);
  await expect.poll(() => server.pid()).not.toBe(first);
  expect(await connect(server.url).get('key')).toBe('value');
  expect(readdirSync(join(dataDir, 'redis', 'appendonlydir'))).toEqual(parts);
});

test('files that cannot be made again yet are told once, and made when they can be', async () => {
  const server = await start(dataDir, { ...often, heard: listening });
  const redis = connect(server.url);
  await redis.set('key', 'value');
  const [first, parts] = [server.pid(), join(dataDir, 'redis', 'appendonlydir')];
  rmSync(parts, { recursive: true });
  writeFileSync(parts, 'in the way');
  const tries = async () =>
    (await redis.info('commandstats')).match(/config\|set:calls=(\d+)/)?.[1];
  await expect.poll(async () => Number(await tries())).toBeGreaterThan(8);
  for (const words of ['were deleted', 'cannot be made again yet']) expect(count(words)).toBe(1);
  rmSync(parts);
  await expect.poll(() => server.pid()).not.toBe(first);
  expect(await connect(server.url).get('key')).toBe('value');
});

test('a server that does not start again is told once, and tried until it starts', async () => {
  const server = await start(dataDir, { ...often, heard: listening });
  await connect(server.url).set('key', 'value');
  const first = server.pid();
  const [log, conf] = ['server.log', 'redis.conf'].map((name) => join(dataDir, 'redis', name));
  rmSync(log!);
  mkdirSync(log!);
  process.kill(first, 'SIGKILL');
  // Each start writes it anew.
  const tries = new Set<number>();
  await expect.poll(() => tries.add(statSync(conf!).mtimeMs).size).toBeGreaterThan(3);
  expect(count('is tried again')).toBe(1);
  rmSync(log!, { recursive: true });
  await expect.poll(() => server.pid()).not.toBe(first);
  expect(await connect(server.url).get('key')).toBe('value');
});

test('a server that dies right after its start is started again after a pause', async () => {
  const server = await start(dataDir, { pauses: { restartMs: 400, lookMs: 60_000 } });
  const [first, killedMs] = [server.pid(), performance.now()];
  process.kill(first, 'SIGKILL');
  await expect.poll(() => server.pid()).not.toBe(first);
  expect(performance.now() - killedMs).toBeGreaterThan(400);
});

test('a bot that stops while its server is being started again leaves no process', async () => {
  const server = await start();
  process.kill(server.pid(), 'SIGKILL');
  await server.stop();
  expect(await findServersIn(join(dataDir, 'redis'))).toEqual([]);
});

test.each([
  ['need not have noticed it', 0],
  ['has noticed it, and is about to start it again', 1],
])('a server whose connection was cut ends with a bot that %s', async (_, ends) => {
  const pauses = { restartMs: 60_000, lookMs: 60_000 };
  const server = await start(dataDir, { pauses, heard: listening });
  const redis = connect(server.url);
  await redis.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await expect.poll(() => count('server has ended')).toBeGreaterThanOrEqual(ends);
  await server.stop();
  expect(await findServersIn(join(dataDir, 'redis'))).toEqual([]);
  // And was not killed.
  const text = readFileSync(join(dataDir, 'redis', 'server.log'), 'utf8');
  expect(text).toContain('User requested shutdown');
});

test('a server that hangs is ended all the same', async () => {
  const server = await start();
  process.kill(server.pid(), 'SIGSTOP');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const stopped = server.stop();
  await expect.poll(() => vi.getTimerCount()).toBeGreaterThan(0);
  vi.advanceTimersByTime(4000);
  expect(await Promise.race([stopped.then(() => 'It is off.'), pause(5000)])).toBe('It is off.');
  expect(await findServersIn(join(dataDir, 'redis'))).toEqual([]);
});
