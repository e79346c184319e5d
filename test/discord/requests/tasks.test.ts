import { EventEmitter, once } from 'node:events';
import { afterEach, expect, test, vi } from 'vitest';
import { openTasks } from '../../../src/discord/requests/tasks.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { useRanking } from '../../ranking/test-ranking.ts';

const setup = useRanking();

afterEach(() => {
  vi.useRealTimers();
});

test('work that Redis refuses is done a minute later, and delays no other work', async () => {
  const { redis } = setup.ranking;
  await redis.set('refused', 'no hash');
  const done: string[] = [];
  const tasks = openTasks(createLog('silent'));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  tasks.add('refused', async () => {
    done.push('tried');
    await redis.hset('refused', 'field', '1');
    done.push('written');
  });
  tasks.add('other', async () => void done.push('other'));
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  expect(done).toEqual(['tried', 'other']);
  await redis.del('refused');
  await vi.advanceTimersByTimeAsync(60_000);
  await tasks.stop();
  expect(done).toEqual(['tried', 'other', 'tried', 'written']);
});

test('work that fails each time is tried for an hour, and then given up', async () => {
  const tasks = openTasks(createLog('silent'));
  let tries = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  tasks.add('broken', async () => {
    tries += 1;
    throw new Error('It fails each time.');
  });
  for (let minute = 0; minute < 90; minute += 1) await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBe(60);
  expect(vi.getTimerCount()).toBe(0);
  await tasks.stop();
});

test('work that Redis is away for is tried until it is back, and not given up then', async () => {
  const tasks = openTasks(createLog('silent'), 1, 1);
  let tries = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  tasks.add('away', async () => {
    tries += 1;
    if (tries <= 70) throw new Error('Connection is closed.');
    if (tries === 71) throw new Error('It fails once.');
  });
  await vi.waitFor(() => expect(tries).toBe(71));
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBe(72);
  await tasks.stop();
});

test('work that failed does not replace newer work about the same subject', async () => {
  const tasks = openTasks(createLog('silent'));
  const done: string[] = [];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  tasks.add('subject', async () => {
    done.push('older');
    throw new Error('It fails.');
  });
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1));
  const long = new EventEmitter();
  tasks.add('long', () => once(long, 'end'));
  tasks.add('subject', async () => void done.push('replaced'));
  tasks.add('subject', async () => void done.push('newer'));
  // The older one would be tried again now.
  await vi.advanceTimersByTimeAsync(60_000);
  long.emit('end');
  await vi.waitFor(() => expect(done).toEqual(['older', 'newer']));
  await tasks.stop();
});
