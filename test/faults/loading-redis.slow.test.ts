import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { mkdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { findServerBinary } from '../../src/redis/private-server/binary.ts';
import { useInstalledBot } from '../fixtures/installed-bot.ts';

const host = useInstalledBot();
const socket = join(host.folder, 'slow.sock');
const redis = new Redis({ path: socket, lazyConnect: true, enableReadyCheck: false });
redis.on('error', () => {}); // It is often away.
const patience = { timeout: 60_000 };
let server: ChildProcess;

/** A server that loads its data for 40 s, and answers -LOADING meanwhile. */
async function startSlowServer(): Promise<void> {
  const { command, argv0 } = findServerBinary();
  const options = `--port 0 --unixsocket ${socket} --dir ${host.dataDir} --appendonly yes
    --appendfsync no --key-load-delay 2000 --loading-process-events-interval-bytes 1024`;
  await rm(socket, { force: true });
  server = spawn(command, options.split(/\s+/), { argv0, stdio: 'ignore' });
}
const loading = async () => (await redis.info('persistence').catch(() => '')).includes('loading:1');

const endLoading = () => redis.config('SET', 'key-load-delay', '0');

/** The server is killed, and loads its data again. */
async function restart(): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGKILL');
  await ended;
  await startSlowServer();
  await expect.poll(loading).toBe(true);
}

beforeAll(async () => {
  mkdirSync(host.dataDir);
  await startSlowServer();
  await vi.waitFor(() => redis.ping(), patience);
  await redis.eval(`for i = 1, 20000 do redis.call('SET', 'filler:' .. i, 'x') end`, 0);
  await redis.bgrewriteaof();
  await vi.waitFor(async () => {
    const info = await redis.info('persistence');
    if (!info.includes('aof_rewrite_in_progress:0')) throw new Error('It still writes.');
  }, patience);
});
afterAll(async () => {
  redis.disconnect();
  server.kill('SIGKILL');
  await once(server, 'exit');
});

// Withstands (Redis, while the bot runs): Redis loads its data (-LOADING)
// → a start waits
test('a start waits for Redis while it loads its data, and a running bot counts the votes of that time', async () => {
  await restart();
  const starting = host.startApp({ REDIS_URL: socket });
  await expect.poll(() => redis.client('LIST')).toMatch(/name=frontpage .*\n.*name=frontpage /);
  await endLoading();
  const bot = await starting;
  expect(bot.said().match(/still reads its data from the disk/g)).toHaveLength(1);
  expect(bot.said()).not.toContain('"level":50');

  const { sandbox, command, top } = host;
  const article = await command('post', { link: 'https://news.example/', title: 'Kept' });
  await expect.poll(top).toContain('▲ 1');
  await restart();
  for (const voter of sandbox.members.slice(0, 8)) {
    sandbox.as(voter).react(sandbox.channels.general.id, article.id, '👍');
  }
  expect(await top()).toContain('can’t reach its database');
  expect(await loading()).toBe(true);
  await endLoading();
  await expect.poll(top).toContain('▲ 9');
});
