import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { closeArticle } from '../../src/ranking/articles/closing.ts';
import { closeDueArticles } from '../../src/votes/close-articles.ts';
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
const lastLine = () => scene.message(article).content.split('\n').at(-1) ?? '';
function expectResult(text: string) {
  expect(lastLine().startsWith(`-# ${text} · by <@`)).toBe(true);
}
/** Requests in the channel of this test: those of the test before may still come. */
const asked = (method: string, route: RegExp) =>
  scene.sandbox.requests.recent.filter(
    (request) =>
      request.method === method && request.channelId === general && route.test(request.route),
  ).length;
const edits = () => asked('PATCH', /messages/);

describe('an article that has reached a week', () => {
  test('an article that has reached a week is closed with what is shown then, and its message says so once', async () => {
    scene.secretly(() => scene.react(b, article, '👎'));
    move(week + 1000);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 1, closed: true });
    const { ranking } = scene.bot;
    expect((await readVoters(ranking, scene.sandbox.guildId, article)).size).toBe(0);
    expectResult('▲ 2 ▼ 1');
    await scene.recounts.tick();
    expect(edits()).toBe(1);
  });

  // Withstands (Requests to Discord): Discord takes no more edits of older messages in a channel (30046)
  // → it is asked there again when it said, articles of other channels close, and an import goes on
  test('an article that has reached a week waits where Discord takes no more edits of older messages (30046), which is asked once', async () => {
    const { operator, faults } = scene.sandbox;
    const more = await scene.plant(general, 3);
    const [elsewhere = ''] = await scene.plant(operator.createChannel({ name: 'free' }).id);
    const isClosed = async (id: string) => (await scene.article(id))?.closed;
    const path = new RegExp(`channels/${general}/messages`);
    const limit = { method: 'PATCH', path, status: 429, code: 30046, retryAfterSeconds: 300 };
    const end = faults.add(limit);
    move(week + 60_000);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      await scene.recounts.tick();
      move(60_000);
    }
    expect(edits()).toBe(1);
    expect(await Promise.all([article, ...more].map(isClosed))).not.toContain(true);
    expect(await isClosed(elsewhere)).toBe(true);
    end();
    move(180_000);
    await scene.recounts.tick();
    expect(await Promise.all([article, ...more].map(isClosed))).not.toContain(false);
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
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ closed: false });
  });

  test('an article that has reached a week is closed also when the bot was away', async () => {
    await scene.bot.stop();
    scene.react(b, article, '👍');
    move(week + 3_600_000);
    await scene.restartBot();
    scene.follow();
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 3, down: 0, closed: true });
    expectResult('▲ 3 ▼ 0');
  });

  test('an article that has reached a week loses the bot’s own 👎, which no vote stands for', async () => {
    expect(scene.isOwn(article, '👎')).toBe(true);
    move(week + 1000);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ closed: true });
    // It is gone when the article closes, since nobody looks at its reactions after that.
    expect(scene.isOwn(article, '👎')).toBe(false);
    expect(scene.isOwn(article, '👍')).toBe(true);
    await scene.recounts.tick();
    expect(asked('PUT', /reactions/)).toBe(0);
  });

  test('an article that has reached a week is open until its message says the result, so that a bot that ends in between goes on', async () => {
    const end = scene.sandbox.faults.add({ method: 'PATCH', route: /messages/, status: 500 });
    move(week + 1000);
    await closeDueArticles(scene.bot, scene.sandbox.guildId);
    expect(await scene.article(article)).toMatchObject({ closed: false });
    end();
    await scene.restartBot();
    scene.follow();
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ closed: true });
    expectResult('▲ 2 ▼ 0');
  });

  test('an article that has reached a week is closed a day later where its message cannot be edited, and is not asked for each minute', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    move(week + 1000);
    for (let minute = 0; minute < 5; minute += 1) {
      await scene.recounts.tick();
      move(60_000);
    }
    const tries = sandbox.requests.recent.filter(
      ({ method, channelId }) => method === 'PATCH' && channelId === thread.id,
    );
    expect(tries).toHaveLength(1);
    expect(await scene.article(article)).toMatchObject({ closed: false });
    move(day);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ closed: true });
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
  });

  test('an article that has reached a week keeps its tally when that was more than a day ago', async () => {
    scene.secretly(() => scene.react(b, article, '👍'));
    move(week + day + 60_000);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    expectResult('▲ 2 ▼ 0');
  });

  test('an article that has reached a week waits up to a day where Discord does not tell what is shown', async () => {
    scene.secretly(() => scene.react(b, article, '👍'));
    const end = scene.sandbox.faults.add({ method: 'GET', route: /reactions/, status: 500 });
    move(week + 1000);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 2, closed: false });
    end();
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 3, closed: true });
  });

  test('an article that has reached a week waits while its lists contradict what was just told', async () => {
    const { bot } = scene;
    const { guildId: guild } = scene.sandbox;
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
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ closed: false });
    move(day);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    operator.setPermissions({ channel: general, who: 'bot' });
  });

  test('an article that has reached a week is closed by two processes as by one', async () => {
    scene.secretly(() => scene.react(b, article, '👎'));
    const first = { bot: scene.bot, recounts: scene.recounts };
    await scene.joinBot();
    scene.follow();
    move(week + 1000);
    await Promise.all([first.recounts.tick(), scene.recounts.tick()]);
    await scene.recounts.tick();
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 1, closed: true });
    expectResult('▲ 2 ▼ 1');
    expect(edits()).toBeLessThanOrEqual(2);
    await first.bot.stop();
  });

  test('an article that has reached a week is taken out where its message is gone', async () => {
    const { sandbox } = scene;
    sandbox.gateway.events.set({ drop: 1, only: /MESSAGE_DELETE/ });
    sandbox.as(sandbox.moderator).delete(general, article);
    sandbox.gateway.events.set(undefined);
    move(week + 1000);
    await scene.recounts.tick();
    expect(await scene.article(article)).toBeNull();
  });
});
