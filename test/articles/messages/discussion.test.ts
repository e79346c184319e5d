import { eraseMember, finishErasing } from '../../../src/privacy/member-data.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { changeChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import { recountGuild } from '../../../src/votes/recount/recount-guild.ts';
import { readReplies, writeReplies } from '../../../src/ranking/articles/discussions.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { setSetting } from '../../fixtures/set-setting.ts';
import { openPanel } from '../../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let member: string;

beforeAll(async () => {
  scene = await startScene({
    previewDelayMs: 300,
    web: {
      page: (link) => (link.includes('found') ? { title: 'Found by Discord' } : undefined),
      picture: () => undefined,
    },
  });
  general = scene.sandbox.channels.general.id;
  [member = ''] = scene.sandbox.members.filter((_, i) => i % 2 === 0);
  await set('true');
});
afterAll(() => scene.stop());

const THREADS = /^\/channels\/:\w+\/messages\/:\w+\/threads$/;
const as = (who: string) => scene.sandbox.as(who);
const set = (value: string) => setSetting(scene.sandbox, 'discussion', [value]);
const thread = (id: string) => scene.sandbox.world.channels.get(id);
const threadOf = (id: string) => expect.poll(() => thread(id)?.name);
async function facts(): Promise<string> {
  const { message } = await as(member).command(general, 'top', { show: 'time' });
  return message?.embeds[0]?.description?.split('\n')[1] ?? '';
}

test('a thread is made with the article and named after it; its messages are counted and stored', async () => {
  const other = await scene.post(member, { title: 'Square Grids' });
  const id = await scene.post(member, { title: 'Hexagonal Grids' });
  await threadOf(id).toBe('Hexagonal Grids');
  await threadOf(other).toBe('Square Grids');
  expect(await facts()).not.toContain('💬');
  const { id: chat } = as(member).startThread(general, 'Of something else');
  const { guildId } = scene.sandbox;
  const counted = async () =>
    (await readReplies(scene.bot.ranking, guildId, [{ id: other }])).get(other);
  const spam = ['Buy', 'it', 'now'].map((text) => as(member).send(other, text).id);
  as(member).send(chat, 'Hello.');
  as(member).send(id, 'Great.');
  as(scene.sandbox.admin).send(id, 'Indeed.');
  await expect
    .poll(facts)
    .toMatch(/▲ 1 · <@\d+> · .* · \[2\u00a0💬\]\(https:\/\/discord\.com\/channels\/[\d/]+\)$/);
  const asked = scene.sandbox.requests.recent.map(({ channelId }) => channelId);
  expect([asked.includes(id), asked.includes(chat)]).toEqual([true, false]);
  expect(thread(id)?.thread?.autoArchiveMinutes).toBe(7 * 24 * 60);
  const [, first] = as(member).messages(id);
  await expect.poll(counted).toBe(3);
  // One, and some in bulk.
  scene.sandbox.operator.deleteMessages({ channel: id, messages: [first!.id] });
  scene.sandbox.operator.deleteMessages({ channel: other, messages: spam.slice(1) });
  await expect.poll(facts).toContain('1\u00a0💬');
  await expect.poll(counted).toBe(1);
  as(scene.sandbox.admin).archive(id, true);
  expect(await facts()).toContain('1\u00a0💬');
});

test('messages that are deleted in bulk are no comments any more', async () => {
  const id = await scene.post(member, { title: 'Cleaned up' });
  await threadOf(id).toBe('Cleaned up');
  const said = ['One.', 'Two.', 'Three.'].map((text) => as(member).send(id, text).id);
  await expect.poll(facts).toContain('3\u00a0💬');
  scene.sandbox.operator.deleteMessages({ channel: id, messages: said.slice(1) });
  await expect.poll(facts).toContain('1\u00a0💬');
});

test('a thread is made in an announcement channel too', async () => {
  const { operator } = scene.sandbox;
  const { id: channel } = operator.createChannel({
    name: 'news',
    kind: 'announcement',
  });
  await scene.eventually(() => scene.bot.client.channels.cache.has(channel), Boolean, 'known');
  const id = await scene.post(member, { channel, title: 'Told to all' });
  await expect.poll(() => thread(id)?.name).toBe('Told to all');
});

