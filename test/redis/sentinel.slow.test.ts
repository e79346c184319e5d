import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, expect, test } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { checkServer } from '../../src/redis/startup-checks/check-server.ts';
import { connectRedis } from '../../src/redis/connection.ts';
import { findServerBinary } from '../../src/redis/private-server/binary.ts';
import { freePort } from '../fixtures/cluster.ts';

const children: ChildProcess[] = [];
const folders: string[] = [];

afterAll(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

async function start(settings: Record<string, string | number>, mode: string[] = []) {
  const { command, argv0 } = findServerBinary();
  const folder = await mkdtemp(join(tmpdir(), 'frontpage-sentinel-'));
  folders.push(folder);
  const config = join(folder, 'redis.conf');
  const lines = Object.entries({ bind: '127.0.0.1', dir: folder, ...settings });
  await writeFile(config, lines.map(([name, value]) => `${name} ${value}\n`).join(''));
  const child = spawn(command, [config, ...mode], { argv0, stdio: 'ignore' });
  children.push(child);
  return child;
}

// Withstands (Redis, while the bot runs): Sentinels elect another master
// → the bot follows
test('a group that Sentinels watch is followed to its new master', async () => {
  const [master, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
  const memory = { save: '""', appendonly: 'no' };
  const first = await start({ port: master, ...memory });
  await start({ port: replica, replicaof: `127.0.0.1 ${master}`, ...memory });
  await start(
    {
      port: sentinel,
      'sentinel monitor': `frontpage 127.0.0.1 ${master} 1`,
      'sentinel down-after-milliseconds': 'frontpage 1000',
      'sentinel failover-timeout': 'frontpage 5000',
    },
    ['--sentinel'],
  );
  const url = `redis+sentinel://127.0.0.1:${sentinel},127.0.0.1:1/frontpage`;
  const redis = connectRedis(url, { log: createLog('silent'), name: 'test' });
  const asked = new Redis(sentinel, '127.0.0.1', { lazyConnect: true });
  try {
    const set = async (value: string) =>
      redis.set('key', value).catch((error: unknown) => String(error));
    await expect.poll(() => set('before')).toBe('OK');
    await expect.poll(() => redis.wait(1, 100)).toBe(1);
    // The Sentinel asks the master for its replicas each ten seconds, and can promote those alone that it knows.
    await expect.poll(() => asked.call('SENTINEL', 'REPLICAS', 'frontpage')).toHaveLength(1);
    first.kill('SIGKILL');
    await expect.poll(() => set('after')).toBe('OK');
    expect(await redis.info('server')).toContain(`tcp_port:${replica}`);
  } finally {
    redis.disconnect();
    asked.disconnect();
  }
});

test('Sentinels with a password of their own, and a group that they do not know, are named at the start', async () => {
  const [master, sentinel] = [await freePort(), await freePort()];
  await start({ port: master, save: '""', appendonly: 'no' });
  await start(
    {
      port: sentinel,
      requirepass: 'of-the-sentinel',
      'sentinel monitor': `frontpage 127.0.0.1 ${master} 1`,
    },
    ['--sentinel'],
  );
  const answerOf = async (group: string, query = '') => {
    // The second one is away: what it cannot say must not hide what the first one says.
    const url = `redis+sentinel://127.0.0.1:${sentinel},127.0.0.1:1/${group}${query}`;
    const redis = connectRedis(url, { log: createLog('silent'), name: 'test' });
    try {
      const { engine } = await checkServer(redis);
      return engine;
    } catch (error) {
      return (error as Error).message;
    } finally {
      redis.disconnect();
    }
  };
  const login = '?sentinelPassword=of-the-sentinel';
  await expect.poll(() => answerOf('frontpage', login)).toMatch(/^(Redis|Valkey)$/);
  expect(await answerOf('frontpage')).toContain('do not accept their password (NOAUTH)');
  expect(await answerOf('frontpage', '?sentinelPassword=wrong')).toContain('(WRONGPASS)');
  expect(await answerOf('frontpages', login)).toContain('know no group frontpages');
});
