import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectRedis } from '../../../src/redis/connection.ts';
import {
  lookForData,
  rewriteData,
  writerOfData,
} from '../../../src/redis/private-server/data-files.ts';
import { serverConfig } from '../../../src/redis/private-server/server-config.ts';
import { parseInfo } from '../../../src/redis/server-info.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { answering } from '../../fixtures/answering.ts';
import { startTestRedis } from '../../fixtures/private-redis.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'frontpage-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text, 'latin1');
}

test.each<[where: string, files: string[], state: string]>([
  ['nothing', ['redis.conf'], 'none'],
  ['one file', ['appendonly.aof'], 'present'],
  ['parts and their list', ['appendonlydir/appendonly.aof.manifest'], 'present'],
  // A server would begin anew over them.
  ['parts without their list', ['appendonlydir/a.1.incr.aof'], 'without manifest'],
  ['a file in the place of their folder', ['appendonlydir'], 'without manifest'],
])('of %s, a start finds data that it must not write over, or none', async (_, files, state) => {
  for (const file of files) write(file);
  expect(await lookForData(folder)).toBe(state);
});

test.each([
  ['REDIS0011\u00fa\tredis-ver\u00057.2.4\u00fa', 'Redis 7.2.4'],
  ['VALKEY080\u00fa\nvalkey-ver\u00058.0.1\u00fa', 'Valkey 8.0.1'],
  ['REDIS0011 and nothing else', null],
])('the server that wrote %j is %s', async (head, writer) => {
  expect(await writerOfData(folder)).toBeNull();
  write('appendonlydir/appendonly.aof.1.incr.aof', 'redis-ver\u00056.2.0');
  expect(await writerOfData(folder)).toBeNull();
  write('appendonlydir/appendonly.aof.1.base.rdb', 'REDIS0009\u00fa\tredis-ver\u00057.0.1\u00fa');
  // The newest one is loaded.
  write('appendonlydir/appendonly.aof.2.base.rdb', head);
  expect(await writerOfData(folder)).toBe(writer);
});

test('a server gets only settings that its version knows, and calls fsync as the host wants', () => {
  const protectedConfigs = 'enable-protected-configs local';
  expect(serverConfig('always', '6.2.14')).not.toContain(protectedConfigs);
  expect(serverConfig('always', '6.2.14')).toContain('\nappendfsync always\n');
  // Also while it writes its file anew.
  expect(serverConfig('always', '7.0.15')).toContain('\nno-appendfsync-on-rewrite no\n');
  for (const version of ['7.0.15', '8.0.1', '16.0.0']) {
    expect(serverConfig('everysec', version)).toContain(`\n${protectedConfigs}\n`);
    expect(serverConfig('everysec', version)).toContain('\nappendfsync everysec\n');
  }
});

test('the data of a server is written into a folder before this is said, and a failure is thrown', async () => {
  const server = await startTestRedis();
  const [, before = ''] = await server.redis.config('GET', 'dir');
  await server.redis.set('key', 'value');
  await rewriteData(server.redis, folder);
  expect(await lookForData(folder)).toBe('present');
  const info = parseInfo(await server.redis.info('persistence'));
  expect(info.get('aof_rewrite_in_progress')).toBe('0');
  await rewriteData(server.redis, before);
  await server.stop();
  // A disk that is full meanwhile.
  const failed = [
    'aof_rewrite_in_progress:0',
    'aof_rewrite_scheduled:0',
    'aof_last_bgrewrite_status:err',
  ].join('\r\n');
  const address = await answering((command) =>
    command.includes('info') ? `$${failed.length}\r\n${failed}\r\n` : '+OK\r\n',
  );
  const redis = connectRedis(`redis://${address}`, { log: createLog('silent'), name: 'test' });
  await expect(rewriteData(redis, folder)).rejects.toThrow('could not be written');
  redis.disconnect();
});
