import { EventEmitter, once } from 'node:events';
import { type Client, HTTPError } from 'discord.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openOwnReactions } from '../../../src/articles/messages/own-reactions.ts';
import type { Requests } from '../../../src/discord/requests/requests.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { post, RUST, useRanking } from '../../ranking/test-ranking.ts';

const setup = useRanking();
/** What is left for later, in its order. Redis waits by timers of its own, which go on. */
const left: { work: () => void; ms: number }[] = [];
beforeEach(() => {
  const wait = setTimeout;
  left.length = 0;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms = 0) => {
    if (work.name !== 'again') return wait(work, ms);
    left.push({ work, ms });
    return { unref() {} };
  }) as typeof setTimeout);
});
afterEach(() => void vi.restoreAllMocks());

/** The bot's own 👎 under an article. Discord fails to change it as often as said, and answers first after `until`. */
async function ownDown({
  failures = 0,
  until = Promise.resolve(),
}: {
  failures?: number;
  until?: Promise<unknown>;
} = {}) {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const asked: string[] = [];
  const ask = (method: string) => async () => {
    asked.push(method);
    if (asked.length === 1) await until;
    if (asked.length <= failures) throw new HTTPError(500, 'It fails.', method, '', {});
  };
  let change: Promise<unknown> = Promise.resolve();
  const own = openOwnReactions({
    client: { rest: { put: ask('PUT'), delete: ask('DELETE') } } as unknown as Client,
    requests: { ask: (_target, _purpose, request) => request() } as Requests,
    queue: {
      add(_guild, _key, make) {
        change = make();
        return true;
      },
      stop: async () => {},
    },
    log: createLog('silent'),
    ranking: setup.ranking,
  });
  const target = { guild, channel: RUST, article, direction: 'down' } as const;
  return {
    asked,
    guild,
    article,
    /** The article is posted. */
    begin: () => own.begin(target),
    /** A member shows the only 👎, or takes it back. */
    vote: async (shown: boolean) => {
      const counted = {
        status: 'counted',
        up: 1,
        down: shown ? 1 : 0,
        crossedMark: false,
      } as const;
      own.afterVote({ ...target, shown }, { ...counted, vote: 'none', older: null });
      await change;
    },
    /** Does the next of what was left for later; when it was to be done, in milliseconds. */
    next: async () => {
      const { work, ms } = left.shift()!;
      work();
      await change;
      return ms;
    },
  };
}

test('a change of the bot’s own 👎 that Discord failed to make is made five seconds later, once', async () => {
  const { asked, vote, next } = await ownDown({ failures: 1 });
  await vote(true);
  expect(asked).toEqual(['DELETE']);
  expect(await next()).toBe(5000);
  expect(asked).toEqual(['DELETE', 'DELETE']);
  expect(left).toEqual([]);
});

test('a change of the bot’s own 👎 that Discord failed to make is not made after a vote asked for the opposite', async () => {
  const { asked, vote, next } = await ownDown({ failures: 1 });
  await vote(true);
  await vote(false);
  await next();
  expect(asked).toEqual(['DELETE', 'PUT']);
  expect(left).toEqual([]);
});

test('a change of the bot’s own 👎 that Discord never makes is tried ten times within some minutes, and then left to the recount', async () => {
  const { asked, vote, next } = await ownDown({ failures: Infinity });
  await vote(true);
  let ms = 0;
  while (left.length > 0) ms += await next();
  expect(asked).toHaveLength(10);
  expect(ms).toBeLessThan(10 * 60_000);
});

test('a change of the bot’s own 👎 in whose moment Redis failed is made seconds later, or later where it still fails, and none of an article that is gone', async () => {
  const { asked, vote, next, guild, article } = await ownDown();
  const { redis } = setup.ranking;
  const { articles } = guildKeys(setup.ranking, guild);
  await redis.rename(articles, `${articles}:aside`);
  await redis.set(articles, 'no hash');
  await vote(true);
  expect(await next()).toBe(5000);
  expect(asked).toEqual([]);
  await redis.rename(`${articles}:aside`, articles);
  expect(await next()).toBe(10_000);
  expect(asked).toEqual(['DELETE']);
  await deleteArticle(setup.ranking, guild, article);
  await vote(false);
  expect(asked).toEqual(['DELETE']);
  expect(left).toEqual([]);
});

test('a member’s 👎 in the moment of posting keeps the bot’s own away', async () => {
  const gate = new EventEmitter();
  const { asked, begin, vote } = await ownDown({ until: once(gate, 'opened') });
  const begun = begin();
  await expect.poll(() => asked).toEqual(['PUT']);
  await vote(true);
  gate.emit('opened');
  await begun;
  expect(asked).toEqual(['PUT', 'DELETE']);
  const other = await ownDown();
  await other.begin();
  expect(other.asked).toEqual(['PUT', 'PUT']);
});

test('where the bot’s own 👍 cannot be put now its 👎 waits as well, so that it stands behind', async () => {
  const { asked, begin, next } = await ownDown({ failures: 1 });
  await begin();
  expect([asked, left.length]).toEqual([['PUT'], 2]);
  for (let n = 0; n < 2; n += 1) expect(await next()).toBe(5000);
  expect(asked).toEqual(['PUT', 'PUT', 'PUT']);
});
