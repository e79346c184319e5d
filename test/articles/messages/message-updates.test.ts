import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readArticleMessage } from '../../../src/articles/messages/message.ts';
import { retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { setMark } from '../../../src/ranking/articles/mark.ts';
import { patience } from '../../fixtures/scene.ts';
import { type Stage, startStage } from '../../recount/stage.ts';

let stage: Stage;
let general: string;
let a: string;
let b: string;
let article: string;

beforeAll(async () => {
  stage = await startStage();
  general = stage.sandbox.channels.general.id;
  [a = '', b = ''] = stage.sandbox.members;
});
afterAll(() => stage.stop());
beforeEach(async () => {
  [article = ''] = await stage.plant(general);
  stage.sandbox.requests.reset();
});
afterEach(() => stage.sandbox.faults.clear());

const carried = (id = article) => readArticleMessage({ content: stage.message(id).content });
const edits = () => stage.sandbox.requests.count('PATCH', /messages/);
const own = (method: string) => stage.sandbox.requests.count(method, /reactions/);
const retitle = (title: string) =>
  retitleArticle(stage.bot.app.ranking, { guild: stage.sandbox.guildId, article, title });
async function expectTitle(title: string) {
  await expect.poll(() => carried()?.title, patience).toBe(title);
}

test('a thousand votes cost Discord two requests, for the bot’s own 👎', async () => {
  const { ranking } = stage.bot.app;
  // No ★, which would be an edit.
  await setMark(ranking, stage.sandbox.guildId, 2000);
  const crowd = stage.crowd(500);
  const last = stage.crowd(1)[0] ?? '';
  for (const member of crowd) stage.react(member, article, '👍');
  for (const [n, member] of crowd.entries()) {
    if (n % 2 === 0) {
      stage.unreact(member, article, '👍');
      stage.react(member, article, '👎');
    } else stage.unreact(member, article, '👍');
  }
  await stage.agree([article]);
  for (const member of crowd) stage.unreact(member, article, '👎');
  await stage.agree([article]);
  await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(true);
  // What could still follow would have come before this.
  stage.react(last, article, '👍');
  await stage.agree([article]);
  expect(await stage.article(article)).toMatchObject({ up: 2, down: 0 });
  const { recent } = stage.sandbox.requests;
  const requested = () => recent.map(({ method, route }) => `${method} ${route}`).sort();
  const own = '/channels/:channel/messages/:message/reactions/:emoji/@me';
  // A request is in the log once it is answered, and its effect shows before.
  await expect.poll(requested, patience).toEqual([`DELETE ${own}`, `PUT ${own}`]);
  await setMark(ranking, stage.sandbox.guildId, 200);
});

describe('the bot’s own 👎', () => {
  test('leaves with the first member’s 👎, and comes back when the last one goes', async () => {
    expect([stage.isOwn(article, '👍'), stage.isOwn(article, '👎')]).toEqual([true, true]);
    stage.react(a, article, '👎');
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(false);
    stage.react(b, article, '👎');
    stage.unreact(a, article, '👎');
    await stage.agree([article]);
    expect(stage.isOwn(article, '👎')).toBe(false);
    stage.unreact(b, article, '👎');
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(true);
    expect(stage.isOwn(article, '👍')).toBe(true);
    expect(await stage.article(article)).toMatchObject({ up: 1, down: 0 });
  });

  test('comes back also when its member switches, and the older 👎 is taken away', async () => {
    stage.react(a, article, '👎');
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(false);
    stage.react(a, article, '👍');
    stage.unreact(a, article, '👎');
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(true);
    expect(await stage.article(article)).toMatchObject({ up: 2, down: 0 });
  });

  test('is mended by a recount, and so is its 👍', async () => {
    const bot = stage.sandbox.world.application.botId;
    stage.secretly(() => stage.react(a, article, '👎'));
    await stage.recount();
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(false);
    stage.secretly(() => stage.unreact(a, article, '👎'));
    stage.unreact(bot, article, '👍');
    await stage.recount();
    await expect
      .poll(() => [stage.isOwn(article, '👍'), stage.isOwn(article, '👎')], patience)
      .toEqual([true, true]);
    expect(own('PUT')).toBe(2);
    await stage.recount();
    expect(own('PUT')).toBe(2);
  });

  test('is no vote, whoever else is at work', async () => {
    stage.react(a, article, '👎');
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(false);
    await stage.recount({ full: true });
    stage.unreact(a, article, '👎');
    await expect.poll(() => stage.isOwn(article, '👎'), patience).toBe(true);
    await stage.recount({ full: true });
    expect(await stage.article(article)).toMatchObject({ up: 1, down: 0 });
  });
});

describe('the message', () => {
  test('gets its ★ when a vote crosses the mark, once, and loses it below', async () => {
    const { ranking } = stage.bot.app;
    await setMark(ranking, stage.sandbox.guildId, 3);
    const [c = ''] = stage.crowd(1);
    stage.react(a, article, '👍');
    await stage.agree([article]);
    expect(carried()?.interesting).toBe(false);
    stage.react(b, article, '👍');
    await expect.poll(() => carried()?.interesting, patience).toBe(true);
    stage.react(c, article, '👍');
    await stage.agree([article]);
    stage.unreact(c, article, '👍');
    stage.unreact(b, article, '👍');
    await expect.poll(() => carried()?.interesting, patience).toBe(false);
    expect(edits()).toBe(2);
    await setMark(ranking, stage.sandbox.guildId, 200);
  });

  test('is read once for its ★, however many votes come meanwhile', async () => {
    const { ranking } = stage.bot.app;
    await setMark(ranking, stage.sandbox.guildId, 3);
    const reads = () => stage.sandbox.requests.count('GET', /messages/);
    const end = stage.sandbox.faults.add({ method: 'GET', route: /messages/, delayMs: 700 });
    for (const member of stage.crowd(8)) {
      stage.react(member, article, '👍');
      await stage.agree([article]);
      await ranking.changes.flush();
    }
    await expect.poll(() => carried()?.interesting, patience).toBe(true);
    end();
    await editWitness();
    expect(reads()).toBe(2);
    await setMark(ranking, stage.sandbox.guildId, 200);
    await stage.recount();
    await expect.poll(() => carried()?.interesting, patience).toBe(false);
  });

  test('is not touched by a recount that finds votes', async () => {
    stage.secretly(() => stage.react(a, article, '👍'));
    await stage.recount({ full: true });
    expect(await stage.article(article)).toMatchObject({ up: 2 });
    await editWitness();
    expect(edits()).toBe(1);
  });

  test('that a bot which died left behind is mended by the next recount', async () => {
    await retitle('Said by a moderator');
    await stage.restartBot();
    expect(carried()?.title).not.toBe('Said by a moderator');
    await stage.recount();
    await expectTitle('Said by a moderator');
    expect(edits()).toBe(1);
  });

  test('that a moderator’s ✕ left without previews is read all the same', async () => {
    const message = stage.sandbox.world.channels.get(general)?.messages.get(article);
    if (message) message.embeds = [];
    await stage.recount();
    await editWitness();
    expect(edits()).toBe(1);
  });

  test('in an archived thread waits until the thread is open, which the bot does not do', async () => {
    const { sandbox } = stage;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await stage.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    await retitle('In the archive');
    const { messageUpdates } = stage.bot.app;
    expect(await messageUpdates.show(sandbox.guildId, article)).toBe('refused');
    expect(messageUpdates.isResting(article)).toBe(true);
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
    stage.message(article).reactions.clear();
    sandbox.requests.reset();
    for (let n = 0; n < 3; n += 1) await stage.recount();
    await editWitness();
    // The only edit is that of the witness.
    expect([edits(), own('PUT')]).toEqual([1, 0]);
    sandbox.operator.archiveThread({ channel: thread.id, archived: false });
    await stage.recount();
    await expectTitle('In the archive');
    await expect.poll(() => messageUpdates.isResting(article), patience).toBe(false);
    await expect.poll(() => stage.isOwn(article, '👍'), patience).toBe(true);
  });
});

/** Edits another article's message: an edit that was begun before has been made by then. */
async function editWitness(): Promise<void> {
  const [witness = ''] = await stage.plant(general);
  const { ranking, messageUpdates } = stage.bot.app;
  const guild = stage.sandbox.guildId;
  await retitleArticle(ranking, { guild, article: witness, title: 'A witness' });
  await messageUpdates.show(guild, witness);
  expect(carried(witness)?.title).toBe('A witness');
}
