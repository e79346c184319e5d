import { expect, test } from 'vitest';
import { createClient } from '../../../src/discord/gateway/client.ts';
import { NotDiscord } from '../../../src/discord/api-errors.ts';
import { readOne, readPage } from '../../../src/discord/requests/read-messages.ts';
import { nonceOf, openPace } from '../../../src/discord/requests/requests.ts';
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

const message = (n: number, more: object = {}) => ({
  id: `10000000000000000${n}`,
  channel_id: '100000000000000000',
  author: { id: '100000000000000000' },
  content: '',
  type: 0,
  embeds: [],
  ...more,
});

test('one message in another form than Discord’s is named, and stops no others', () => {
  const found = readPage([message(1), message(2, { content: null }), message(3, { thread: null })]);
  expect(found.messages.map(({ id }) => id)).toEqual([message(1).id, message(3).id]);
  expect(found).toMatchObject({ broken: [message(2).id], length: 3 });
  expect(readPage([])).toEqual({ messages: [], broken: [], length: 0 });
  // The next page begins behind it.
  expect(readPage([message(4, { type: 'x' })])).toMatchObject({ broken: [message(4).id] });
});

test('what is no list of messages is not taken for an empty one', () => {
  expect(readOne(message(1)).id).toBe(message(1).id);
  for (const page of [{}, null, 'none', [{}], [null, { id: 7 }]]) {
    expect(() => readPage(page)).toThrow(NotDiscord);
  }
  expect(() => readOne(message(1, { author: null }))).toThrow(NotDiscord);
});

test('every process has the same nonce for a message, and another one for each other', () => {
  const nonces = [
    nonceOf('1', 'a', 2),
    nonceOf('1', 'a', 3),
    nonceOf('2', 'a', 2),
    nonceOf('1', 'a2'),
  ];
  expect(new Set(nonces).size).toBe(4);
  expect(nonceOf('1', 'a', 2)).toBe(nonces[0]);
  for (const nonce of nonces) expect(nonce).toHaveLength(25);
});
