import type { HeldRequest } from '../../../discord-box/src/index.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { readArticleMessage } from '../../../src/articles/messages/article-message.ts';
import { readTroubles } from '../../../src/due/troubles.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { closeArticle } from '../../../src/ranking/articles/closing.ts';
import { commentArticle, retitleArticle } from '../../../src/ranking/articles/edit.ts';
import { removeArticle, restoreArticle } from '../../../src/ranking/articles/removed.ts';
import { FINAL_AFTER_MS } from '../../../src/ranking/rules.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { setScale } from '../../../src/ranking/articles/mark.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let general: string;
let a: string;
let b: string;
let article: string;

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  [a = '', b = ''] = scene.sandbox.members;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  [article = ''] = await scene.plant(general);
  scene.sandbox.requests.reset();
});
afterEach(() => scene.sandbox.faults.clear());

const carried = (id = article) => readArticleMessage({ content: scene.message(id).content });
/** A request is in the log once it is answered, and its effect shows before. */
const edits = () => scene.sandbox.requests.count('PATCH', /messages/);
const own = (method: string) => scene.sandbox.requests.count(method, /reactions/);
const retitle = (title: string) =>
  retitleArticle(scene.bot.ranking, { guild: scene.sandbox.guildId, article, title });
const show = (id = article) => scene.bot.due.now(scene.sandbox.guildId, `show:${id}`);
async function expectTitle(title: string) {
  await expect.poll(() => carried()?.title).toBe(title);
}

test('a thousand votes cost Discord two requests, for the bot’s own 👎', async () => {
  const { ranking } = scene.bot;
  // No ★, which would be an edit.
  await setScale(ranking, scene.sandbox.guildId, { mark: 2000 });
  const crowd = scene.crowd(500);
  const last = scene.crowd(1)[0] ?? '';
  for (const member of crowd) scene.react(member, article, '👍');
  for (const [n, member] of crowd.entries()) {
    if (n % 2 === 0) {
      scene.unreact(member, article, '👍');
      scene.react(member, article, '👎');
    } else scene.unreact(member, article, '👍');
  }
  await scene.agree([article]);
  for (const member of crowd) scene.unreact(member, article, '👎');
  await scene.agree([article]);
  await expect.poll(() => scene.isOwn(article, '👎')).toBe(true);
  // What could still follow would have come before this.
  scene.react(last, article, '👍');
  await scene.agree([article]);
  expect(await scene.article(article)).toMatchObject({ up: 2, down: 0 });
  const { recent } = scene.sandbox.requests;
  const requested = () => recent.map(({ method, route }) => `${method} ${route}`).sort();
  const own = '/channels/:channel/messages/:message/reactions/:emoji/@me';
  await expect.poll(requested).toEqual([`DELETE ${own}`, `PUT ${own}`]);
  await setScale(ranking, scene.sandbox.guildId, { mark: 200 });
});

describe('the bot’s own 👎', () => {
  test('the bot’s own 👎 leaves with the first member’s 👎, and comes back when the last one goes', async () => {
    expect([scene.isOwn(article, '👍'), scene.isOwn(article, '👎')]).toEqual([true, true]);
    scene.react(a, article, '👎');
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(false);
    scene.react(b, article, '👎');
    scene.unreact(a, article, '👎');
    await scene.agree([article]);
    expect(scene.isOwn(article, '👎')).toBe(false);
    scene.unreact(b, article, '👎');
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(true);
    expect(scene.isOwn(article, '👍')).toBe(true);
    expect(await scene.article(article)).toMatchObject({ up: 1, down: 0 });
  });

  test('the bot’s own 👎 comes back also when its member switches, and the older 👎 is taken away', async () => {
    scene.react(a, article, '👎');
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(false);
    scene.react(a, article, '👍');
    scene.unreact(a, article, '👎');
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(true);
    expect(await scene.article(article)).toMatchObject({ up: 2, down: 0 });
  });

  test('the bot’s own 👎 is repaired by a recount, and so is its 👍', async () => {
    const bot = scene.sandbox.world.application.botId;
    scene.secretly(() => scene.react(a, article, '👎'));
    await scene.recount();
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(false);
    scene.secretly(() => scene.unreact(a, article, '👎'));
    scene.unreact(bot, article, '👍');
    await scene.recount();
    await expect
      .poll(() => [scene.isOwn(article, '👍'), scene.isOwn(article, '👎')])
      .toEqual([true, true]);
    await expect.poll(() => own('PUT')).toBe(2);
    await scene.recount();
    expect(own('PUT')).toBe(2);
  });

  test('the bot’s own 👎 waits for a recount without votes, and the 👍 does not', async () => {
    const bot = scene.sandbox.world.application.botId;
    scene.secretly(() => {
      for (const thumb of ['👍', '👎']) scene.unreact(bot, article, thumb);
    });
    const read = scene.sandbox.faults.hold({ method: 'GET', route: /messages$/ });
    const recount = scene.recount();
    await scene.eventually(() => read.isHeld(), Boolean, 'read');
    scene.react(a, article, '👍');
    await scene.agree([article]);
    read.letGo();
    await recount;
    await expect.poll(() => scene.isOwn(article, '👍')).toBe(true);
    expect(own('PUT')).toBe(1);
    await scene.recount();
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(true);
  });

  test('the bot’s own 👎 is no vote, whoever else is at work', async () => {
    scene.react(a, article, '👎');
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(false);
    await scene.recount({ full: true });
    scene.unreact(a, article, '👎');
    await expect.poll(() => scene.isOwn(article, '👎')).toBe(true);
    await scene.recount({ full: true });
    expect(await scene.article(article)).toMatchObject({ up: 1, down: 0 });
  });
});

