import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import {
  findPrivateServer,
  type PrivateServer,
  startPrivateServer,
} from '../../../src/redis/private-server/private-server.ts';
import { createLog } from '../../../src/runtime/log.ts';

const log = createLog('silent');
let dataDir: string;
let folder: string;
let opened: { server: PrivateServer; redis: Redis }[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
  folder = join(dataDir, 'redis');
  opened = [];
});
afterEach(async () => {
  for (const { server, redis } of opened) {
    redis.disconnect();
    await server.stop();
  }
  rmSync(dataDir, { recursive: true });
});

async function start(): Promise<Redis> {
  const server = await startPrivateServer({ dataDir, log });
  const redis = connectRedis(server.url, { log, name: 'test' });
  redis.options.commandTimeout = 30_000;
  opened.push({ server, redis });
  return redis;
}

const othersMay = (path: string) => statSync(path).mode & 0o077;

test('the private server keeps all data, and lets nobody else on the machine or in the network near it', async () => {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  const backup = join(dataDir, 'frontpage-2026-11-29.backup.gz');
  writeFileSync(backup, 'x');
  chmodSync(backup, 0o644);
  const redis = await start();
  const setting = async (name: string) => (await redis.config('GET', name))[1];
  expect({
    appendonly: await setting('appendonly'),
    policy: await setting('maxmemory-policy'),
    port: await setting('port'),
  }).toEqual({ appendonly: 'yes', policy: 'noeviction', port: '0' });
  const parts = join(folder, 'appendonlydir');
  const inFolder = readdirSync(folder).map((name) => join(folder, name));
  const ofData = readdirSync(parts).map((name) => join(parts, name));
  expect(ofData.length).toBeGreaterThan(0);
  const open = [dataDir, folder, backup, ...inFolder, ...ofData].filter(othersMay);
  expect(open).toEqual([]);
});

test('a server that has another folder is not taken for the private one', async () => {
  await start();
  expect(await findPrivateServer(dataDir)).toBe(opened[0]!.server.url);
  const other = join(dataDir, 'other');
  mkdirSync(join(other, 'redis'), { recursive: true });
  symlinkSync(opened[0]!.server.url, join(other, 'redis', 'redis.sock'));
  expect(await findPrivateServer(other)).toBeNull();
});

test('the private server writes through no link in its folder', async () => {
  mkdirSync(folder);
  symlinkSync(join(dataDir, 'elsewhere'), join(folder, 'server.log'));
  await expect(start()).rejects.toThrow('server.log is a link');
});
