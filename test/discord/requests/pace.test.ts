import { expect, test } from 'vitest';
import { createClient } from '../../../src/discord/gateway/client.ts';
import { openPace } from '../../../src/discord/requests/pace.ts';
import { createLog } from '../../../src/log.ts';

function openPaceOf(requestsPerSecond: number) {
  const apiBase = 'http://127.0.0.1:1/api';
  return openPace(createClient({ apiBase, log: createLog('silent'), requestsPerSecond }));
}

test('what can wait is spaced evenly below the limit, and digests go first', async () => {
  const pace = openPaceOf(100);
  const order: string[] = [];
  const atMs: number[] = [];
  const turn = async (kind: 'digest' | 'background') => {
    await pace.turn(kind);
    order.push(kind);
    atMs.push(performance.now());
  };
  const background = Array.from({ length: 20 }, () => turn('background'));
  await Promise.all([...background, turn('digest'), turn('digest')]);
  // The first turn was free before the digests asked.
  expect(order.slice(0, 4)).toEqual(['background', 'digest', 'digest', 'background']);
  // At 88 a second they take 239 ms, of which 50 may be made up for at once.
  expect(atMs.at(-1)! - atMs[0]!).toBeGreaterThan(180);
});

test('a bot that stops does not wait for its turn', async () => {
  const pace = openPaceOf(1);
  const stopping = new AbortController();
  await pace.turn('background', stopping.signal);
  const waiting = pace.turn('background', stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow('aborted');
});
