import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Community, startCommunity } from '../../../discord-box/test/community.ts';
import { NEEDED_PERMISSIONS } from '../../../src/discord/access/permissions.ts';
import { startTestRedis, type TestRedis } from '../../fixtures/private-redis.ts';
import { tryFrontpage, verdictOf } from './try-frontpage.ts';

let sandbox: Community;
let redis: TestRedis;
beforeAll(async () => {
  [sandbox, redis] = await Promise.all([startCommunity({ rateLimits: false }), startTestRedis()]);
});
afterAll(() => Promise.all([sandbox.stop(), redis.stop()]));

async function tried(
  more: { channel?: string; token?: string; signal?: AbortSignal } = {},
  onAsked?: (channel: string, message: string) => void,
) {
  const said: string[] = [];
  await redis.flush();
  const outcome = await tryFrontpage({
    token: sandbox.token,
    apiBase: sandbox.apiBase,
    guild: sandbox.guildId,
    redisUrl: redis.url,
    waitMs: onAsked ? 10_000 : 0,
    say: (line) => {
      said.push(line);
      const [, channel = '', message = ''] = /channels\/\d+\/(\d+)\/(\d+)$/.exec(line) ?? [];
      if (message !== '') onAsked?.(channel, message);
    },
    signal: new AbortController().signal,
    ...more,
  });
  return { isWell: outcome.isWell, verdict: verdictOf(outcome), said };
}

test('the main loop is tried in a channel of its own, with somebody’s vote', async () => {
  sandbox.operator.setBotPermissions({ permissions: [...NEEDED_PERMISSIONS, 'ManageChannels'] });
  const channels = sandbox.world.channels.size;
  const [member = ''] = sandbox.members;
  const { isWell, verdict, said } = await tried({}, (channel, message) => {
    sandbox.as(member).react(channel, message, '👍');
  });
  expect(said.filter((line) => line.startsWith('✓'))).toHaveLength(13);
  expect(said.filter((line) => /^[✗–]/.test(line))).toEqual([]);
  expect(isWell).toBe(true);
  expect(verdict).toBe('Everything was as expected.');
  expect(sandbox.world.channels.size).toBe(channels);
});

test('in a channel that was named, what it wrote is gone afterwards', async () => {
  const { general } = sandbox.channels;
  const before = general.messages.size;
  const { isWell, verdict, said } = await tried({ channel: general.id });
  expect(said).toContainEqual('– What somebody votes counts: not tried. Nobody clicked.');
  expect(isWell).toBe(true);
  expect(verdict).toBe(
    'What was tried was as expected. Not tried: What somebody votes counts; A digest shows the article.',
  );
  expect(general.messages.size).toBe(before);
});

test('an interruption ends it, and what was made is removed', async () => {
  sandbox.operator.setBotPermissions({ permissions: [...NEEDED_PERMISSIONS, 'ManageChannels'] });
  const channels = sandbox.world.channels.size;
  const interrupted = new AbortController();
  const { isWell, said } = await tried({ signal: interrupted.signal }, () => interrupted.abort());
  expect(said).toContainEqual('– What somebody votes counts: not tried. It was interrupted.');
  expect(said.slice(said.findIndex((line) => line.startsWith('–')) + 1)).toEqual([
    '✓ Cleaned up',
    '✓ Cleaned up',
    '✓ Cleaned up',
  ]);
  expect(isWell).toBe(false);
  expect(sandbox.world.channels.size).toBe(channels);
});
