import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import {
  beginErasing,
  endErasing,
  erasuresBegun,
  noteErasing,
} from '../../src/community/erasures.ts';
import { noteReport, reportRow, reportsBy } from '../../src/community/stored-reports.ts';
import { saveArticle } from '../../src/personal/stored-personal.ts';
import { eraseLeft, eraseMember } from '../../src/privacy/member-data.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { readVotesOf } from '../../src/ranking/ballots/voters.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import type { Due } from '../../src/due/due.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { Died, dyingAfter } from '../fixtures/dying-after.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let guild: string;
beforeAll(async () => {
  scene = await startScene();
  guild = scene.sandbox.guildId;
});
afterAll(() => scene.stop());

// Withstands (Processes that die): The process dies amid an erasure, whose member comes back, votes and reports
// → what was there when it was begun is erased, and no more
test('an erasure that goes on later takes what was there when it was begun, and no more', async () => {
  const { ranking, store } = scene.bot;
  const [member = '', poster = ''] = scene.crowd(2);
  const act = async (title: string) => {
    const now = scene.clock.now();
    const article = await scene.rank({ title, atMs: now - 1000, poster });
    await setVote(ranking, { guild, article, member, vote: 'up' }, now);
    await noteReport(store, guild, { article, member, reason: 'spam' }, now);
    return article;
  };
  const before = await act('Before the erasure');
  await beginErasing(store, guild, member, scene.clock.now());
  scene.clock.move(MINUTE_MS);
  const after = await act('After it');
  expect(await eraseLeft(scene.bot, guild)).toBe(false);
  expect(await readVotesOf(ranking, guild, member, [before, after])).toEqual(['none', 'up']);
  expect((await reportsBy(store, guild, member)).map(({ article }) => article)).toEqual([after]);
  expect(await erasuresBegun(store, guild)).toEqual([]);
});

test('an erasure that goes on later deletes what the member had posted when it was begun, and no more', async () => {
  const [member = ''] = scene.crowd(1);
  const own = (title: string) =>
    scene.rank({ title, atMs: scene.clock.now() - 1000, poster: member });
  const before = await own('Posted before the erasure');
  await beginErasing(scene.bot.store, guild, member, scene.clock.now());
  scene.clock.move(MINUTE_MS);
  const after = await own('Posted after it');
  await eraseLeft(scene.bot, guild);
  expect(await scene.article(before)).toBeNull();
  expect(await scene.article(after)).not.toBeNull();
});

test('erased messages that Discord knows no more before the gateway tells of an outage are deleted after it, also in an archived thread', async () => {
  const { sandbox, bot, clock } = scene;
  const { operator, world, channels } = sandbox;
  const archived = sandbox.as(sandbox.admin).startThread(channels.rust.id, 'Archived').id;
  const gone = sandbox.as(sandbox.admin).startThread(channels.rust.id, 'Gone').id;
  const erased: [string, string][] = [];
  for (const channel of [channels.rust.id, archived, gone]) {
    const place = world.channels.get(channel)!;
    const content = `[Mine](https://mine.example/) ${clock.now()}`;
    const authorId = world.application.botId;
    erased.push([channel, createMessage(world, place, { authorId, content }).id]);
  }
  operator.archiveThread({ channel: archived, archived: true });
  operator.deleteChannel({ channel: gone });
  await scene.settled();
  const { cache } = bot.client.channels;
  // As after a start: the gateway shows no archived thread.
  bot.client.guilds.cache.get(guild)?.channels.cache.delete(archived);
  expect([archived, gone].map((id) => cache.delete(id))).toEqual([true, false]);
  for (const [channel, id] of erased) await noteErasing(bot.store, guild, { id, channel });
  const left = () =>
    erased.filter(([channel, id]) => world.channels.get(channel)?.messages.has(id)).length;

  scene.secretly(() => operator.setOutage({ outage: true }));
  expect(await eraseLeft(bot, guild)).toBe(true);
  scene.secretly(() => operator.setOutage({ outage: false }));
  expect(left()).toBe(2);
  expect(await eraseLeft(bot, guild)).toBe(false);
  expect(left()).toBe(0);
});

// Withstands (Processes that die): The process dies right after a step of erasing a member
// → the messages are deleted all the same, moderators see the title no more, and no vote or report is left
test('whichever step of an erasure is its process’s last, the messages go, and no vote, no report and no title is left', async () => {
  const { bot, sandbox } = scene;
  const { store, ranking } = bot;
  const { world, channels } = sandbox;
  const keys = storeKeys(store, guild);
  let deaths = 0;
  for (let isErased = false; !isErased; deaths += 1) {
    const [member = '', poster = ''] = scene.crowd(2);
    const now = scene.clock.now();
    const own = await scene.rank({ title: 'Mine', atMs: now - 2000, poster: member });
    const message = { id: own, authorId: world.application.botId, content: 'Mine' };
    createMessage(world, channels.general, message);
    const others = await scene.rank({ title: 'Theirs', atMs: now - 1000, poster });
    await setVote(ranking, { guild, article: others, member, vote: 'up' }, now);
    await saveArticle(store, guild, member, others);
    await noteReport(store, guild, { article: others, member, reason: 'spam' }, now);
    const redis = dyingAfter(store.redis, deaths + 1);
    const planned: string[] = [];
    const due = (over: Redis): Due => ({
      ...bot.due,
      async plan(_, row) {
        await over.zadd('rows', 1, row);
        planned.push(row);
      },
    });
    const dying = {
      ...bot,
      due: due(redis),
      store: { ...store, redis },
      ranking: { ...ranking, redis },
    };
    isErased = await eraseMember(dying, guild, member).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof Died)) throw error;
        return false;
      },
    );
    // What only the member sees is gone first, and a start goes on with the rest.
    expect(await store.redis.exists(keys.personal(member))).toBe(0);
    await eraseLeft({ ...bot, due: due(store.redis) }, guild);
    expect(await scene.article(own)).toBeNull();
    expect(channels.general.messages.has(own)).toBe(false);
    expect(planned).toContain(reportRow(own));
    expect(await readVotesOf(ranking, guild, member, [others])).toEqual(['none']);
    expect(await reportsBy(store, guild, member)).toEqual([]);
    expect(await store.redis.hkeys(keys.erasing)).toEqual([]);
    // The next one is as long.
    await deleteArticle(ranking, guild, others);
  }
  expect(deaths).toBeGreaterThan(6);
});

test('an erasure that ends leaves one that was begun meanwhile', async () => {
  const { store } = scene.bot;
  const [member = ''] = scene.crowd(1);
  await beginErasing(store, guild, member, 1000);
  await beginErasing(store, guild, member, 2000);
  await endErasing(store, guild, { member, atMs: 1000 });
  expect(await erasuresBegun(store, guild)).toEqual([{ member, atMs: 2000 }]);
  await endErasing(store, guild, { member, atMs: 2000 });
  expect(await erasuresBegun(store, guild)).toEqual([]);
});