describe('the message', () => {
  test('the message gets its ★ when a vote crosses the mark, once, and loses it below', async () => {
    const { ranking } = scene.bot;
    await setScale(ranking, scene.sandbox.guildId, { mark: 3 });
    const [c = ''] = scene.crowd(1);
    scene.react(a, article, '👍');
    await scene.agree([article]);
    expect(carried()?.interesting).toBe(false);
    scene.react(b, article, '👍');
    await expect.poll(() => carried()?.interesting).toBe(true);
    scene.react(c, article, '👍');
    await scene.agree([article]);
    scene.unreact(c, article, '👍');
    scene.unreact(b, article, '👍');
    await expect.poll(() => carried()?.interesting).toBe(false);
    await expect.poll(edits).toBe(2);
    await setScale(ranking, scene.sandbox.guildId, { mark: 200 });
  });

  test('the message is read once for its ★, however many votes come meanwhile', async () => {
    const { ranking } = scene.bot;
    await setScale(ranking, scene.sandbox.guildId, { mark: 3 });
    const reads = () => scene.sandbox.requests.count('GET', /messages/);
    const read = scene.sandbox.faults.hold({ method: 'GET', route: /messages/ });
    for (const member of scene.crowd(8)) {
      scene.react(member, article, '👍');
      await scene.agree([article]);
      await ranking.changes.flush();
    }
    await scene.eventually(() => read.isHeld(), Boolean, 'read');
    read.letGo();
    await expect.poll(() => carried()?.interesting).toBe(true);
    expect(reads()).toBe(1);
    await setScale(ranking, scene.sandbox.guildId, { mark: 200 });
    await scene.recount();
    await expect.poll(() => carried()?.interesting).toBe(false);
  });

  test('the message is not touched by a recount that finds votes', async () => {
    scene.secretly(() => scene.react(a, article, '👍'));
    await scene.recount({ full: true });
    expect(await scene.article(article)).toMatchObject({ up: 2 });
    await editWitness();
    expect(edits()).toBe(1);
  });

  test('the message that a bot which died left behind is repaired by the next recount', async () => {
    await retitle('Said by a moderator');
    await scene.restartBot();
    await scene.recount();
    await expectTitle('Said by a moderator');
    await expect.poll(edits).toBe(1);
  });

  test('the message that a moderator’s ✕ left without previews is read all the same', async () => {
    const message = scene.sandbox.world.channels.get(general)?.messages.get(article);
    if (message) message.embeds = [];
    await scene.recount();
    await editWitness();
    expect(edits()).toBe(1);
  });

  test('the message is not taken for deleted in an outage of its guild: the edit is tried again', async () => {
    const { client } = scene.bot;
    const { guildId, operator } = scene.sandbox;
    const isAvailable = () => client.guilds.cache.get(guildId)?.available;
    operator.setOutage({ outage: true });
    await expect.poll(isAvailable).toBe(false);
    await retitle('In the outage');
    expect(await show()).toBe('later');
    operator.setOutage({ outage: false });
    await expect.poll(isAvailable).toBe(true);
    expect(await show()).toBeNull();
    await expectTitle('In the outage');
  });

  test('the message is not taken for deleted where Discord knows its channel no more before the gateway says why: its new title stands', async () => {
    const { faults } = scene.sandbox;
    const path = new RegExp(`/messages/${article}$`);
    const end = faults.add({ method: 'GET', path, status: 404, code: 10_003 });
    await retitle('Before the outage');
    expect(await show()).not.toBeNull();
    end();
    expect(await show()).toBeNull();
    await expectTitle('Before the outage');
    expect((await scene.article(article))?.title).toBe('Before the outage');
  });

  test('the message in an archived thread waits until the thread is open, which the bot does not do', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    await retitle('In the archive');
    expect(await show()).toMatchObject({ attempts: 0 });
    expect(sandbox.world.channels.get(thread.id)?.thread?.archived).toBe(true);
    scene.message(article).reactions.clear();
    sandbox.requests.reset();
    for (let n = 0; n < 3; n += 1) await scene.recount();
    await editWitness();
    // The only edit is that of the witness.
    expect([edits(), own('PUT')]).toEqual([1, 0]);
    sandbox.operator.archiveThread({ channel: thread.id, archived: false });
    await scene.recount();
    await expectTitle('In the archive');
    await expect.poll(() => scene.isOwn(article, '👍')).toBe(true);
  });

  test('the message in an archived thread shows the result of its voting by itself, and a later title once the thread is open', async () => {
    const { sandbox, bot } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    sandbox.operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageThreads'] });
    await closeArticle(bot.ranking, sandbox.guildId, article);
    const isArchived = () => sandbox.world.channels.get(thread.id)?.thread?.archived;
    expect(await show()).toBeNull();
    expect([carried()?.closed, isArchived()]).toEqual([true, true]);
    const opened = () => sandbox.requests.count('PATCH', /^\/channels\/:\w+$/);
    const before = opened();
    await retitle('After the end');
    expect(await show()).toMatchObject({ attempts: 0 });
    expect([carried()?.title === 'After the end', opened() - before]).toEqual([false, 0]);
    sandbox.operator.archiveThread({ channel: thread.id, archived: false });
    sandbox.operator.setPermissions({ channel: general, who: 'bot' });
    scene.clock.move(HOUR_MS + MINUTE_MS);
    await bot.due.look();
    await expectTitle('After the end');
  });

  test('the message of a removed article in an archived thread shows the removal, and in one that is not known no votes', async () => {
    const { sandbox, bot } = scene;
    const thread = sandbox.as(sandbox.admin).startThread(general, 'aside');
    [article = ''] = await scene.plant(thread.id);
    sandbox.operator.archiveThread({ channel: thread.id, archived: true });
    await removeArticle(bot.ranking, sandbox.guildId, article, scene.clock.now());
    expect(await show()).toBeNull();
    expect(scene.message(article).content).not.toContain('http');
    sandbox.operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageMessages'] });
    scene.secretly(() => scene.react(a, article, '👍'));
    scene.clock.move(FINAL_AFTER_MS);
    // As after a restart.
    bot.client.guilds.cache.get(sandbox.guildId)!.channels.cache.delete(thread.id);
    expect(await show()).toBeNull();
    expect(scene.whoShows(article, '👍')).toEqual([]);
    sandbox.operator.setPermissions({ channel: general, who: 'bot' });
  });
});

