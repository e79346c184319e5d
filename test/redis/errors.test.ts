import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import {
  isFaultOfRedis,
  isOutage,
  isReply,
  nullIfWrongType,
  openWarnings,
} from '../../src/redis/errors.ts';

test.each([
  'Too many Cluster redirections. Last error: Error: Connection is closed.',
  'Too many Cluster redirections. Last error: ReplyError: MOVED 42 127.0.0.1:7001',
  'CLUSTERDOWN The cluster is down',
  'Connection is closed.',
  // A command within a transaction was answered in one of these ways.
  'EXECABORT Transaction discarded because of previous errors.',
  'MASTERDOWN Link with MASTER is down',
  'TRYAGAIN Multiple keys request during rehashing of slot',
  'OOM command not allowed',
  'MISCONF Errors writing to the AOF file',
  'BUSY Redis is busy running a script',
  'NOREPLICAS Not enough good replicas to write.',
  'UNBLOCKED force unblock from blocking operation',
  'NOSCRIPT No matching script.',
  'NOAUTH Authentication required.',
  'WRONGPASS invalid username-password pair',
  'READONLY You cannot write against a read only replica.',
  'Command timed out',
  "Stream isn't writeable and enableOfflineQueue options is false",
  'Socket timeout. Expecting data, but did not receive any in 10000ms.',
  "Cluster isn't ready and enableOfflineQueue options is false",
  'None of startup nodes is available',
])('"%s" is said of a Redis that will be back', (message) => {
  expect(isOutage(new Error(message))).toBe(true);
});

const named = (name: string, message: string) => Object.assign(new Error(message), { name });

test.each([
  // Whether Redis will be back, and whether it refuses what stands there.
  ['an answer while it loads', named('ReplyError', 'LOADING Redis is loading'), true, false],
  ['a lost permission', named('ReplyError', 'NOPERM no permissions'), true, false],
  ['a key of a wrong type', named('ReplyError', 'WRONGTYPE Operation against'), false, true],
  ['a fault of a script', named('ReplyError', 'ERR user_script:1: nil'), false, true],
  [
    'a command that waited too long',
    named('MaxRetriesPerRequestError', 'Reached the max'),
    true,
    false,
  ],
  [
    'a refused connection',
    Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    true,
    false,
  ],
  ['a file that is missing', Object.assign(new Error('open'), { code: 'ENOENT' }), false, false],
  [
    'an answer of Discord',
    Object.assign(new Error('Connection is closed.'), { status: 503 }),
    false,
    false,
  ],
  ['a request given up', new DOMException('Connection is closed.', 'TimeoutError'), false, false],
  ['a text', 'Connection is closed.', false, false],
])('%s is told from an outage of Redis', (_, error, outage, faultOfRedis) => {
  expect([isOutage(error), isFaultOfRedis(error)]).toEqual([outage, faultOfRedis]);
});

test.each([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'EAI_AGAIN',
])('a socket that fails with %s is an outage', (code) => {
  expect(isOutage(Object.assign(new Error(''), { code, syscall: 'connect' }))).toBe(true);
});

test.each(['AbortError', 'ClusterAllFailedError'])('%s of the driver is an outage', (name) => {
  expect(isOutage(named(name, 'Whatever it says'))).toBe(true);
});

test('a key of a wrong type counts as missing where the rest goes on, and nothing else does', () => {
  expect(nullIfWrongType(new Error('WRONGTYPE Operation against'))).toBeNull();
  expect(() => nullIfWrongType(new Error('Connection is closed.'))).toThrow('is closed');
  expect(['WRONGPASS invalid', 'connect ECONNREFUSED', 'A sentence'].map(isReply)).toEqual([
    true,
    false,
    false,
  ]);
});

afterEach(() => {
  vi.useRealTimers();
});

function openLog() {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { lines, warn: openWarnings(pino({ level: 'info' }, stream)) };
}

test('the same warning about an outage is given once, not once a guild or each minute', () => {
  const { lines, warn } = openLog();
  const away = new Error('Connection is closed.');
  for (const guild of ['1', '2', '3']) warn(away, { guild }, 'It is tried again.');
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain('stack');
  warn(away, { guild: '1' }, 'Something else is.');
  for (const guild of ['1', '2']) warn(new Error('A fault'), { guild }, 'It is tried again.');
  expect(lines).toHaveLength(4);
  for (let minute = 0; minute < 5; minute++) {
    vi.advanceTimersByTime(60_000);
    warn(away, { guild: '1' }, 'It is tried again.');
  }
  expect(lines).toHaveLength(4);
  vi.advanceTimersByTime(120_000);
  warn(away, { guild: '1' }, 'It is tried again.');
  expect(lines).toHaveLength(5);
});

test('of very many faults the first ones are forgotten, and given again', () => {
  const { lines, warn } = openLog();
  const fault = (n: number) => warn(new Error(`Fault ${n}`), {}, 'It is tried again.');
  for (let n = 0; n < 1000; n += 1) fault(n);
  fault(0);
  expect(lines).toHaveLength(1000);
  for (let n = 1000; n < 1002; n += 1) fault(n);
  fault(0);
  expect(lines).toHaveLength(1003);
});

test('the same fault of a guild is given every minute and a half, not once a vote', () => {
  const { lines, warn } = openLog();
  const vote = (guild: string, error = 'WRONGTYPE') => {
    warn(new Error(error), { guild }, 'It could not be written.');
  };
  for (let n = 0; n < 3; n++) for (const guild of ['1', '2']) vote(guild);
  expect(lines).toHaveLength(2);
  vote('1', 'Another fault');
  expect(lines).toHaveLength(3);
  for (let n = 0; n < 4; n++) {
    vi.advanceTimersByTime(50_000);
    vote('1');
  }
  expect(lines).toHaveLength(5);
});