test('a title that is given while the thread is begun becomes its name', async () => {
  const start = scene.sandbox.faults.hold({ method: 'POST', route: THREADS });
  const id = await scene.post(member, { title: 'At first' });
  await scene.eventually(() => start.isHeld(), Boolean, 'begun');
  await as(member).command(general, 'me retitle', { article: id, title: 'At last' });
  const content = () =>
    as(member)
      .messages(general)
      .find((one) => one.id === id)?.content;
  await expect.poll(content).toContain('At last');
  start.letGo();
  await expect.poll(() => thread(id)?.name).toBe('At last');
});

test('the thread gets the title that Discord found, and each later title of the article', async () => {
  const id = await scene.post(member, { link: 'https://pages.example/found' });
  await threadOf(id).toBe('Found by Discord');
  await as(member).command(general, 'me retitle', { article: id, title: 'Better' });
  await threadOf(id).toBe('Better');
  expect(thread(id)?.parentId).toBe(general);
});

test('a thread that Discord did not let be renamed gets its title with a recount', async () => {
  const { faults, requests } = scene.sandbox;
  const renames = () => requests.count('PATCH', /^\/channels\/:\w+$/, 400);
  const end = faults.add({ method: 'PATCH', route: /^\/channels\/:\w+$/, status: 400 });
  const id = await scene.post(member, { link: 'https://pages.example/found/later' });
  await expect.poll(renames).toBeGreaterThan(0);
  expect(thread(id)?.name).toBe('pages.example/found/later');
  end();
  await expect
    .poll(async () => (await recountGuild(scene.bot, scene.sandbox.guildId)) && thread(id)?.name)
    .toBe('Found by Discord');
});

// Withstands (Requests to Discord): A server is full of active threads
// → its articles stand without threads, and the check-up says why
test.each([
  ['threads', 160_006],
  ['threads in announcement channels', 160_007],
])(
  'the check-up says that Discord takes no more %s, until an article gets one again',
  async (_, code) => {
    const checkUp = async (): Promise<string> => {
      const { message } = await openPanel(as(scene.sandbox.admin), general, 'check-up');
      return JSON.stringify(message?.embeds);
    };
    const full = 'the server has too many active ones';
    const route = THREADS;
    // Anything else says nothing of the server.
    scene.sandbox.faults.add({ method: 'POST', route, status: 400, code: 50_035, times: 1 });
    const before = scene.sandbox.requests.count('POST', route, 400);
    await scene.post(member, { title: 'Refused otherwise' });
    await expect.poll(() => scene.sandbox.requests.count('POST', route, 400)).toBe(before + 1);
    await scene.settled();
    expect(await checkUp()).not.toContain(full);
    const end = scene.sandbox.faults.add({ method: 'POST', route, status: 400, code });
    const id = await scene.post(member, { title: 'One too many' });
    await expect.poll(checkUp).toContain(full);
    expect(thread(id)).toBeUndefined();
    end();
    await threadOf(await scene.post(member, { title: 'Room again' })).toBe('Room again');
    await expect.poll(checkUp).not.toContain(full);
  },
);

test('a thread that a moderator named keeps its name', async () => {
  const id = await scene.post(member, { title: 'First' });
  await threadOf(id).toBe('First');
  scene.sandbox.operator.renameChannel({ channel: id, name: 'Own' });
  await as(member).command(general, 'me retitle', { article: id, title: 'Second' });
  const content = () =>
    as(member)
      .messages(general)
      .find((one) => one.id === id)?.content;
  await expect.poll(content).toContain('Second');
  // It waits for that edit, which would also rename the thread.
  await scene.bot.due.now(scene.sandbox.guildId, `show:${id}`);
  expect(thread(id)?.name).toBe('Own');
});

test('the thread of an article that is removed while it is begun tells nothing of it, in the server’s language', async () => {
  await setSetting(scene.sandbox, 'language', ['de']);
  const start = scene.sandbox.faults.hold({ method: 'POST', route: THREADS });
  const id = await scene.post(member, { title: 'Regretted at once' });
  await scene.moderate(scene.sandbox.moderator, 'remove', id);
  start.letGo();
  await expect.poll(() => thread(id)?.name).toBe('Entfernter Beitrag');
  await setSetting(scene.sandbox, 'language', null);
});

// Withstands (Attacks): A thread keeps the title of a removed or erased article
// → it gets neutral words for a name
test.each([
  ['its poster', (id: string) => as(member).command(general, 'me remove', { article: id })],
  ['a moderator', (id: string) => scene.moderate(scene.sandbox.moderator, 'remove', id)],
])(
  'the thread of an article that %s removed tells nothing of it, and has its title again when it is restored',
  async (_, remove) => {
    const id = await scene.post(member, { title: 'A regretted title' });
    await threadOf(id).toBe('A regretted title');
    // Discord takes no edit of an archived thread but together with its opening.
    as(scene.sandbox.admin).archive(id, true);
    await remove(id);
    await threadOf(id).toBe('Removed article');
    await expect.poll(() => thread(id)?.thread?.archived).toBe(true);
    await scene.moderate(scene.sandbox.moderator, 'restore', id);
    await threadOf(id).toBe('A regretted title');
  },
);

