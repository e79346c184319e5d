import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  findPrivateServer,
  type PrivateServer,
  startPrivateServer,
} from '../../../src/redis/private-server/private-server.ts';
import { createLog } from '../../../src/runtime/log.ts';

const log = createLog('silent');
let dataDir: string;
let folder: string;
let opened: PrivateServer[];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
  folder = join(dataDir, 'redis');
  opened = [];
});
afterEach(async () => {
  for (const server of opened) await server.stop();
  rmSync(dataDir, { recursive: true });
});

async function start(): Promise<PrivateServer> {
  const server = await startPrivateServer({ dataDir, log });
  opened.push(server);
  return server;
}

const othersMay = (path: string) => statSync(path).mode & 0o077;

test('a folder of data and backups that others could read are closed to them by a start', async () => {
  const backup = join(dataDir, 'frontpage-2026-11-29.backup.gz');
  mkdirSync(folder);
  writeFileSync(backup, 'x');
  chmodSync(backup, 0o644);
  for (const path of [dataDir, folder]) chmodSync(path, 0o755);
  await start();
  expect([dataDir, folder, backup].filter(othersMay)).toEqual([]);
});

test('a server that has another folder is not taken for the private one', async () => {
  const { url } = await start();
  expect(await findPrivateServer(dataDir)).toBe(url);
  const other = join(dataDir, 'other');
  mkdirSync(join(other, 'redis'), { recursive: true });
  symlinkSync(url, join(other, 'redis', 'redis.sock'));
  expect(await findPrivateServer(other)).toBeNull();
});

test('the private server writes through no link in its folder', async () => {
  mkdirSync(folder);
  symlinkSync(join(dataDir, 'elsewhere'), join(folder, 'server.log'));
  await expect(start()).rejects.toThrow('server.log is a link');
});
