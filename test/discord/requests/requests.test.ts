import { expect, test } from 'vitest';
import { createClient } from '../../../src/discord/gateway/client.ts';
import { openPace } from '../../../src/discord/requests/requests.ts';
import { createLog } from '../../../src/runtime/log.ts';

function openPaceOf(requestsPerSecond: number) {
  const apiBase = 'http://127.0.0.1:1/api';
  return openPace(createClient({ apiBase, log: createLog('silent'), requestsPerSecond }));
}

test('what can wait is spaced evenly below the limit, and digests go first', async () => {
  const turn = openPaceOf(100);
  const order: string[] = [];
  const atMs: number[] = [];
  const take = async (kind: 'digest' | 'background') => {
    await turn(kind);
    order.push(kind);
    atMs.push(performance.now());
  };
  const background = Array.from({ length: 20 }, () => take('background'));
  await Promise.all([...background, take('digest'), take('digest')]);
  // The first turn was free before the digests asked.
  expect(order.slice(0, 4)).toEqual(['background', 'digest', 'digest', 'background']);
  // At 88 a second they take 239 ms, of which 50 may be made up for at once.
  expect(atMs.at(-1)! - atMs[0]!).toBeGreaterThan(180);
});

test('a bot that stops does not wait for its turn', async () => {
  const turn = openPaceOf(1);
  const stopping = new AbortController();
  await turn('background', stopping.signal);
  const waiting = turn('background', stopping.signal);
  stopping.abort();
  await expect(waiting).rejects.toThrow('aborted');
});
