import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import type { Scene } from '../fixtures/scene.ts';
import { type Feed, startFeed } from './feed.ts';

const WEEK_MS = 7 * DAY_MS;

let feed: Feed;
let scene: Scene;
let members: string[];
let general: string;

beforeAll(async () => {
  feed = await startFeed();
  ({ scene, members, general } = feed);
});
afterAll(() => scene.stop());

describe('what was liked while the bot was away', () => {
  // Withstands (Processes that die): The bot is stopped between the first 👍 and the one that reaches the number, or before both
  // → the link becomes an article when the bot is back, once, and who was first is its poster
  test('becomes an article when the bot is back', async () => {
    const [first = '', second = '', third = ''] = members;
    const [one, two, three] = [
      feed.pour(feed.fresh()),
      feed.pour(feed.fresh()),
      feed.pour(feed.fresh()),
    ];
    scene.react(second, one, '👍');
    await scene.settled();
    await scene.bot.stop();
    scene.react(first, two, '👍');
    scene.react(third, two, '👍');
    scene.react(third, three, '👍');
    await scene.restartBot();
    scene.react(first, one, '👍');
    scene.react(first, three, '👍');
    await scene.settled();
    scene.clock.move(5000);
    await feed.looked();
    expect(await feed.articleOf(one)).toMatchObject({ poster: second });
    expect((await feed.articleOf(two)).poster).toBe([first, third].sort()[0]);
    expect(await feed.articleOf(three)).toMatchObject({ poster: third });
    for (const source of [one, two, three]) {
      const { id } = await feed.articleOf(source);
      await scene.expectTally(id, 2, 0);
      expect(feed.answersTo(source)).toHaveLength(1);
    }
  });

  test('stands once, with its votes, after one more start', async () => {
    const [, , third = ''] = members;
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id } = await feed.articleOf(source);
    await scene.expectTally(id, 2, 0);
    await scene.bot.stop();
    scene.react(third, source, '👍');
    await scene.restartBot();
    await feed.looked();
    await scene.expectTally(id, 3, 0);
    scene.clock.move(5000);
    await feed.looked();
    expect(feed.answersTo(source)).toHaveLength(1);
  });

  // Withstands (Processes that die): The bot is stopped between the 👍 that reaches the number and the article, of which Discord did not say whether it took the message
  // → the article stands once, with its votes
  test('is posted once, whether or not Discord said that it took the article’s message', async () => {
    const [first = ''] = members;
    for (const afterTheWork of [true, false]) {
      const source = feed.pour(feed.fresh());
      const end = scene.sandbox.faults.add({ method: 'POST', status: 503, afterTheWork });
      feed.like(source);
      await scene.eventually(
        () => scene.sandbox.requests.count('POST', /messages$/, 503),
        (count) => count > 0,
        'tried',
      );
      await scene.bot.stop();
      end();
      scene.sandbox.requests.reset();
      await scene.restartBot();
      await scene.settled();
      for (let minutes = 0; minutes < 3; minutes += 1) {
        scene.clock.move(MINUTE_MS);
        await feed.looked();
      }
      const { id, poster } = await feed.articleOf(source);
      expect(poster).toBe(first);
      await scene.expectTally(id, 2, 0);
      expect(feed.answersTo(source)).toHaveLength(1);
    }
  });

  // Withstands (Processes that die): Two processes see the same 👍, while one takes over from the other
  // → one article
  test('is posted once by two processes', async () => {
    const [first = ''] = members;
    const before = scene.bot;
    await scene.joinBot();
    scene.follow();
    await scene.settled();
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id, poster } = await feed.articleOf(source);
    expect(poster).toBe(first);
    await scene.expectTally(id, 2, 0);
    await Promise.all([before.due.look(), scene.bot.due.look()]);
    expect(feed.answersTo(source)).toHaveLength(1);
    await before.stop();
  });

  // Withstands (Redis, while the bot runs): Redis loses all data, also that a link was found in another's message
  // → the article comes back from its message, and its votes from both messages
  test('comes back with its votes when Redis has lost them', async () => {
    const [, , third = ''] = members;
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id } = await feed.articleOf(source);
    await scene.expectTally(id, 2, 0);
    await scene.bot.stop();
    await scene.redis.redis.flushall();
    scene.react(third, source, '👍');
    await scene.restartBot();
    await scene.whole();
    // Its settings are lost too.
    await feed.nominateIn(general);
    await scene.eventually(() => scene.article(id), Boolean, 'taken in');
    await feed.looked();
    await scene.expectTally(id, 3, 0);
    expect(feed.answersTo(source)).toHaveLength(1);
    scene.react(members[3] ?? '', source, '👍');
    await scene.expectTally(id, 4, 0);
  });
});

