import { type Client, HTTPError } from 'discord.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openOwnReactions } from '../../../src/articles/messages/own-reactions.ts';
import type { Requests } from '../../../src/discord/requests/requests.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { post, RUST, useRanking } from '../../ranking/test-ranking.ts';

const setup = useRanking();
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** The bot's own 👎 under an article. Discord fails to change it as often as said. */
async function ownDown({ failures = 0 } = {}) {
  const guild = setup.newGuild();
  const article = await post(setup.ranking, guild);
  const asked: string[] = [];
  const ask = (method: string) => async () => {
    asked.push(method);
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
    pass: async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await change;
    },
    /** All is done that was left for later. No time passes while Redis is asked, which would be given up. */
    later: async () => {
      for (let timers = 0; timers < 20; timers += 1) {
        await vi.advanceTimersToNextTimerAsync();
        await change;
      }
    },
  };
}

test('a change of the bot’s own 👎 that Discord failed to make is made five seconds later, once', async () => {
  const { asked, vote, pass, later } = await ownDown({ failures: 1 });
  await vote(true);
  await pass(4999);
  expect(asked).toEqual(['DELETE']);
  await pass(1);
  expect(asked).toEqual(['DELETE', 'DELETE']);
  await later();
  expect(asked).toEqual(['DELETE', 'DELETE']);
});

test('a change of the bot’s own 👎 that Discord failed to make is not made after a vote asked for the opposite', async () => {
  const { asked, vote, later } = await ownDown({ failures: 1 });
  await vote(true);
  await vote(false);
  await later();
  expect(asked).toEqual(['DELETE', 'PUT']);
});

test('a change of the bot’s own 👎 that Discord never makes is tried ten times within some minutes, and then left to the recount', async () => {
  const { asked, vote, later } = await ownDown({ failures: Infinity });
  await vote(true);
  await later();
  expect(asked).toHaveLength(10);
});

test('a change of the bot’s own 👎 in whose moment Redis failed is made seconds later, and none of an article that is gone', async () => {
  const { asked, vote, pass, later, guild, article } = await ownDown();
  const { redis } = setup.ranking;
  const { articles } = guildKeys(setup.ranking, guild);
  await redis.rename(articles, `${articles}:aside`);
  await redis.set(articles, 'no hash');
  await vote(true);
  expect(asked).toEqual([]);
  await redis.rename(`${articles}:aside`, articles);
  await pass(5000);
  expect(asked).toEqual(['DELETE']);
  await deleteArticle(setup.ranking, guild, article);
  await vote(false);
  await later();
  expect(asked).toEqual(['DELETE']);
});
