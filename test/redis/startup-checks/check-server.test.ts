import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { awaitLoaded } from '../../../src/redis/connection.ts';
import { parseInfo } from '../../../src/redis/server-info.ts';
import { checkServer, judgeServer } from '../../../src/redis/startup-checks/check-server.ts';
import { recordLog } from '../../fixtures/record-log.ts';
import { connect, refusalOf, server, useServer } from './asked-server.ts';

useServer();

test('a server that failed before it was asked is named with the reason, not with a setting of the driver', async () => {
  const redis = connect('redis://127.0.0.1:1', recordLog().log);
  // The commands that wait fail when the connection is closed, after its error.
  const check = new Promise((resolve) => {
    redis.once('error', () => resolve(refusalOf(redis)));
  });
  expect(await check).toMatchObject({
    message: expect.stringContaining('does not answer (connect ECONNREFUSED') as string,
  });
});

test('a wrong password is reported without the password', async () => {
  await server.redis.call('ACL', 'SETUSER', 'someone', 'on', '>right', '+@all');
  const { log, text } = recordLog();
  const redis = connect(`redis+unix://someone:my-secret@${server.url}`, log);
  const check = await refusalOf(redis);
  expect(check).toMatchObject({
    code: 78,
    message: expect.stringMatching(/^Redis does not accept the password of REDIS_URL \(WRONGPASS/),
  });
  expect(text()).toContain('Redis answers, and refuses the connection.');
  expect(text() + String(check) + JSON.stringify(check)).not.toContain('my-secret');
});

test('a missing password is a fault of the address', async () => {
  await server.redis.config('SET', 'requirepass', 'right');
  const check = await refusalOf(connect(server.url, recordLog().log));
  await server.redis.config('SET', 'requirepass', '');
  expect(check).toMatchObject({
    code: 78,
    message: expect.stringContaining('Redis asks for a password, and REDIS_URL has none'),
  });
});

/** A server that answers each command in this way. */
async function answering(answer: (command: string) => string): Promise<string> {
  const listening = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const command of data.toString().split(/^(?=\*\d)/m)) socket.write(answer(command));
    });
  });
  onTestFinished(() => void listening.close());
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

test.each([
  ['ERR max number of clients reached', /^Redis answers, and refuses \(ERR max number of clients/],
  ['ERR invalid password', /^Redis does not accept the password of REDIS_URL/],
  ['NOAUTH Authentication required.', /^Redis does not accept the password of REDIS_URL/],
  ['ERR This instance has cluster support disabled', /which are no cluster/],
])('a server that answers “%s” is named with the cure', async (answer, cure) => {
  const address = await answering(() => `-${answer}\r\n`);
  const refused = await refusalOf(connect(`redis://:any@${address}`, recordLog().log));
  expect(refused).toMatchObject({ message: expect.stringMatching(cure) as string });
});

test.each([
  ['redis', 'rediss:// if it has TLS'],
  ['rediss', 'redis:// if it has no TLS'],
])('a host whose %s:// server ends each connection reads to try %s', async (scheme, hint) => {
  const listening = createServer((socket) => {
    socket.on('error', () => {});
    socket.resetAndDestroy();
  });
  onTestFinished(() => void listening.close());
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  const { port } = listening.address() as AddressInfo;
  const redis = connect(`${scheme}://127.0.0.1:${port}`, recordLog().log);
  const check = new Promise((resolve) => {
    redis.once('error', () => resolve(refusalOf(redis)));
  });
  expect(await check).toMatchObject({
    message: expect.stringContaining(`correct REDIS_URL (${hint})`) as string,
  });
});

test('a start waits while Redis reads its data, and says so once', async () => {
  let asked = 0;
  const address = await answering((command) => {
    if (!command.includes('persistence')) return '+OK\r\n';
    asked += 1;
    const text = `loading:${asked > 1 ? 0 : 1}`;
    return `$${text.length}\r\n${text}\r\n`;
  });
  const { log, text } = recordLog();
  await awaitLoaded(connect(`redis://${address}`), log);
  expect(asked).toBe(2);
  expect(text().match(/still reads its data/g)).toHaveLength(1);
});

const judge = (info: string) => judgeServer(parseInfo(info));

test('a Valkey server is called so, with its own version', () => {
  const info = 'redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.0.1\r\n';
  expect(judge(info)).toMatchObject({ engine: 'Valkey', version: '8.0.1' });
  expect(judge('redis_version:7.0.15\r\n')).toMatchObject({ engine: 'Redis', version: '7.0.15' });
});

describe('a server', () => {
  const good =
    'redis_version:7.0.15\r\nredis_mode:standalone\r\nrole:master\r\naof_enabled:1\r\nmaxmemory_policy:noeviction\r\n';

  test('a server of our own is accepted without a warning', async () => {
    expect(await checkServer(server.redis)).toMatchObject({ warnings: [] });
  });

  test.each(['6.2.0', '7.0.15', '7.2.4', '8.0.1', '10.0.0'])(
    'a server of version %s is accepted',
    (version) => {
      expect(judge(good.replace('7.0.15', version))).toEqual({
        engine: 'Redis',
        version,
        warnings: [],
      });
    },
  );

  test.each(['2.8.24', '5.0.7', '5.9.1', '6.0.16'])(
    'a server of version %s is refused',
    (version) => {
      expect(() => judge(good.replace('7.0.15', version))).toThrow(`version ${version}`);
    },
  );

  test('a server in cluster mode, or that is a replica, is refused', () => {
    expect(() => judge(good.replace('standalone', 'cluster'))).toThrow('in cluster mode');
    expect(() => judge(good.replace('master', 'slave'))).toThrow('a read-only replica');
    expect(() => judge(good.replace('standalone', 'sentinel'))).toThrow('names a Sentinel');
    const asCluster = judgeServer(parseInfo(good.replace('standalone', 'cluster')), true);
    expect(asCluster).toMatchObject({ warnings: [] });
  });

  test('a server that has no such database is a fault of the address', async () => {
    const redis = connect(`redis+unix://${server.url}?db=7`, recordLog().log);
    expect(await refusalOf(redis)).toMatchObject({
      code: 78,
      message: expect.stringContaining('refuses the database 7 of REDIS_URL') as string,
    });
  });

  test('a server that is configured to lose data is accepted with a warning for each reason', async () => {
    await server.redis.config('SET', 'appendonly', 'no');
    await server.redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    const check = await checkServer(server.redis);
    await server.redis.config('SET', 'appendonly', 'yes');
    await server.redis.config('SET', 'maxmemory-policy', 'noeviction');
    expect(check).toMatchObject({
      warnings: [
        expect.stringContaining('no append-only file'),
        expect.stringContaining('(maxmemory-policy allkeys-lru)'),
      ],
    });
  });

  test('a server that still reads its data is not said to keep no append-only file', () => {
    const loading = good.replace('aof_enabled:1', 'loading:1\r\naof_enabled:0');
    expect(judge(loading)).toMatchObject({ warnings: [] });
  });

  test('a server that tells less says what could not be checked', async () => {
    const check = judge('redis_version:7.0.15\r\n');
    expect(check).toMatchObject({
      warnings: [
        expect.stringContaining('append-only file'),
        expect.stringContaining('eviction policy'),
      ],
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
      warnings: [expect.stringContaining('INFO')],
    });
  });
});