test('an article goes with the message in which it was found, unless others have voted on it', async () => {
  const [, , third = ''] = members;
  const admin = scene.sandbox.as(scene.sandbox.admin);
  const [gone, voted] = [feed.pour(feed.fresh()), feed.pour(feed.fresh())];
  for (const source of [gone, voted]) {
    feed.like(source);
  }
  const [of, kept] = [await feed.articleOf(gone), await feed.articleOf(voted)];
  await scene.expectTally(kept.id, 2, 0);
  scene.react(third, kept.id, '👍');
  await scene.expectTally(kept.id, 3, 0);
  scene.clock.move(11 * MINUTE_MS);
  admin.delete(general, gone);
  admin.delete(general, voted);
  await scene.eventually(
    () => scene.article(of.id),
    (found) => found === null,
    'withdrawn',
  );
  await scene.expectTally(kept.id, 2, 0);
  expect(await scene.article(kept.id)).not.toBeNull();
});

// Withstands (Attacks): An article that members found is removed, and its message is liked again, also after a start and with an emptied Redis
// → it does not come again
test('an article that a moderator removed does not come again by its message', async () => {
  const { moderator } = scene.sandbox;
  const source = feed.pour(feed.fresh());
  feed.like(source);
  const { id } = await feed.articleOf(source);
  await scene.expectTally(id, 2, 0);
  await scene.moderate(moderator, 'remove', id, 'no');
  await scene.eventually(
    () => scene.article(id),
    (found) => found === null,
    'removed',
  );
  await scene.restartBot();
  await scene.settled();
  scene.clock.move(5000);
  scene.react(members[2] ?? '', source, '👍');
  await feed.looked();
  expect(feed.answersTo(source)).toHaveLength(1);
  await scene.bot.stop();
  await scene.redis.redis.flushall();
  await scene.restartBot();
  await scene.whole();
  await feed.nominateIn(feed.general);
  await feed.looked();
  expect(feed.answersTo(source)).toHaveLength(1);
});

test('an article that an earlier process made without noting it is noted by the next try, also beside a private one of its link', async () => {
  const { bot, sandbox, redis } = scene;
  const { guildId, operator, channels } = sandbox;
  const link = feed.fresh();
  const { message } = await sandbox.as(members[3] ?? '').command(channels.ai.id, 'post', { link });
  operator.setPermissions({ channel: channels.ai.id, who: 'everyone', deny: ['ViewChannel'] });
  await scene.eventually(
    () => scene.article(message!.id),
    (found) => found?.listed === false,
    'hidden',
  );
  const source = feed.pour(link);
  feed.like(source);
  await feed.articleOf(source);
  await feed.looked();
  const { nominated } = storeKeys(bot.store, guildId);
  expect(await redis.redis.zrem(nominated, source)).toBe(1);
  const row = `nominate:${general}/${source}`;
  await bot.due.note(guildId, row, { tried: '1' });
  await bot.due.plan(guildId, row, 0);
  await bot.due.look();
  expect(await redis.redis.zscore(nominated, source)).not.toBeNull();
  expect(feed.answersTo(source)).toHaveLength(1);
  operator.setPermissions({ channel: channels.ai.id, who: 'everyone' });
});

test('the result of an article has the likes of the message in which it was found', async () => {
  const source = feed.pour(feed.fresh());
  feed.like(source);
  scene.react(members[2] ?? '', source, '👍');
  const { id } = await feed.articleOf(source);
  await scene.expectTally(id, 3, 0);
  scene.unreact(members[2] ?? '', source, '👍');
  await scene.expectTally(id, 2, 0);
  scene.clock.move(WEEK_MS + MINUTE_MS);
  await scene.bot.due.look();
  await scene.eventually(
    () => scene.article(id),
    (found) => found?.closed === true,
    'closed',
  );
  expect(await scene.tally(id)).toEqual([2, 0]);
});

// Withstands (Attacks): Members put 👍 on many messages at once
// → so many are read in an hour, and the others are found by a later look
test('a flood of likes has a bounded number of messages read, and the rest is found later', async () => {
  const { bot, sandbox } = scene;
  for (let left = 119; left > 0; left -= 1) {
    bot.memberLimits.count('nominate', sandbox.guildId, sandbox.guildId);
  }
  const sources = Array.from({ length: 122 }, () =>
    feed.pour(feed.fresh(), { content: 'No link.' }),
  );
  sandbox.requests.reset();
  for (const source of sources) feed.like(source);
  await scene.settled();
  await scene.bot.due.look();
  expect(sandbox.requests.count('GET', /\/messages\/:message$/)).toBeLessThanOrEqual(120);
  const row = `nominations:${feed.general}`;
  const { due } = storeKeys(bot.store, sandbox.guildId);
  expect(await scene.redis.redis.zscore(due, row)).not.toBeNull();
});
