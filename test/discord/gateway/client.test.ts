import { expect, test } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { createClient, type Shards } from '../../../src/discord/gateway/client.ts';

const log = createLog('silent');

function requestsOf(given: { shards?: Shards; requestsPerSecond?: number }): number {
  const client = createClient({ apiBase: 'http://127.0.0.1:1/api', log, ...given });
  return client.rest.options.globalRequestsPerSecond;
}

test.each<[Parameters<typeof requestsOf>[0], number]>([
  [{}, 50],
  [{ shards: 'auto', requestsPerSecond: 500 }, 500],
  [{ shards: { ids: [0, 1], count: 6 } }, 16],
  [{ shards: { ids: [0, 1], count: 6 }, requestsPerSecond: 60 }, 20],
  [{ shards: { ids: [0, 1, 2], count: 3 } }, 50],
  // Many small processes still get on.
  [{ shards: { ids: [7], count: 1000 } }, 1],
])('of %j a process sends at most %i requests a second', (given, requests) => {
  expect(requestsOf(given)).toBe(requests);
});