test('the votes under a removed article stay shown while they may come back with it, and the bot’s own go', async () => {
  const { sandbox, bot, clock } = scene;
  const allow = (allowed: 'ManageMessages'[]) =>
    sandbox.operator.setPermissions({ channel: general, who: 'bot', allow: allowed });
  allow(['ManageMessages']);
  [article = ''] = [await scene.post(b)];
  await scene.vote(a, article);
  await removeArticle(bot.ranking, sandbox.guildId, article, clock.now());
  expect(await show()).toBeNull();
  expect(scene.whoShows(article, '👍')).toEqual([a]);
  // From then on no vote counts any more, and each goes with what was voted on.
  clock.move(FINAL_AFTER_MS);
  await bot.due.look();
  await expect.poll(() => scene.whoShows(article, '👍')).toEqual([]);
  allow([]);
  const [other = ''] = await scene.plant(general);
  scene.react(a, other, '👍');
  await removeArticle(bot.ranking, sandbox.guildId, other, clock.now());
  clock.move(FINAL_AFTER_MS);
  expect(await show(other)).toBeNull();
  expect(scene.whoShows(other, '👍')).toEqual([a]);
});

test('a removal that Discord refuses to show is tried each hour for two days, and then each day', async () => {
  const { sandbox, bot, clock } = scene;
  const [removed = ''] = await scene.plant(general);
  const path = new RegExp(`/messages/${removed}$`);
  const end = sandbox.faults.add({ method: 'PATCH', path, status: 403, code: 150_006 });
  await removeArticle(bot.ranking, sandbox.guildId, removed, clock.now());
  const { due } = storeKeys(bot.store, sandbox.guildId);
  const nextIn = async () => {
    await show(removed);
    const dueMs = Number(await bot.store.redis.zscore(due, `show:${removed}`));
    return Math.round((dueMs - clock.now()) / MINUTE_MS) * MINUTE_MS;
  };
  expect(await nextIn()).toBe(HOUR_MS);
  clock.move(2 * DAY_MS - MINUTE_MS);
  expect(await nextIn()).toBe(HOUR_MS);
  clock.move(2 * MINUTE_MS);
  expect(await nextIn()).toBe(DAY_MS);
  end();
  clock.move(DAY_MS);
  await bot.due.look();
  expect(scene.message(removed).content).not.toContain('http');
});

