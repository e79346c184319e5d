import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { closeDueArticles } from '../../src/recount/close-articles.ts';
import { readVoters } from '../../src/ranking/ballots/voters.ts';
import { type Stage, startStage } from './stage.ts';

const week = 604_800_000;
const day = 86_400_000;

let stage: Stage;
let general: string;
let a: string;
let b: string;
let article: string;
let movedMs: number;

beforeAll(async () => {
  stage = await startStage();
  stage.follow();
  [a = '', b = ''] = stage.sandbox.members;
});
afterAll(() => stage.stop());
beforeEach(async () => {
  movedMs = 0;
  general = stage.sandbox.operator.createChannel({ name: 'closing' }).id;
  [article = ''] = await stage.plant(general);
  stage.react(a, article, '👍');
  await stage.agree([article]);
  stage.sandbox.requests.reset();
});
afterEach(() => {
  stage.sandbox.faults.clear();
  stage.clock.move(-movedMs);
});

function move(ms: number) {
  stage.clock.move(ms);
  movedMs += ms;
}
const lastLine = () => stage.message(article).content.split('\n').at(-1) ?? '';
function expectResult(text: string) {
  expect(lastLine().startsWith(`-# ${text} · by <@`)).toBe(true);
}
const edits = () => stage.sandbox.requests.count('PATCH', /messages/);

describe('an article that has reached a week', () => {
  test('is closed with what is shown then, and its message says so once', async () => {
    stage.secretly(() => stage.react(b, article, '👎'));
    move(week + 1000);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 2, down: 1, closed: true });
    const { ranking } = stage.bot.app;
    expect((await readVoters(ranking, stage.sandbox.guildId, article)).size).toBe(0);
    expectResult('▲ 2 ▼ 1');
    await stage.recounts.tick();
    expect(edits()).toBe(1);
  });

  test('is left alone until then', async () => {
    move(week - 60_000);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ closed: false });
  });

  test('is closed also when the bot was away', async () => {
    await stage.bot.stop();
    stage.react(b, article, '👍');
    move(week + 3_600_000);
    await stage.restartBot();
    stage.follow();
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 3, down: 0, closed: true });
    expectResult('▲ 3 ▼ 0');
  });

  test('is open until its message says the result, so that a bot that ends in between goes on', async () => {
    const end = stage.sandbox.faults.add({ method: 'PATCH', route: /messages/, status: 500 });
    move(week + 1000);
    await closeDueArticles(stage.bot.app, stage.sandbox.guildId);
    expect(await stage.article(article)).toMatchObject({ closed: false });
    end();
    await stage.restartBot();
    stage.follow();
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ closed: true });
    expectResult('▲ 2 ▼ 0');
  });

  test('is closed a day later where its message cannot be edited, and is not asked for each minute', async () => {
    const { sandbox } = stage;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await stage.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    move(week + 1000);
    for (let minute = 0; minute < 5; minute += 1) {
      await stage.recounts.tick();
      move(60_000);
    }
    const tries = sandbox.requests.recent.filter(
      ({ method, channelId }) => method === 'PATCH' && channelId === thread.id,
    );
    expect(tries).toHaveLength(1);
    expect(await stage.article(article)).toMatchObject({ closed: false });
    move(day);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ closed: true });
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
  });

  test('keeps its tally when that was more than a day ago', async () => {
    stage.secretly(() => stage.react(b, article, '👍'));
    move(week + day + 60_000);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    expectResult('▲ 2 ▼ 0');
  });

  test('waits up to a day where Discord does not tell what is shown', async () => {
    stage.secretly(() => stage.react(b, article, '👍'));
    const end = stage.sandbox.faults.add({ method: 'GET', route: /reactions/, status: 500 });
    move(week + 1000);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 2, closed: false });
    end();
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 3, closed: true });
  });

  test('is closed with its tally where nothing can be read for a day', async () => {
    const { operator } = stage.sandbox;
    operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    move(week + 1000);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ closed: false });
    move(day);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 2, down: 0, closed: true });
    operator.setPermissions({ channel: general, who: 'bot' });
  });

  test('is closed by two processes as by one', async () => {
    stage.secretly(() => stage.react(b, article, '👎'));
    const first = { bot: stage.bot, recounts: stage.recounts };
    await stage.joinBot();
    stage.follow();
    move(week + 1000);
    await Promise.all([first.recounts.tick(), stage.recounts.tick()]);
    await stage.recounts.tick();
    expect(await stage.article(article)).toMatchObject({ up: 2, down: 1, closed: true });
    expectResult('▲ 2 ▼ 1');
    expect(edits()).toBeLessThanOrEqual(2);
    await first.bot.stop();
  });

  test('is taken out where its message is gone', async () => {
    const { sandbox } = stage;
    sandbox.gateway.events.set({ drop: 1, only: /MESSAGE_DELETE/ });
    sandbox.as(sandbox.moderator).delete(general, article);
    sandbox.gateway.events.set(undefined);
    move(week + 1000);
    await stage.recounts.tick();
    expect(await stage.article(article)).toBeNull();
  });
});
