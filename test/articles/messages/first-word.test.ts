import { ChannelType, MessageFlags } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noteGuilds } from '../../../src/community/known-guilds.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { readReplies } from '../../../src/ranking/articles/discussions.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { readSettings } from '../../../src/community/settings.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { upgrades } from '../../../src/upgrades.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let general: string;
let [poster, reader, other] = ['', '', ''];

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  [poster, reader, other] = scene.crowd(3) as [string, string, string];
});
afterAll(() => scene.stop());

const as = (who: string) => scene.sandbox.as(who);
const thread = (id: string) => scene.sandbox.world.channels.get(id);
const membersOf = (id: string) => [...(thread(id)?.thread?.memberIds ?? [])];
const reply = (who: string, id: string, text = 'I know this one.') =>
  as(who).send(general, text, id);

test('an article gets its thread with its first reply, which is led there, and its poster and who replied are in it', async () => {
  const id = await scene.post(poster, { title: 'Hexagonal Grids' });
  expect(thread(id)).toBeUndefined();
  const said = reply(reader, id);
  await expect.poll(() => membersOf(id)).toEqual(expect.arrayContaining([poster, reader]));
  expect(thread(id)?.name).toBe('Hexagonal Grids');
  const [, first] = as(reader).messages(id);
  expect(first?.content).toMatch(/^-# /);
  expect(first?.content).toContain(`/${general}/${said.id})`);
  expect(Number(first?.flags) & MessageFlags.SuppressNotifications).toBeTruthy();
  expect(first?.mentions).toEqual([]);
});

test('a reply that comes before its article is in the ranking begins the thread all the same', async () => {
  const options = { link: 'https://early.example/reply' };
  const { message } = await as(poster).command(general, 'post', options);
  const id = message?.id ?? '';
  reply(reader, id);
  await expect.poll(() => membersOf(id), { timeout: 10_000 }).toContain(reader);
});

test('a bot’s reply begins no thread', async () => {
  const [robot = ''] = scene.crowd(1, true);
  const [one, later] = [await scene.post(poster), await scene.post(poster)];
  reply(robot, one);
  reply(reader, later);
  await expect.poll(() => membersOf(later)).toContain(reader);
  await scene.settled();
  expect(thread(one)).toBeUndefined();
});

test('the poster is in a thread that somebody starts before their article is in the ranking', async () => {
  const { faults, guildId } = scene.sandbox;
  const callback = faults.hold({ method: 'POST', route: /callback/, afterTheWork: true });
  const link = 'https://early.example/thread';
  const posting = as(poster).command(general, 'post', { link });
  const sent = () =>
    as(reader)
      .messages(general)
      .find(({ content }) => content.includes(link));
  const { id } = await scene.sandbox.until(sent, 'the message');
  as(reader).startThread(general, 'Quick', { from: id });
  await expect.poll(() => scene.bot.client.channels.cache.has(id)).toBe(true);
  expect(await scene.article(id)).toBeNull();
  callback.letGo();
  await posting;
  await expect.poll(() => membersOf(id)).toContain(poster);
  const { due } = storeKeys(scene.bot.store, guildId);
  await expect.poll(() => scene.bot.store.redis.zscore(due, `earlier:${id}`)).not.toBeNull();
});

test('the line that leads to the first reply is no comment', async () => {
  const { ranking } = scene.bot;
  const guild = scene.sandbox.guildId;
  const comments = async (id: string) => (await readReplies(ranking, guild, [{ id }])).get(id) ?? 0;
  const id = await scene.post(poster);
  reply(reader, id);
  await expect.poll(() => membersOf(id)).toContain(reader);
  as(reader).send(id, 'Here I say more.');
  await scene.eventually(
    () => comments(id),
    (count) => count === 1,
    'one comment',
  );
});

test('a second reply begins nothing more, and who leaves a thread is not brought back', async () => {
  const id = await scene.post(poster);
  reply(reader, id);
  await expect.poll(() => membersOf(id)).toEqual(expect.arrayContaining([poster, reader]));
  thread(id)?.thread?.memberIds.delete(poster);
  const asked = () => scene.sandbox.requests.count('POST', /threads$/);
  const before = asked();
  reply(other, id);
  as(other).send(id, 'Here, then.');
  const next = await scene.post(poster);
  reply(reader, next);
  await expect.poll(() => membersOf(next)).toContain(reader);
  // Discord would refuse another thread.
  expect(asked() - before).toBe(1);
  expect(membersOf(id)).not.toContain(poster);
  expect(as(reader).messages(id)).toHaveLength(3);
});

test('the poster is in the thread that a member starts at their article, unless they opted out', async () => {
  const { store } = scene.bot;
  const [own, hidden] = [await scene.post(poster), await scene.post(other)];
  await setOptedOut(store, scene.sandbox.guildId, other, true);
  for (const from of [hidden, own]) as(reader).startThread(general, 'About it', { from });
  await expect.poll(() => membersOf(own)).toContain(poster);
  expect(membersOf(hidden)).toEqual([reader]);
  await setOptedOut(store, scene.sandbox.guildId, other, false);
});

test('a thread that the bot sees again is no new one: who left it is not brought back', async () => {
  const { bot, sandbox } = scene;
  const [left, begun] = [await scene.post(poster), await scene.post(poster)];
  as(reader).startThread(general, 'Left', { from: left });
  await expect.poll(() => membersOf(left)).toContain(poster);
  thread(left)?.thread?.memberIds.delete(poster);
  const told = { id: left, guild_id: sandbox.guildId, parent_id: general };
  bot.client.ws.emit('THREAD_CREATE', { ...told, type: ChannelType.PublicThread }, 0);
  as(reader).startThread(general, 'Begun', { from: begun });
  await expect.poll(() => membersOf(begun)).toContain(poster);
  await scene.settled();
  expect(membersOf(left)).not.toContain(poster);
});

test('a reply to something else begins no thread, nor does one where the server wants none', async () => {
  const id = await scene.post(poster);
  const said = as(reader).send(general, 'Something else.');
  reply(other, said.id);
  const { store, rules } = scene.bot;
  const guild = scene.sandbox.guildId;
  await store.redis.hset(storeKeys(store, guild).settings, 'discussion', 'false');
  await rules.refresh(guild);
  reply(reader, id);
  const started = await scene.post(poster);
  as(reader).startThread(general, 'By itself', { from: started });
  await expect.poll(() => membersOf(started)).toContain(poster);
  await store.redis.hdel(storeKeys(store, guild).settings, 'discussion');
  await rules.refresh(guild);
  const next = await scene.post(poster);
  reply(reader, next);
  await expect.poll(() => membersOf(next)).toContain(reader);
  expect([thread(id), thread(said.id)]).toEqual([undefined, undefined]);
  // Nor is anything asked about the thread that is not there.
  const asked = () => scene.sandbox.requests.recent.map(({ channelId }) => channelId);
  expect([asked().includes(id), asked().includes(next)]).toEqual([false, true]);
  expect(thread(next)?.type).toBe(ChannelType.PublicThread);
});

test('a server that has the bot keeps its choice when the default changes, and a new one gets threads with first replies', async () => {
  const { store } = scene.bot;
  const guild = scene.sandbox.guildId;
  const { settings } = storeKeys(store, guild);
  const chosen = async () => (await readSettings(store, guild)).discussion;
  expect(await chosen()).toBe('reply');
  await noteGuilds(store, [guild]);
  const voters = guildKeys(store, guild).voters(await scene.post(poster));
  await store.redis.sadd(voters, '1');
  await store.redis.persist(voters);
  await upgrades[3]!(store);
  // What nobody closes any more is swept.
  expect(await store.redis.ttl(voters)).toBeGreaterThan(0);
  await store.redis.srem(voters, '1');
  expect(await chosen()).toBe(false);
  await store.redis.hset(settings, 'discussion', 'true');
  await upgrades[3]!(store);
  expect(await chosen()).toBe(true);
});