test('an article that is gone is shown no more, and its message is asked for nothing', async () => {
  const reads = () => scene.sandbox.requests.count('GET', /messages\/:message$/);
  expect(await show()).toBeNull();
  expect(reads()).toBe(1);
  await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, article);
  expect(await show()).toBeNull();
  expect(reads()).toBe(1);
});

test.each([
  [403, 150006],
  [400, 40094],
])(
  'a removal that Discord refuses to show (%i, code %i) is shown an hour later',
  async (status, code) => {
    const { sandbox, bot, clock } = scene;
    const [removed = ''] = await scene.plant(general);
    const path = new RegExp(`/messages/${removed}$`);
    const end = sandbox.faults.add({ method: 'PATCH', path, status, code });
    await removeArticle(bot.ranking, sandbox.guildId, removed, clock.now());
    expect(await show(removed)).toMatchObject({ attempts: 0 });
    end();
    clock.move(HOUR_MS + MINUTE_MS);
    await bot.due.look();
    const content = () => scene.message(removed).content;
    await scene.eventually(content, (text) => !text.includes('http'), 'removed');
  },
);

test('the message of an edit that Discord limits is not read again before its rest is over', async () => {
  const { sandbox, clock } = scene;
  const { id: channel } = sandbox.operator.createChannel({ name: 'limited' });
  [article = ''] = await scene.plant(channel, 1, () => clock.now() - 2 * HOUR_MS);
  const path = new RegExp(`/messages/${article}$`);
  const end = sandbox.faults.add({ method: 'PATCH', path, status: 400, code: 30_046 });
  await retitle('Too many edits');
  const reads = () => sandbox.requests.count('GET', /messages\/:message$/);
  const tried = async () => {
    expect(await show()).toMatchObject({ attempts: 0 });
    return reads();
  };
  const before = await tried();
  expect(before).toBeGreaterThan(0);
  expect(await tried()).toBe(before);
  end();
  clock.move(MINUTE_MS);
  await scene.bot.due.look();
  await expectTitle('Too many edits');
});

