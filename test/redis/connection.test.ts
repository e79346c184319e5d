import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createLog } from '../../src/log.ts';
import { checkServer, connectRedis, judgeServer } from '../../src/redis/connection.ts';
import { parseInfo } from '../../src/redis/private-server/version.ts';
import { startTestRedis, type TestRedis } from '../fixtures/private-redis.ts';
import { recordLog } from '../fixtures/record-log.ts';

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

test('what was acknowledged is still there after the server was killed', async () => {
  await server.redis.set('key', 'value');
  await server.restart();
  expect(await server.redis.get('key')).toBe('value');
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
  const askedAt = performance.now();
  await expect(redis.ping()).rejects.toThrow('Command timed out');
  expect(performance.now() - askedAt).toBeLessThan(2000);
  server.resume();
  expect(await redis.ping()).toBe('PONG');
});

test('an unreachable server fails a command within 2 s and is reported once, without the password', async () => {
  const { log, text } = recordLog();
  const redis = connect('redis://user:my-secret@127.0.0.1:1', log);
  const askedAt = performance.now();
  await expect(redis.ping()).rejects.toThrow(/./);
  expect(performance.now() - askedAt).toBeLessThan(2000);
  await vi.waitFor(() => expect(text()).toContain('ECONNREFUSED'));
  expect(text().match(/Redis cannot be reached/g)).toHaveLength(1);
  expect(text()).not.toContain('my-secret');
  expect(await checkServer(redis)).toMatchObject({ status: 'unreachable' });
});

test('a wrong password is reported without the password', async () => {
  await server.redis.call('ACL', 'SETUSER', 'someone', 'on', '>right', '+@all');
  const { log, text } = recordLog();
  const redis = connect(`redis+unix://someone:my-secret@${server.url}`, log);
  const check = await checkServer(redis);
  expect(check).toMatchObject({
    status: 'refused',
    reason: expect.stringMatching(/^Redis does not accept the password of REDIS_URL \(WRONGPASS/),
  });
  expect(text() + JSON.stringify(check)).not.toContain('my-secret');
});

test('a missing password is a fault of the address', async () => {
  await server.redis.config('SET', 'requirepass', 'right');
  const check = await checkServer(connect(server.url, recordLog().log));
  await server.redis.config('SET', 'requirepass', '');
  expect(check).toMatchObject({
    status: 'refused',
    reason: expect.stringContaining('password of REDIS_URL (NOAUTH'),
  });
});

test('an address that is not understood is refused at once', () => {
  expect(() => connect('http://user:my-secret@host')).toThrow(
    'The address of Redis does not begin',
  );
});

test('a write that meets a replica, as in a failover, waits for the new master', async () => {
  const redis = connect(server.url);
  await server.redis.replicaof('127.0.0.1', '1');
  const write = redis.set('key', 'value');
  await new Promise((resolve) => redis.once('reconnecting', resolve));
  await server.redis.replicaof('NO', 'ONE');
  expect(await write).toBe('OK');
});

const judge = (info: string) => judgeServer(parseInfo(info));

describe('a server', () => {
  const good =
    'redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:master\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n';

  test('of our own is accepted without a warning', async () => {
    expect(await checkServer(server.redis)).toMatchObject({ status: 'accepted', warnings: [] });
  });

  test.each(['6.2.0', '7.0.15', '7.2.4', '8.0.1', '10.0.0'])(
    'of version %s is accepted',
    (version) => {
      expect(judge(good.replace('7.0.15', version))).toEqual({
        status: 'accepted',
        version,
        warnings: [],
      });
    },
  );

  test.each(['2.8.24', '5.0.7', '6.0.16'])('of version %s is refused', (version) => {
    const check = judge(good.replace('7.0.15', version));
    expect(check).toMatchObject({
      status: 'refused',
      reason: expect.stringContaining(version) as string,
    });
  });

  test('in cluster mode, or that is a replica, is refused', () => {
    expect(judge(good.replace('standalone', 'cluster'))).toMatchObject({ status: 'refused' });
    expect(judge(good.replace('master', 'slave'))).toMatchObject({ status: 'refused' });
  });

  test('that is configured to lose data is accepted with a warning for each reason', async () => {
    await server.redis.config('SET', 'appendonly', 'no');
    await server.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const check = await checkServer(server.redis);
    await server.redis.config('SET', 'appendonly', 'yes');
    await server.redis.config('SET', 'maxmemory-policy', 'noeviction');
    expect(check).toMatchObject({
      status: 'accepted',
      warnings: [{ is: 'aof-off' }, { is: 'evicting', policy: 'allkeys-lru' }],
    });
  });

  test('that tells less says what could not be checked', async () => {
    const check = judge('redis_version:7.0.15\r\n');
    expect(check).toMatchObject({
      warnings: [{ is: 'aof-unchecked' }, { is: 'policy-unchecked' }],
    });
    await server.redis.call(
      'ACL',
      'SETUSER',
      'limited',
      'on',
      'nopass',
      '~*',
      '&*',
      '+@all',
      '-info',
    );
    const redis = connect(`redis+unix://limited:any@${server.url}`);
    expect(await checkServer(redis)).toMatchObject({
      status: 'accepted',
      warnings: [{ is: 'unchecked' }],
    });
  });
});
