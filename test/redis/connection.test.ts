import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../src/runtime/log.ts';
import { onMetric } from '../../src/runtime/metrics.ts';
import { connectRedis, lastErrorOf } from '../../src/redis/connection.ts';
import { checkServer } from '../../src/redis/startup-checks/check-server.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { within } from '../fixtures/own-time.ts';

let server: TestRedis;
const cleanup: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startTestRedis();
});
afterAll(() => server.stop());
afterEach(async () => {
  for (const step of cleanup.splice(0).toReversed()) await step();
});

function connect(url: string, log = createLog('silent')): Redis {
  const redis = connectRedis(url, { log, name: 'test' });
  cleanup.push(() => redis.disconnect());
  return redis;
}

test('the private server keeps all data, throws none away, and is reached by this user alone', async () => {
  const { redis, url } = server;
  const set = async (name: string) => (await redis.config('GET', name)) as [string, string];
  const settings = ['maxmemory-policy', 'appendonly', 'aof-load-truncated', 'port'];
  expect(Object.fromEntries(await Promise.all(settings.map(set)))).toEqual({
    'maxmemory-policy': 'noeviction',
    appendonly: 'yes',
    'aof-load-truncated': 'no',
    port: '0',
  });
  const [, folder] = await set('dir');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const paths = [url, ...files.map((file) => join(folder, file))];
  expect(paths.length).toBeGreaterThan(3);
  expect(paths.filter((path) => (statSync(path).mode & 0o077) !== 0)).toEqual([]);
});

test('what was acknowledged is still there after the server was killed', async () => {
  await server.redis.set('key', 'value');
  await server.restart();
  expect(await server.redis.get('key')).toBe('value');
});

test('a host reads of each outage when it begins and when it ends', async () => {
  const { log, text } = recordLog();
  const redis = connect(server.url, log);
  await redis.ping();
  const said = () => text().match(/cannot be reached|can be reached again/g) ?? [];
  const outage = ['cannot be reached', 'can be reached again'];
  for (const outages of [[...outage], [...outage, ...outage]]) {
    // As the driver tells it.
    for (let tries = 0; tries < 2; tries += 1) redis.emit('error', new Error('connect ENOENT'));
    for (let ends = 0; ends < 2; ends += 1) redis.emit('ready');
    expect(said()).toEqual(outages);
  }
});

test('an outage with several reasons counts once, and each of them is said', async () => {
  const { log, text } = recordLog();
  const redis = connect(server.url, log);
  await redis.ping();
  const reached: boolean[] = [];
  cleanup.push(onMetric('redis', ({ reachable }) => void reached.push(reachable)));
  for (const code of ['ENOENT', 'ECONNREFUSED', 'ENOENT']) redis.emit('error', new Error(code));
  expect(lastErrorOf(redis)?.message).toBe('ENOENT');
  redis.emit('ready');
  expect(lastErrorOf(redis)).toBeNull();
  expect(reached).toEqual([false, true]);
  expect(text().match(/ENOENT|ECONNREFUSED/g)).toEqual(['ENOENT', 'ECONNREFUSED']);
});

test.each(['', 'unix://', 'redis+unix://'])('a socket is reached as %s/path', async (scheme) => {
  expect(await connect(`${scheme}${server.url}`).ping()).toBe('PONG');
});

test('the connection has its name', async () => {
  const redis = connect(server.url);
  expect(await redis.client('GETNAME')).toBe('test');
});

test('a server that hangs fails a command within 2 s, and is used again afterwards', async () => {
  const redis = connect(server.url);
  await redis.ping();
  server.pause();
  expect(await within(2000, redis.ping().catch(String))).toContain('Command timed out');
  server.resume();
  expect(await redis.ping()).toBe('PONG');
});

test('an unreachable server fails a command within 2 s and is reported once, without the password', async () => {
  const { log, text } = recordLog();
  const redis = connect('redis://user:my-secret@127.0.0.1:1', log);
  expect(await within(2000, redis.ping().catch(String))).not.toBe('PONG');
  await expect.poll(text).toContain('ECONNREFUSED');
  expect(text().match(/Redis cannot be reached/g)).toHaveLength(1);
  expect(text()).not.toContain('my-secret');
  await expect(checkServer(redis)).rejects.toThrow('Redis does not answer');
});

test('Sentinels that are away are reported once, not at each try', async () => {
  const { log, text } = recordLog();
  const redis = connect('redis+sentinel://127.0.0.1:1/group', log);
  const tries: number[] = [];
  redis.on('error', () => tries.push(1));
  await expect.poll(() => tries.length).toBeGreaterThan(2);
  expect(text().match(/Redis cannot be reached/g)).toHaveLength(1);
});

test('an address that is not understood is refused at once', () => {
  expect(() => connect('http://user:my-secret@host')).toThrow('That is no address of Redis');
});

test('a write that meets a replica, as in a failover, waits for the new master', async () => {
  const redis = connect(server.url);
  await server.redis.replicaof('127.0.0.1', '1');
  const write = redis.set('key', 'value');
  await new Promise((resolve) => redis.once('reconnecting', resolve));
  await server.redis.replicaof('NO', 'ONE');
  expect(await write).toBe('OK');
});
