import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { awaitLoaded } from '../../../src/redis/connection.ts';
import { freePort } from '../../fixtures/cluster.ts';
import { recordLog } from '../../fixtures/record-log.ts';
import { connect, refusalOf, server, useServer } from './asked-server.ts';

useServer();

test('several servers that are no cluster are called so', async () => {
  const port = await freePort();
  await server.redis.config('SET', 'port', String(port));
  const redis = connect(`redis://127.0.0.1:${port},127.0.0.1:1`, recordLog().log);
  expect(await refusalOf(redis)).toMatchObject({
    code: 78,
    message: expect.stringContaining('are no cluster') as string,
  });
  await server.redis.config('SET', 'port', '0');
});

test.each([
  ['that is waited for', true],
  ['that is asked at once', false],
])('a start with TLS at a server without it %s names redis://', async (_, isAwaited) => {
  const other = createServer((socket) => void socket.on('error', () => {}));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const { log } = recordLog();
  const redis = connect(`rediss://127.0.0.1:${port}`, log);
  if (isAwaited) await awaitLoaded(redis, log);
  expect(await refusalOf(redis)).toMatchObject({
    message: expect.stringContaining('correct REDIS_URL (redis:// if it has no TLS)') as string,
  });
  other.close();
});

test.each([
  ['redis', 'HTTP/1.1 400 Bad Request\r\n\r\n', /^What answers is no Redis: correct REDIS_URL/],
  [
    'redis',
    '-ERR max number of clients\r\n',
    /^Redis answers, and refuses \(ERR max number of clients\)/,
  ],
])('%s:// to a port that answers "%s" names the cure', async (scheme, answer, cure) => {
  const other = createServer((socket) => void socket.on('error', () => {}).write(answer));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  const { port } = other.address() as AddressInfo;
  const { log, text } = recordLog();
  const redis = connect(`${scheme}://127.0.0.1:${port}`, log);
  // Some answer once, before the start asks for the reason.
  await awaitLoaded(redis, log);
  expect(text()).not.toContain('cannot be reached');
  expect(await refusalOf(redis)).toMatchObject({
    code: 69,
    message: expect.stringMatching(cure) as string,
  });
  other.close();
});