test('a removal is shown as soon as Discord said that it takes edits again, though others still wait', async () => {
  const { sandbox, bot, clock } = scene;
  const { id: channel } = sandbox.operator.createChannel({ name: 'limited-twice' });
  const old = () => clock.now() - 2 * HOUR_MS;
  const [removed = '', other = ''] = await scene.plant(channel, 2, old);
  article = other;
  const end = sandbox.faults.add({
    method: 'PATCH',
    path: new RegExp(`/channels/${channel}/messages/`),
    status: 400,
    code: 30_046,
  });
  /** The bot may be at it by itself, on a busy machine for longer than is waited for it. */
  const tried = (id: string) =>
    scene.eventually(
      () => show(id),
      (outcome) => outcome !== 'later',
      'tried',
    );
  // With each refusal, what may wait rests for twice as long.
  await retitle('It can wait');
  for (let times = 0; times < 2; times += 1) {
    if (times > 0) clock.move(MINUTE_MS);
    expect(await tried(other)).toMatchObject({ attempts: 0 });
  }
  end();
  await removeArticle(bot.ranking, sandbox.guildId, removed, clock.now());
  expect(await tried(removed)).toMatchObject({ attempts: 0 });
  clock.move(MINUTE_MS);
  expect(await tried(other)).toMatchObject({ attempts: 0 });
  expect(await tried(removed)).toBeNull();
  expect(scene.message(removed).content).not.toContain('http');
  expect(carried(other)?.title).not.toBe('It can wait');
  clock.move(MINUTE_MS);
  expect(await tried(other)).toBeNull();
  await expectTitle('It can wait');
});

test('a removed article whose message is gone as well hinders nothing, and is not tried again', async () => {
  const { bot, sandbox, clock } = scene;
  const { guildId: guild, world } = sandbox;
  scene.secretly(() => world.channels.get(general)!.messages.delete(article));
  await removeArticle(bot.ranking, guild, article, clock.now());
  expect(await show()).toBeNull();
  const rows = (await readTroubles(bot.store, guild)).map(({ row }) => row);
  expect(rows).not.toContain(`show:${article}`);
});

test('what hinders an article that is deleted hinders nothing any more', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild } = sandbox;
  const [removed = ''] = await scene.plant(general);
  const path = new RegExp(`/messages/${removed}$`);
  const end = sandbox.faults.add({ method: 'PATCH', path, status: 403, code: 150006 });
  await removeArticle(bot.ranking, guild, removed, clock.now());
  await show(removed);
  const troubled = async () => (await readTroubles(bot.store, guild)).map(({ row }) => row);
  expect(await troubled()).toContain(`show:${removed}`);
  await deleteArticle(bot.ranking, guild, removed);
  expect(await troubled()).not.toContain(`show:${removed}`);
  end();
});

test('what Discord leaves without an answer is a trouble only where it answers something else meanwhile', async () => {
  const { sandbox, bot, clock } = scene;
  const { guildId: guild, faults } = sandbox;
  const path = new RegExp(`/messages/${article}$`);
  faults.add({ method: 'GET', path, status: 503 });
  const troubled = async () => {
    clock.move(HOUR_MS);
    expect(await show()).not.toBeNull();
    return (await readTroubles(bot.store, guild)).map(({ row }) => row);
  };
  expect(await troubled()).not.toContain(`show:${article}`);
  await scene.post(sandbox.admin);
  expect(await troubled()).toContain(`show:${article}`);
  faults.clear();
  expect(await show()).toBeNull();
});

/** Edits another article's message: an edit that was begun before has been made by then. */
async function editWitness(): Promise<void> {
  const [witness = ''] = await scene.plant(general);
  const guild = scene.sandbox.guildId;
  await retitleArticle(scene.bot.ranking, { guild, article: witness, title: 'A witness' });
  await show(witness);
  expect(carried(witness)?.title).toBe('A witness');
}

/** Notes a change; its edit has read the article, and Discord's answer is on the way. */
async function noteSlowly(): Promise<HeldRequest> {
  const path = new RegExp(`messages/${article}$`);
  const answer = scene.sandbox.faults.hold({ method: 'GET', path, afterTheWork: true });
  scene.bot.messageUpdates.note(scene.sandbox.guildId, article);
  await scene.eventually(() => answer.isHeld(), Boolean, 'asked for');
  return answer;
}

test('a moderator’s reason is shown also where another process showed the removal before without it', async () => {
  const { bot, sandbox, clock } = scene;
  await removeArticle(bot.ranking, sandbox.guildId, article, clock.now());
  expect(await show()).toBeNull();
  const content = () => scene.message(article).content;
  expect([content().startsWith('-# '), content().includes('An old story')]).toEqual([true, false]);
  const { guildId } = sandbox;
  expect(await bot.messageUpdates.showRemoval(guildId, article, 'An old story')).toBe(true);
  expect(content()).toContain('An old story');
  const before = edits();
  expect(await bot.messageUpdates.showRemoval(guildId, article, 'An old story')).toBe(true);
  expect(edits()).toBe(before);
});