test('a name that a moderator gave to the thread goes with the article, too', async () => {
  const id = await scene.post(member, { title: 'First name' });
  await threadOf(id).toBe('First name');
  changeChannel(scene.sandbox.world, thread(id)!, { name: 'About First name' });
  await scene.moderate(scene.sandbox.moderator, 'remove', id);
  await expect.poll(() => thread(id)?.name).toBe('Removed article');
});

test('where Frontpage may manage threads an empty one goes with its removed article, and what members wrote stays', async () => {
  const { operator, requests } = scene.sandbox;
  operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageThreads'] });
  const [empty, full] = [
    await scene.post(member, { title: 'Nobody wrote' }),
    await scene.post(member, { title: 'Somebody wrote' }),
  ];
  await threadOf(empty).toBe('Nobody wrote');
  await threadOf(full).toBe('Somebody wrote');
  as(member).send(full, 'I did.');
  for (const id of [empty, full]) await scene.moderate(scene.sandbox.moderator, 'remove', id);
  await threadOf(full).toBe('Removed article');
  await expect.poll(() => thread(empty)).toBeUndefined();
  expect(
    as(member)
      .messages(full)
      .map(({ content }) => content),
  ).toContain('I did.');
  // Discord lets a thread be renamed twice in ten minutes.
  const renames = requests.count('PATCH', /^\/channels\/:\w+$/);
  await scene.bot.due.now(scene.sandbox.guildId, `show:${full}`);
  expect(requests.count('PATCH', /^\/channels\/:\w+$/)).toBe(renames);
  operator.setPermissions({ channel: general, who: 'bot' });
});

// Withstands (Attacks): Discord's limit of renames keeps the title of a removed article in its thread's name
// → the next minutes try again
test('the thread of a removed article loses its title a minute later where Discord limits names now', async () => {
  const id = await scene.post(member, { title: 'Limited name' });
  await threadOf(id).toBe('Limited name');
  const limit = { route: /^\/channels\/:\w+$/, status: 429, retryAfterSeconds: 600 };
  const end = scene.sandbox.faults.add({ method: 'PATCH', ...limit });
  await scene.moderate(scene.sandbox.moderator, 'remove', id);
  await scene.bot.due.look();
  expect(scene.message(id).content).not.toContain('Limited name');
  expect(thread(id)?.name).toBe('Limited name');
  end();
  scene.clock.move(MINUTE_MS);
  await scene.bot.due.look();
  await threadOf(id).toBe('Removed article');
});

test('where Discord does not let an empty thread be deleted its removal is shown all the same, and the thread tells nothing', async () => {
  const { sandbox, bot } = scene;
  sandbox.operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageThreads'] });
  const id = await scene.post(member, { title: 'Nobody may delete it' });
  await threadOf(id).toBe('Nobody may delete it');
  const refused = { route: /^\/channels\/:\w+$/, status: 400, code: 50_074 };
  const end = sandbox.faults.add({ method: 'DELETE', ...refused });
  await scene.moderate(sandbox.moderator, 'remove', id);
  expect(await bot.due.now(sandbox.guildId, `show:${id}`)).toBeNull();
  expect(thread(id)?.name).toBe('Removed article');
  end();
  sandbox.operator.setPermissions({ channel: general, who: 'bot' });
});

test('the thread of a removed article whose name Discord never takes is not renamed each minute for ever', async () => {
  const { sandbox, bot, clock } = scene;
  const id = await scene.post(member, { title: 'Named for good' });
  await threadOf(id).toBe('Named for good');
  const refused = { route: /^\/channels\/:\w+$/, status: 400, code: 50_035 };
  const end = sandbox.faults.add({ method: 'PATCH', ...refused });
  await scene.moderate(sandbox.moderator, 'remove', id);
  await bot.due.look();
  const tried = () => sandbox.requests.count('PATCH', refused.route, 400);
  const before = tried();
  for (let minute = 0; minute < 3; minute += 1) {
    clock.move(MINUTE_MS);
    await bot.due.look();
  }
  expect(thread(id)?.name).toBe('Named for good');
  expect([before > 0, tried() - before]).toEqual([true, 0]);
  end();
});

