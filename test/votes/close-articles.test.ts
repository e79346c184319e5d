import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import type { Client, Guild } from 'discord.js';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { closeDueArticles } from '../../src/votes/close-articles.ts';
import { lookAtClosed } from '../../src/votes/recount/closed-articles.ts';
import { openSeenReactions } from '../../src/votes/seen-reactions.ts';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const week = 604_800_000;
const day = 86_400_000;

let scene: Scene;
let general: string;
let a: string;
let b: string;
let article: string;
let movedMs: number;

beforeAll(async () => {
  scene = await startScene();
  scene.follow();
  [a = '', b = ''] = scene.sandbox.members;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  movedMs = 0;
  general = scene.sandbox.operator.createChannel({ name: 'closing' }).id;
  [article = ''] = await scene.plant(general);
  scene.react(a, article, '👍');
  await scene.agree([article]);
  scene.sandbox.requests.reset();
});
afterEach(() => {
  scene.sandbox.faults.clear();
  scene.clock.move(-movedMs);
});

function move(ms: number) {
  scene.clock.move(ms);
  movedMs += ms;
}
const look = () => scene.bot.due.look();
const lastLine = () => scene.message(article).content.split('\n').at(-1) ?? '';
function expectResult(text: string) {
  expect(lastLine().startsWith(`-# ${text} · voting is over · by <@`)).toBe(true);
}
/** Requests in the channel of this test: those of the test before may still come. */
const asked = (method: string, route: RegExp) =>
  scene.sandbox.requests.recent.filter(
    (request) =>
      request.method === method && request.channelId === general && route.test(request.route),
  ).length;
const edits = () => asked('PATCH', /messages/);

// Withstands (Damaged data): What Frontpage keeps for a voter is no hash
// → the article that they voted on is closed
test('an article is closed also where what is kept for a voter is damaged', async () => {
  const { redis } = scene.bot.store;
  const kept = storeKeys(scene.bot.store, scene.sandbox.guildId).personal(a);
  await redis.set(kept, 'damaged');
  move(week + 1000);
  await closeDueArticles(scene.bot, scene.sandbox.guildId);
  expect(await scene.article(article)).toMatchObject({ closed: true, up: 2 });
  await redis.del(kept);
});