test('a comment that nobody gave, such as that of a forged file, is not shown with the next change', async () => {
  const { ranking } = scene.bot;
  const guild = scene.sandbox.guildId;
  const title = async (text: string) => {
    await retitle(text);
    await show();
    return carried();
  };
  await commentArticle(ranking, { guild, article, comment: 'Forged.' });
  expect(await title('Still without')).toMatchObject({ title: 'Still without' });
  expect(carried()).not.toHaveProperty('comment');
  const link = 'https://commented.example/';
  const given = { link, title: 'With one', comment: 'My own words.' };
  const { message } = await scene.command(a, 'post', given);
  article = message?.id ?? '';
  await scene.eventually(() => scene.article(article), Boolean, 'committed');
  await commentArticle(ranking, { guild, article, comment: 'Forged.' });
  expect(await title('Still mine')).toMatchObject({
    title: 'Still mine',
    comment: 'My own words.',
  });
});

test('a poster’s new comment is shown also where its message is looked at while it is written', async () => {
  const guild = scene.sandbox.guildId;
  await scene.bot.messageUpdates.comment(guild, article, async () => {
    // As another process does, to which the comment is nobody’s then.
    await show();
    await commentArticle(scene.bot.ranking, { guild, article, comment: 'My own words.' });
    await show();
    expect(carried()).not.toHaveProperty('comment');
  });
  await expect.poll(() => carried()?.comment).toBe('My own words.');
});

test.each([
  ['is refused', { status: 403, code: 150_006 }],
  ['meets Discord’s limit of edits', { status: 400, code: 30_046 }],
])('a moderator’s reason is shown also where the first edit %s', async (_, answered) => {
  const { guildId, faults, operator } = scene.sandbox;
  const { id: channel } = operator.createChannel({ name: 'reasons' });
  [article = ''] = await scene.plant(channel, 1, () => scene.clock.now() - 2 * HOUR_MS);
  const path = new RegExp(`messages/${article}$`);
  const end = faults.add({ method: 'PATCH', path, ...answered });
  await removeArticle(scene.bot.ranking, guildId, article, scene.clock.now());
  expect(await scene.bot.messageUpdates.showRemoval(guildId, article, 'An old story')).toBe(false);
  end();
  scene.clock.move(HOUR_MS + MINUTE_MS);
  await scene.bot.due.look();
  const content = () => scene.message(article).content;
  await scene.eventually(content, (text) => text.includes('An old story'), 'with its reason');
});

describe('an edit that waits for Discord', () => {
  test('an edit that waits for Discord does not show an article again that was removed meanwhile', async () => {
    const { ranking } = scene.bot;
    const { guildId } = scene.sandbox;
    await retitle('Of before the removal');
    const answer = await noteSlowly();
    await removeArticle(ranking, guildId, article, scene.clock.now());
    answer.letGo();
    await expect.poll(edits).toBe(2);
    expect(carried()).toBeNull();
    expect(scene.message(article).content).not.toContain('Of before the removal');
  });

  test('an edit that waits for Discord does not say that an article is removed that was restored meanwhile', async () => {
    const { ranking } = scene.bot;
    const { guildId } = scene.sandbox;
    const { title = '' } = (await scene.article(article)) ?? {};
    await removeArticle(ranking, guildId, article, scene.clock.now());
    const answer = await noteSlowly();
    await restoreArticle(ranking, guildId, article, true);
    answer.letGo();
    await expect.poll(edits).toBe(2);
    await expectTitle(title);
  });
});

// Withstands (Processes that die): An edit of one process reaches Discord after a newer one of another process
// → the message shows the newer state
test('a removal stays shown although an edit of another process arrives after it', async () => {
  const { guildId, faults } = scene.sandbox;
  const first = scene.bot;
  const edit = faults.hold({ method: 'PATCH', body: /A newer title/ });
  await retitle('A newer title');
  await scene.joinBot();
  await scene.eventually(() => edit.isHeld(), Boolean, 'held');
  await removeArticle(scene.bot.ranking, guildId, article, scene.clock.now());
  // While the first edit is on its way, nobody makes another one.
  await scene.bot.due.look();
  edit.letGo();
  await expect.poll(() => carried()).toBeNull();
  await Promise.all([first.due.look(), scene.bot.due.look()]);
  expect(carried()).toBeNull();
  expect(scene.message(article).content).not.toContain('A newer title');
  await first.stop();
});