test('the thread of an erased article tells nothing of it', async () => {
  const [, , eraser = ''] = scene.sandbox.members;
  const id = await scene.post(eraser, { title: 'My whole name' });
  await threadOf(id).toBe('My whole name');
  const { bot } = scene;
  await eraseMember(bot, scene.sandbox.guildId, eraser);
  await finishErasing(bot, scene.sandbox.guildId);
  expect(thread(id)?.name).toBe('Removed article');
  expect(scene.sandbox.world.channels.get(general)?.messages.has(id)).toBe(false);
});

test('the thread of an erased article is renamed once, however often its message cannot be deleted', async () => {
  const { sandbox, bot } = scene;
  const [, , eraser = ''] = sandbox.members;
  const id = await scene.post(eraser, { title: 'My name again' });
  await threadOf(id).toBe('My name again');
  await eraseMember(bot, sandbox.guildId, eraser);
  const refused = { route: /messages\/:message$/, status: 400, code: 50006 };
  const end = sandbox.faults.add({ method: 'DELETE', ...refused });
  const renamed = () => sandbox.requests.count('PATCH', /^\/channels\/:\w+$/);
  const before = renamed();
  for (let n = 0; n < 3; n += 1) await finishErasing(bot, sandbox.guildId);
  end();
  await finishErasing(bot, sandbox.guildId);
  expect(renamed() - before).toBe(1);
  expect(sandbox.world.channels.get(general)?.messages.has(id)).toBe(false);
});

test('the thread of an erased article loses its title later where Discord limits names now', async () => {
  const [, , eraser = ''] = scene.sandbox.members;
  const guild = scene.sandbox.guildId;
  const id = await scene.post(eraser, { title: 'My other name' });
  await threadOf(id).toBe('My other name');
  await eraseMember(scene.bot, guild, eraser);
  const limit = { route: /^\/channels\/:\w+$/, status: 429, retryAfterSeconds: 600 };
  const end = scene.sandbox.faults.add({ method: 'PATCH', ...limit });
  await finishErasing(scene.bot, guild);
  expect(
    as(eraser)
      .messages(general, 50)
      .map((one) => one.id),
  ).not.toContain(id);
  expect(thread(id)?.name).toBe('My other name');
  end();
  await finishErasing(scene.bot, guild);
  expect(thread(id)?.name).not.toBe('My other name');
});

test('a recount counts what was missed', async () => {
  const { ranking } = scene.bot;
  const { guildId } = scene.sandbox;
  const id = await scene.post(member, { title: 'Missed' });
  await threadOf(id).toBe('Missed');
  as(member).send(id, 'One.');
  await writeReplies(ranking, guildId, id, 7);
  await recountGuild(scene.bot, guildId);
  await expect.poll(facts).toContain('1\u00a0💬');
});

test('without the permission articles are posted without a thread, and the check-up says so', async () => {
  const { operator } = scene.sandbox;
  operator.setPermissions({ channel: general, who: 'bot', deny: ['CreatePublicThreads'] });
  const answer = await scene.eventually(
    () => set('true'),
    ({ message }) => JSON.stringify(message?.embeds).includes('Create Public Threads'),
    'refused',
  );
  expect(JSON.stringify(answer.message?.embeds)).toContain(`<#${general}>`);
  const { requests } = scene.sandbox;
  const asked = () => requests.count('POST', THREADS);
  const before = asked();
  const id = await scene.post(member, { title: 'Alone' });
  const { message } = await openPanel(as(scene.sandbox.admin), general, 'check-up');
  expect(JSON.stringify(message?.embeds)).toContain('get no thread');
  expect(thread(id)).toBeUndefined();
  await scene.settled();
  operator.setPermissions({ channel: general, who: 'bot' });
  // Nor is there a thread in a thread.
  const aside = as(member).startThread(general, 'Aside').id;
  await scene.post(member, { channel: aside });
  await scene.settled();
  // Discord would count these against the bot.
  expect(asked()).toBe(before);
  await threadOf(await scene.post(member, { title: 'Not alone' })).toBe('Not alone');
  expect(asked()).toBe(before + 1);
});

test('a guild that wants none gets none', async () => {
  await set('false');
  const id = await scene.post(member, { title: 'Quiet' });
  const { message } = await openPanel(as(scene.sandbox.admin), general, 'check-up');
  expect(JSON.stringify(message?.embeds)).not.toContain('discussion');
  expect(thread(id)).toBeUndefined();
});
