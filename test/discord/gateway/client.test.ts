import { EventEmitter } from 'node:events';
import {
  Events,
  GatewayIntentBits,
  type RateLimitData,
  Status,
  type WebSocketOptions,
} from 'discord.js';
import { expect, test } from 'vitest';
import { createLog } from '../../../src/runtime/log.ts';
import { createClient, type Shards } from '../../../src/discord/gateway/client.ts';
import { recordLog } from '../../fixtures/record-log.ts';

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

const clientOf = (more: Partial<Parameters<typeof createClient>[0]> = {}) =>
  createClient({ apiBase: 'http://127.0.0.1:1/api', log, ...more });

test.each<[string, Partial<RateLimitData>, boolean]>([
  ['an edit of an old message', { method: 'PATCH', sublimitTimeout: 60_000 }, true],
  ['an edit', { method: 'PATCH', retryAfter: 60_000 }, false],
  ['a message', { method: 'POST', sublimitTimeout: 60_000 }, false],
  [
    'a publishing for a while',
    { route: '/channels/:id/messages/:id/crosspost', retryAfter: 9000 },
    false,
  ],
  [
    'a publishing for long',
    { route: '/channels/:id/messages/:id/crosspost', retryAfter: 11_000 },
    true,
  ],
  [
    'the commands for a day',
    { method: 'PUT', route: '/applications/:id/commands', sublimitTimeout: 86_400_000 },
    true,
  ],
  [
    'the commands without an end',
    { method: 'POST', route: '/applications/:id/commands', retryAfter: 0 },
    true,
  ],
  [
    'the commands for a moment',
    { method: 'PUT', route: '/applications/:id/commands', retryAfter: 900 },
    false,
  ],
])(
  'a limit of %s is waited for, unless others would wait behind it',
  async (_, given, isGivenUp) => {
    const { rejectOnRateLimit } = clientOf().rest.options;
    const limit = {
      global: false,
      hash: '',
      limit: 1,
      majorParameter: '1',
      method: 'GET',
      retryAfter: 1,
      route: '/channels/:id/messages/:id',
      scope: 'user',
      sublimitTimeout: 0,
      timeToReset: 1,
      url: '',
    } satisfies RateLimitData;
    const isTooLong = rejectOnRateLimit as (limit: RateLimitData) => boolean;
    expect(isTooLong({ ...limit, ...given })).toBe(isGivenUp);
  },
);

test('a process waits for its turn among all processes before each session, by the bucket of its shard', async () => {
  const waited: number[] = [];
  const waitToIdentify = async (bucket: number) => void waited.push(bucket);
  const ws = clientOf({ waitToIdentify }).options.ws as WebSocketOptions;
  const limits = { total: 1000, remaining: 1000, reset_after: 0, max_concurrency: 16 };
  const gateway = { session_start_limit: limits };
  const manager = { fetchGatewayInformation: async () => gateway } as unknown as Parameters<
    NonNullable<WebSocketOptions['buildIdentifyThrottler']>
  >[0];
  const throttler = await ws.buildIdentifyThrottler!(manager);
  for (const shard of [0, 15, 16, 35]) {
    await throttler.waitForIdentify(shard, new AbortController().signal);
  }
  expect(waited).toEqual([0, 15, 0, 3]);
});

test('a gateway that cannot be reached ends no start, and is tried less and less often until it answers', async () => {
  const said = recordLog();
  const client = clientOf({ log: said.log });
  const { buildStrategy } = client.options.ws as Required<WebSocketOptions>;
  const options = { retrieveSessionInfo: async () => null };
  type Manager = Parameters<typeof buildStrategy>[0];
  const manager = Object.assign(new EventEmitter(), { options }) as unknown as Manager;
  const strategy = buildStrategy(manager);
  const shards = new Map([[0, { connect: () => Promise.reject(new Error('503')) }]]);
  await Object.assign(strategy, { shards }).connect();

  client.ws.shards.set(0, { status: Status.Connecting } as never);
  const pauses = () => [...said.text().matchAll(/again in (\d+) s/g)].map(([, s]) => Number(s));
  /** What waits goes on when this test is over. */
  const tryOften = (times: number) => {
    for (let n = 0; n < times; n += 1) void manager.options.retrieveSessionInfo(0);
    return pauses();
  };
  expect(tryOften(2)).toEqual([]);
  expect(tryOften(6)).toEqual([1, 2, 4, 8, 15, 15]);
  client.emit(Events.ShardReady, 0, undefined);
  expect(tryOften(2)).toHaveLength(6);
  expect(tryOften(1).slice(6)).toEqual([1]);
  client.emit(Events.ShardResume, 0, 0);
  expect(tryOften(2)).toHaveLength(7);
});

test('the bot reads messages where its host says so, and asks for nothing else that Discord grants', () => {
  const intents = (messageContent: boolean) => clientOf({ messageContent }).options.intents;
  const { Guilds, GuildMessages, GuildMessageReactions, MessageContent } = GatewayIntentBits;
  const usual = Guilds | GuildMessages | GuildMessageReactions;
  expect(intents(false).bitfield).toBe(usual);
  expect(intents(true).bitfield).toBe(usual | MessageContent);
  // What does not say whom it mentions mentions nobody.
  expect(clientOf().options.allowedMentions).toEqual({ parse: [] });
});
