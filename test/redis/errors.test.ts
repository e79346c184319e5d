import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { isOutage, openWarnings } from '../../src/redis/errors.ts';

test.each([
  'Too many Cluster redirections. Last error: Error: Connection is closed.',
  'Too many Cluster redirections. Last error: ReplyError: MOVED 42 127.0.0.1:7001',
  'CLUSTERDOWN The cluster is down',
  'Connection is closed.',
  // A command within a transaction was answered in one of these ways.
  'EXECABORT Transaction discarded because of previous errors.',
])('"%s" is said of a Redis that will be back', (message) => {
  expect(isOutage(new Error(message))).toBe(true);
});

afterEach(() => {
  vi.useRealTimers();
});

test('the same warning about an outage is given once, not once a guild or each minute', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const log = pino({ level: 'info' }, stream);
  const away = new Error('Connection is closed.');
  const warn = openWarnings(log);
  for (const guild of ['1', '2', '3']) warn(away, { guild }, 'It is tried again.');
  expect(lines).toHaveLength(1);
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