test('an article whose stored votes are damaged is repaired by what is read as it closes', async () => {
  const { bot, sandbox } = scene;
  const keys = guildKeys(bot.ranking, sandbox.guildId);
  await bot.ranking.redis.sadd(keys.voters(article), b);
  move(week + 1000);
  await look();
  await expect.poll(() => scene.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
});

test('a night asks about closed articles as much as it may, newest first; the next goes on, and begins anew behind the last', async () => {
  const { bot, sandbox, redis } = scene;
  const { guildId } = sandbox;
  const rooms: string[] = [];
  for (const name of ['one', 'two']) {
    const { id } = sandbox.operator.createChannel({ name });
    await scene.settled();
    const [closed = ''] = await scene.plant(id, 1, () => scene.clock.now() - 9 * day);
    await closeArticle(bot.ranking, guildId, closed);
    rooms.unshift(id);
  }
  await look();
  /** So many servers share what may be asked that one question is left for each. */
  class Many extends Map<string, Guild> {
    override get size() {
      return 1_000_000;
    }
  }
  const cache = new Many(bot.client.guilds.cache);
  const client = Object.create(bot.client, { guilds: { value: { cache } } }) as Client;
  const night = async (): Promise<string[]> => {
    sandbox.requests.reset();
    await lookAtClosed({ ...bot, client }, guildId);
    const asked = sandbox.requests.recent.filter(({ route }) => route.endsWith('/messages'));
    return asked.map(({ channelId }) => channelId ?? '');
  };
  const lookedTo = () => redis.redis.get(storeKeys(bot.store, guildId).looked);
  const nights: string[][] = [await night()];
  while ((await lookedTo()) !== null && nights.length < 50) nights.push(await night());
  expect(Math.max(...nights.map(({ length }) => length))).toBe(1);
  const asked = nights.flat();
  expect(asked.filter((id) => rooms.includes(id))).toEqual(rooms);
  expect(await night()).toEqual(asked.slice(0, 1));
});

test('articles that cannot be read keep no other open, however many they are, and the rest follows at once', async () => {
  const { bot, sandbox, clock } = scene;
  const { guildId: guild, operator } = sandbox;
  const atMs = clock.now() - week + 60_000;
  const hidden = await Promise.all(
    Array.from({ length: 200 }, () => scene.rank({ title: 'Hidden', home: general, atMs })),
  );
  const free = operator.createChannel({ name: 'free' }).id;
  const [readable = ''] = await scene.plant(free, 1, () => atMs + 1000);
  operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
  // Nothing else closes it.
  await bot.due.planAt(guild, 'close', null);
  move(120_000);
  const unread = { ...bot.unread, has: (id: string) => id !== readable };
  expect(await closeDueArticles({ ...bot, unread }, guild)).toBeLessThanOrEqual(clock.now());
  expect(await scene.article(readable)).toMatchObject({ closed: true });
  expect(await scene.article(hidden[0]!)).toMatchObject({ closed: false });
  await Promise.all(hidden.map((id) => deleteArticle(bot.ranking, guild, id)));
});

test('where an article cannot be closed its server is looked through for damage, and the others are closed', async () => {
  const { bot, sandbox } = scene;
  const { id: elsewhere } = sandbox.operator.createChannel({ name: 'elsewhere' });
  const [other = ''] = await scene.plant(elsewhere);
  const mostVoted = guildKeys(bot.ranking, sandbox.guildId).ofGroup('votes', general);
  await bot.due.planAt(sandbox.guildId, 'close', null);
  move(week + day + 60_000);
  const damaged = vi.fn<(guild: string) => void>();
  await bot.ranking.redis.set(mostVoted, 'damaged');
  const ranking = { ...bot.ranking, onDamaged: damaged };
  await closeDueArticles({ ...bot, ranking }, sandbox.guildId);
  expect(damaged).toHaveBeenCalledWith(sandbox.guildId);
  expect((await scene.article(other))?.closed).toBe(true);
  await bot.ranking.redis.del(mostVoted);
});

describe('an article that has reached a week', () => {
  test('an article that has reached a week is closed with what is shown then, and its message says so once', async () => {
    scene.secretly(() => scene.react(b, article, '👎'));
    move(week + 1000);
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 1, closed: true });
    const { ranking } = scene.bot;
    expect((await readVoters(ranking, scene.sandbox.guildId, article)).size).toBe(0);
    expectResult('▲ 2 ▼ 1');
    await look();
    expect(edits()).toBe(1);
  });

  // Withstands (Requests to Discord): Discord takes no more edits of older messages in a channel (30046)
  // → it is asked there again when it said, articles of other channels close, and an import goes on
  test('an article that has reached a week shows its result later where Discord takes no more edits of older messages (30046), which is asked once', async () => {
    const { operator, faults } = scene.sandbox;
    const more = await scene.plant(general, 3);
    const [elsewhere = ''] = await scene.plant(operator.createChannel({ name: 'free' }).id);
    const isClosed = async (id: string) => (await scene.article(id))?.closed;
    const saysIt = (id: string) => readArticleMessage(scene.message(id))?.closed;
    const path = new RegExp(`channels/${general}/messages`);
    const limit = { method: 'PATCH', path, status: 429, code: 30046, retryAfterSeconds: 300 };
    const end = faults.add(limit);
    move(week + 60_000);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await look();
      move(60_000);
    }
    expect(edits()).toBe(1);
    const all = [article, ...more, elsewhere];
    expect(await Promise.all(all.map(isClosed))).not.toContain(false);
    expect(all.map(saysIt)).toEqual([false, false, false, false, true]);
    end();
    move(180_000);
    await look();
    expect(all.map(saysIt)).not.toContain(false);
  });

  test('an article that has reached a week keeps its result, and is not called damaged, when it closes while its lists are read', async () => {
    const { bot } = scene;
    const warned = vi.spyOn(bot.log, 'warn');
    const end = scene.sandbox.faults.add({ method: 'GET', route: /reactions/, delayMs: 300 });
    scene.secretly(() => scene.react(b, article, '👎'));
    const recounting = scene.recount({ full: true });
    await scene.sandbox.until(
      () => asked('GET', /reactions/) > 0 || undefined,
      'the first of two lists',
    );
    move(8 * day);
    await closeArticle(bot.ranking, scene.sandbox.guildId, article);
    end();
    await recounting;
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    expect(warned).not.toHaveBeenCalled();
  });

  test('an article that has reached a week is left alone until then', async () => {
    move(week - 60_000);
    await look();
    expect(await scene.article(article)).toMatchObject({ closed: false });
  });

  test('an article that has reached a week is closed also when the bot was away', async () => {
    await scene.bot.stop();
    scene.react(b, article, '👍');
    move(week + 3_600_000);
    await scene.restartBot();
    scene.follow();
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 3, down: 0, closed: true });
    expectResult('▲ 3');
  });

  test('an article that has reached a week loses the bot’s own 👎, which no vote stands for', async () => {
    expect(scene.isOwn(article, '👎')).toBe(true);
    move(week + 1000);
    await look();
    expect(await scene.article(article)).toMatchObject({ closed: true });
    // It is gone when the article closes, since nobody looks at its reactions after that.
    expect(scene.isOwn(article, '👎')).toBe(false);
    expect(scene.isOwn(article, '👍')).toBe(true);
    await look();
    expect(asked('PUT', /reactions/)).toBe(0);
  });

  test('an article that has reached a week says its result also where the bot ended before its message did', async () => {
    const end = scene.sandbox.faults.add({ method: 'PATCH', route: /messages/, status: 500 });
    move(week + 1000);
    await closeDueArticles(scene.bot, scene.sandbox.guildId);
    expect(await scene.article(article)).toMatchObject({ closed: true });
    end();
    await scene.restartBot();
    scene.follow();
    move(60_000);
    await look();
    expectResult('▲ 2');
  });

  test('an article that has reached a week is closed where its message cannot be edited, in a locked thread, which is asked for once an hour', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true, locked: true });
    move(week + 1000);
    for (let minute = 0; minute < 5; minute += 1) {
      await look();
      move(60_000);
    }
    const tries = () =>
      sandbox.requests.recent.filter(
        ({ method, channelId, route }) =>
          method === 'PATCH' && channelId === thread.id && route.includes('/messages/'),
      );
    expect(tries()).toHaveLength(1);
    expect(await scene.article(article)).toMatchObject({ closed: true });
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
    sandbox.operator.archiveThread({ channel: thread.id, archived: false });
    move(3_600_000);
    await look();
    expectResult('▲ 1');
  });

  // Withstands (Requests to Discord): A thread or forum post archives before the week of its article is over (50083)
  // → the result opens it; one that is locked shows it after it was opened
  test('an article that has reached a week shows its result in an archived thread, which is archived again', async () => {
    const { sandbox } = scene;
    sandbox.operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageThreads'] });
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    move(week + 1000);
    await look();
    expect(await scene.article(article)).toMatchObject({ closed: true });
    expectResult('▲ 1');
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
  });

  test('an article whose voting ended to nobody’s eye shows its result at night, when its thread takes it', async () => {
    const { sandbox, bot } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true, locked: true });
    move(week + day + 1000);
    await look();
    expect(await scene.article(article)).toMatchObject({ closed: true });
    expect(scene.message(article).content).not.toContain('▲ 1');
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    move(day);
    await lookAtClosed(bot, sandbox.guildId);
    await expect.poll(() => scene.message(article).content).toContain('▲ 1');
  });

  test('an article that has reached a week keeps its tally when that was more than a day ago', async () => {
    scene.secretly(() => scene.react(b, article, '👍'));
    move(week + day + 60_000);
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    expectResult('▲ 2');
  });

  test('an article that has reached a week waits up to a day where Discord does not tell what is shown', async () => {
    scene.secretly(() => scene.react(b, article, '👍'));
    const end = scene.sandbox.faults.add({ method: 'GET', route: /reactions/, status: 500 });
    move(week + 1000);
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 2, closed: false });
    end();
    move(60_000);
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 3, closed: true });
  });

  test('an article that has reached a week waits while its lists contradict what was just told', async () => {
    const { bot } = scene;
    const { guildId: guild } = scene.sandbox;
    // Nothing else closes it.
    await bot.due.planAt(guild, 'close', null);
    // What is told counts for long here, and lists are compared with it again at once.
    const seen = { ...openSeenReactions(60_000), lagMs: 1 };
    const places = { guild, channel: general, article, atMs: bot.clock.now() };
    const vote = {
      kind: 'reaction',
      member: b,
      direction: 'up',
      emoji: '👍',
      shown: true,
    } as const;
    seen.hear({ ...places, ...vote, burst: false, isBot: false, joinedAtMs: null, roles: null });
    move(week + 1000);
    await closeDueArticles({ ...bot, seen }, guild);
    expect(await scene.article(article)).toMatchObject({ up: 2, closed: false });
    scene.secretly(() => scene.react(b, article, '👍'));
    await closeDueArticles({ ...bot, seen }, guild);
    expect(await scene.article(article)).toMatchObject({ up: 3, closed: true });
  });

  test('an article that has reached a week is closed with its tally where nothing can be read for a day', async () => {
    const { operator } = scene.sandbox;
    operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    move(week + 1000);
    await look();
    expect(await scene.article(article)).toMatchObject({ closed: false });
    move(day);
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    operator.setPermissions({ channel: general, who: 'bot' });
  });

  test('an article that has reached a week is closed by two processes as by one', async () => {
    scene.secretly(() => scene.react(b, article, '👎'));
    const first = { bot: scene.bot };
    await scene.joinBot();
    scene.follow();
    move(week + 1000);
    await Promise.all([first.bot.due.look(), look()]);
    await look();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 1, closed: true });
    expectResult('▲ 2 ▼ 1');
    expect(edits()).toBeLessThanOrEqual(2);
    await first.bot.stop();
  });

  test('an article that has reached a week is taken out where its message is gone', async () => {
    const { sandbox } = scene;
    scene.secretly(() => sandbox.as(sandbox.moderator).delete(general, article));
    move(week + 1000);
    await look();
    expect(await scene.article(article)).toBeNull();
  });
});
