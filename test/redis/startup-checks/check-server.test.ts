import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { awaitLoaded } from '../../../src/redis/connection.ts';
import { parseInfo } from '../../../src/redis/server-info.ts';
import { checkServer, judgeServer } from '../../../src/redis/startup-checks/check-server.ts';
import { answering } from '../../fixtures/answering.ts';
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

/** Waits less for an answer that does not come than a bot. */
function connectImpatiently(url: string): Redis {
  const redis = connect(url, recordLog().log);
  redis.options.commandTimeout = 200;
  return redis;
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

test('what answers and is no Redis is called so', async () => {
  const address = await answering(() => 'HTTP/1.1 400 Bad Request\r\n\r\n');
  const { log, text } = recordLog();
  expect(await refusalOf(connect(`redis://${address}`, log))).toMatchObject({
    code: 69,
    message: expect.stringMatching(/^What answers is no Redis: correct REDIS_URL/) as string,
  });
  expect(text()).toContain('What answers is no Redis.');
  expect(text()).not.toContain('cannot be reached');
});

test('a server without TLS that is asked with it is named with the other scheme', async () => {
  const address = await answering(() => '-ERR Protocol error\r\n');
  expect(await refusalOf(connect(`rediss://${address}`, recordLog().log))).toMatchObject({
    message: expect.stringMatching(
      /^Redis does not answer \(ERR_SSL_\w+\): .* correct REDIS_URL \(redis:\/\/ if it has no TLS\)/,
    ) as string,
  });
});

test('a certificate that is not trusted is the reason, with its cure', async () => {
  const [cert = '', key = ''] = ['certificate.pem', 'key.pem'].map((name) =>
    readFileSync(join(import.meta.dirname, '../../fixtures/tls', name)),
  );
  const listening = createTlsServer({ cert, key });
  listening.on('tlsClientError', () => {});
  onTestFinished(() => void listening.close());
  await once(listening.listen(0, 'localhost'), 'listening');
  const { port } = listening.address() as AddressInfo;
  expect(await refusalOf(connect(`rediss://localhost:${port}`, recordLog().log))).toMatchObject({
    message: expect.stringMatching(
      /^Redis does not answer \(self-signed certificate\): set NODE_EXTRA_CA_CERTS .* in REDIS_URL the host/,
    ) as string,
  });
});

test('the nodes of a cluster with TLS are asked by their names, which their certificates have', async () => {
  const redis = connect('rediss://localhost:1,localhost:2', recordLog().log);
  const [node] = (await once(redis, '+node')) as [Redis];
  expect(node.options.host).toBe('localhost');
});

test.each([
  [
    'asks for a password',
    '-NOAUTH Authentication required.',
    /^The Sentinels do not accept their password \(NOAUTH\)/,
  ],
  ['has no such group', '*-1', /^The Sentinels know no group mymaster/],
])('a Sentinel that %s is named, also beside one that is away', async (_, answer, words) => {
  const address = await answering(() => `${answer}\r\n`);
  const url = `redis+sentinel://${address},127.0.0.1:1/mymaster`;
  expect(await refusalOf(connectImpatiently(url))).toMatchObject({
    code: 78,
    message: expect.stringMatching(words) as string,
  });
});

const NO_CLUSTER = 'redis://127.0.0.1:1,127.0.0.1:2';

test('a start does not wait for the nodes of a cluster to read their data', async () => {
  const { log } = recordLog();
  const begun = awaitLoaded(connect(NO_CLUSTER, log), log).then(() => 'begun');
  expect(await Promise.race([begun, pause(2000, 'waits')])).toBe('begun');
});

test('a cluster of which no node answers is named with the reason', async () => {
  const redis = connect(NO_CLUSTER, recordLog().log);
  expect(await refusalOf(redis, 200)).toMatchObject({
    code: 69,
    message: expect.stringContaining('does not answer (connect ECONNREFUSED') as string,
  });
});

test('a server that goes away while its database is chosen is not said to refuse it', async () => {
  let chosen = 0;
  const address = await answering((command) => {
    if (/select/i.test(command)) chosen += 1;
    // The first time it is asked by the driver.
    if (chosen > 1) return null;
    const text = command.includes('info') ? 'redis_version:7.0.15' : '';
    return `$${text.length}\r\n${text}\r\n`;
  });
  expect(await refusalOf(connectImpatiently(`redis://${address}/3`))).toMatchObject({
    message: expect.stringMatching(/^Redis does not answer/) as string,
  });
  expect(chosen).toBeGreaterThan(1);
});

test('what a server said before it was asked is the reason, where it says nothing more', async () => {
  let isSaid = false;
  const address = await answering(() => {
    if (isSaid) return '';
    isSaid = true;
    return '-ERR max number of clients reached\r\n';
  });
  const redis = connectImpatiently(`redis://${address}`);
  await new Promise((resolve) => redis.once('close', resolve));
  expect(await refusalOf(redis)).toMatchObject({
    message: expect.stringContaining('refuses (ERR max number of clients') as string,
  });
});

test('a server that hangs up without a word has no connection, and not a setting of the driver', async () => {
  const address = await answering(() => null);
  expect(await refusalOf(connect(`redis://${address}`, recordLog().log))).toMatchObject({
    message: expect.stringContaining('Redis does not answer (no connection): start it') as string,
  });
});

test('a name of several addresses that nobody answers at is named by its code', async () => {
  const address = await answering(() => '');
  const redis = connectImpatiently(`redis://${address}`);
  const refused = refusalOf(redis);
  // As Node tells it: without a message of its own.
  redis.emit('error', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }));
  expect(await refused).toMatchObject({
    message: expect.stringContaining('does not answer (ECONNREFUSED)') as string,
  });
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
    const text = `loading:${asked > 2 ? 0 : 1}`;
    return `$${text.length}\r\n${text}\r\n`;
  });
  const { log, text } = recordLog();
  await awaitLoaded(connect(`redis://${address}`), log, 10);
  expect(asked).toBe(3);
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

  test('a server that hides its version is taken for an old one', () => {
    expect(() => judge(good.replace(/redis_version.*/, ''))).toThrow('Redis is version 0');
  });

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
