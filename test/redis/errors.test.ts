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
