import { type APIMessage, Routes } from 'discord.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { deleteMessages } from '../../../discord-box/src/world/messages/change-message.ts';
import { isImported } from '../../../src/articles/imported.ts';
import { memberSubject } from '../../../src/community/block-subject.ts';
import { writeBlock, zBlock } from '../../../src/community/blocks.ts';
import { setOptedOut } from '../../../src/community/opted-out.ts';
import { groupOf } from '../../../src/discord/access/visibility.ts';
import { noteErased } from '../../../src/community/erasures.ts';
import { importMessage } from '../../../src/history/import/import-message.ts';
import type { Watch } from '../../../src/votes/seen-reactions.ts';
import { correctVotes } from '../../../src/history/import/imported-votes.ts';
import { runImport } from '../../../src/history/import/run-import.ts';
import { setPhase } from '../../../src/history/import/stored-imports.ts';
import { readPreviews } from '../../../src/ranking/articles/previews.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { setSetting } from '../../fixtures/set-setting.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { readScale, setScale } from '../../../src/ranking/articles/mark.ts';
import { rebuildGuild } from '../../../src/history/rebuild/rebuild-guild.ts';
import { readUnread, writeUnread } from '../../../src/history/rebuild/stored-rebuilds.ts';
import { withLease } from '../../../src/redis/lease.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';

let scene: ImportScene;
let guildId: string;
let channel: string;
let times = 0;
const complete = () => storeKeys(scene.bot.store, guildId).complete;
beforeAll(async () => {
  scene = await startImportScene();
  guildId = scene.sandbox.guildId;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  times += 1;
  await scene.bot.store.redis.set(complete(), 0);
  const { operator } = scene.sandbox;
  channel = operator.createChannel({ guild: guildId, name: `again-${times}` }).id;
  const { client } = scene.bot;
  await scene.eventually(() => client.channels.cache.has(channel), Boolean, 'known to the bot');
});

test('an import that was undone can be made again', async () => {
  const id = scene.say(channel, { content: 'https://again.example/undone' });
  await scene.importAll(channel);
  // With so many old votes a ★ would take more than the server ever has.
  await setScale(scene.bot.ranking, guildId, { mark: 2000 });
  await scene.control('undo');
  await scene.phase('undone');
  expect(await scene.article(id)).toBeNull();
  expect((await readScale(scene.bot.ranking, guildId)).mark).toBeLessThan(2000);
  expect(await isImported(scene.bot.store, guildId, id)).toBe(false);
  const { bot } = scene;
  const guild = bot.client.guilds.cache.get(guildId)!;
  const { plan } = (await bot.imports.read(guildId))!;
  const { admin: by, channels } = scene.sandbox;
  // The undoing holds the lease a moment longer, for its message.
  const begin = () => bot.imports.begin(guild, { plan, by, channel: channels.general.id });
  await expect.poll(begin).toEqual({ status: 'begun' });
  await scene.phase('finished');
  expect(await scene.article(id)).not.toBeNull();
});

test('an import that is undone takes nothing along that an earlier one took in', async () => {
  const earlier = scene.say(channel, { content: 'https://again.example/earlier', daysAgo: 40 });
  await scene.importAll(channel);
  const later = scene.say(channel, { content: 'https://again.example/later', daysAgo: 20 });
  await scene.importAll(channel, { after: '30d' });
  expect(await scene.article(later)).not.toBeNull();
  await scene.control('undo');
  await scene.phase('undone');
  expect(await scene.article(later)).toBeNull();
  expect(await scene.article(earlier)).not.toBeNull();
});

test('an article of a member’s message that nobody noted as imported is noted by the next import', async () => {
  const { bot } = scene;
  const id = scene.say(channel, { content: 'https://again.example/known' });
  await scene.importAll(channel);
  await bot.store.redis.del(storeKeys(bot.store, guildId).imported);
  await bot.store.redis.del(storeKeys(bot.store, guildId).importMade);
  await scene.importAll(channel);
  expect(await isImported(bot.store, guildId, id)).toBe(true);
});

test('an import counts no reaction of a member who opted out or may not vote, as long as a block holds', async () => {
  const { store, rules } = scene.bot;
  const [out = '', blocked = '', other = '', admin = ''] = scene.sandbox.members.slice(2);
  const [silent = ''] = scene.crowd(1);
  const block = async (member: string, untilMs: number | null, voting = true) => {
    const subject = memberSubject(member);
    const all = { voting, posting: true, by: admin, untilMs };
    await writeBlock(store, guildId, { subject, ...zBlock.parse(all) });
    await rules.refresh(guildId, { block: subject });
  };
  await setOptedOut(store, guildId, out, true);
  await rules.refresh(guildId, { member: out });
  await block(blocked, null);
  await block(other, 1000);
  // Who may not post may still vote.
  await block(silent, null, false);
  const content = 'https://again.example/out';
  const id = scene.say(channel, { content, by: admin, up: [out, blocked, other, silent] });
  const refused = scene.say(channel, {
    content: `${content}/down`,
    by: admin,
    down: [out, blocked],
  });
  const ended = scene.say(channel, { content: 'https://again.example/ended', by: other });
  await scene.importAll(channel);
  await scene.counted();
  expect(await scene.article(id)).toMatchObject({ up: 3 });
  expect(await scene.article(refused)).toMatchObject({ up: 1, down: 0 });
  expect(await scene.article(ended)).not.toBeNull();
  await setOptedOut(store, guildId, out, false);
  await rules.refresh(guildId, { member: out });
  for (const member of [blocked, other, silent]) await block(member, 1000);
});

test.each([
  ['are gone', 404, 10_003],
  ['may not be read', 403, 50_001],
])(
  'an import whose lists %s asks for them a few times at most, and keeps the counts of the messages',
  async (_, status, code) => {
    const { faults, requests } = scene.sandbox;
    const up = scene.crowd(2);
    const id = scene.say(channel, { content: `https://again.example/unread/${code}`, up });
    const route = /reactions/;
    const end = faults.add({ method: 'GET', route, status, code });
    const before = requests.count('GET', route);
    await scene.importAll(channel);
    await scene.counted();
    end();
    expect(await scene.tally(id)).toEqual([3, 0]);
    // Twice, and once more where the report's best are looked at in the same moment.
    expect(requests.count('GET', route) - before).toBeLessThanOrEqual(4);
  },
);

test('of two messages in two channels with one link the earlier one is the article, whichever is read first', async () => {
  const { bot } = scene;
  const needs = { ...bot, isComplete: async () => true };
  const other = scene.sandbox.channels.rust.id;
  for (const first of [0, 1]) {
    const content = `https://again.example/side-by-side/${first}`;
    const said = [
      [channel, scene.say(channel, { content, daysAgo: 40 })],
      [other, scene.say(other, { content, daysAgo: 20 })],
    ] as const;
    const read = await Promise.all(
      said.map(async ([place, id]) => {
        const found = bot.client.guilds.cache.get(guildId)!.channels.cache.get(place)!;
        const message = (await bot.client.rest.get(Routes.channelMessage(place, id))) as APIMessage;
        return () => importMessage(needs, groupOf(found)!, message, bot.seen.watch(id));
      }),
    );
    const inOrder = first === 0 ? read : read.toReversed();
    await Promise.all(inOrder.map((take) => take()));
    const [earlier, later] = await Promise.all(said.map(([, id]) => scene.article(id)));
    expect([earlier !== null, later !== null]).toEqual([true, false]);
  }
});

test('an article that gave way to an earlier message comes back when that one is gone', async () => {
  const { bot } = scene;
  const content = 'https://again.example/first';
  const later = scene.say(channel, { content, daysAgo: 20 });
  await scene.importAll(channel);
  const earlier = scene.say(channel, { content, daysAgo: 40 });
  await scene.importAll(channel);
  expect(await scene.article(later)).toBeNull();
  await deleteArticle(bot.ranking, guildId, earlier);
  const { world } = scene.sandbox;
  deleteMessages(world, world.channels.get(channel)!, [earlier]);
  await scene.importAll(channel);
  expect(await scene.article(later)).not.toBeNull();
});

test('an imported article whose message is gone when its lists are read goes too', async () => {
  const { bot } = scene;
  const { world, members } = scene.sandbox;
  const id = scene.say(channel, { content: 'https://again.example/gone', up: [members[2] ?? ''] });
  await scene.importAll(channel);
  await scene.counted();
  expect(await scene.article(id)).not.toBeNull();
  scene.secretly(() => deleteMessages(world, world.channels.get(channel)!, [id]));
  await correctVotes({ ...bot, isComplete: async () => true }, guildId, id);
  expect(await scene.article(id)).toBeNull();
  // Also where Discord says so of the lists alone, and of the last try.
  const late = scene.say(channel, { content: 'https://again.example/late', up: scene.crowd(1) });
  const fault = { method: 'GET', path: new RegExp(`${late}/reactions`), status: 404, code: 10008 };
  const end = scene.sandbox.faults.add(fault);
  await scene.importAll(channel);
  await scene.counted();
  end();
  expect(await scene.article(late)).toBeNull();
});

test('an earlier message of who is blocked takes no article away from a later one with its link', async () => {
  const { bot } = scene;
  const [blocked = '', other = ''] = scene.crowd(2);
  const subject = memberSubject(blocked);
  const block = zBlock.parse({ posting: true, by: other, untilMs: null });
  await writeBlock(bot.store, guildId, { subject, ...block });
  await bot.rules.refresh(guildId, { block: subject });
  const content = 'https://again.example/wanted';
  const later = scene.say(channel, { content, by: other });
  await scene.importAll(channel);
  const id = scene.say(channel, { content, by: blocked, daysAgo: 200 });
  const message = (await bot.client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
  const group = groupOf(bot.client.guilds.cache.get(guildId)!.channels.cache.get(channel)!)!;
  const needs = { ...bot, isComplete: async () => true };
  expect(await importMessage(needs, group, message, bot.seen.watch(id))).toBe('unwanted');
  expect(await scene.article(later)).toMatchObject({ poster: other });
});

test('an import takes in nothing again that its poster had erased since', async () => {
  const { store, clock } = scene.bot;
  const [poster = '', other = ''] = scene.crowd(2);
  const content = 'https://again.example/erased';
  const erased = scene.say(channel, { content, by: poster });
  const left = scene.say(channel, { content: `${content}/not`, by: other });
  await noteErased(store, guildId, poster, clock.now());
  await scene.importAll(channel);
  expect(await scene.article(left)).not.toBeNull();
  expect(await scene.article(erased)).toBeNull();
});

test('what its poster has erased while an import takes it in is no article', async () => {
  const { bot } = scene;
  const [poster = ''] = scene.crowd(1);
  const group = groupOf(bot.client.guilds.cache.get(guildId)!.channels.cache.get(channel)!)!;
  const id = scene.say(channel, { content: 'https://again.example/amid/erased', by: poster });
  const message = (await bot.client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
  const listing: typeof bot.listing = {
    ...bot.listing,
    async write(places, write) {
      await noteErased(bot.store, guildId, poster, bot.clock.now());
      return bot.listing.write(places, write);
    },
  };
  const needs = { ...bot, listing, isComplete: async () => true };
  expect(await importMessage(needs, group, message, bot.seen.watch(id))).toBe('unwanted');
  expect(await scene.article(id)).toBeNull();
});

test('what an import takes in while its channel is closed to others stands in no public list', async () => {
  const { bot, sandbox } = scene;
  const guild = bot.client.guilds.cache.get(guildId)!;
  const group = groupOf(guild.channels.cache.get(channel)!)!;
  const id = scene.say(channel, { content: 'https://again.example/amid/closed' });
  const message = (await bot.client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
  const isOpen = () => group.permissionsFor(guild.roles.everyone).has('ViewChannel');
  const listing: typeof bot.listing = {
    ...bot.listing,
    write: (places, write) =>
      bot.listing.write(places, async (listed) => {
        sandbox.operator.setPermissions({ channel, who: guildId, deny: ['ViewChannel'] });
        await expect.poll(isOpen).toBe(false);
        return write(listed);
      }),
  };
  const needs = { ...bot, listing, isComplete: async () => true };
  expect(await importMessage(needs, group, message, bot.seen.watch(id))).toBe('linked');
  expect(await scene.article(id)).toMatchObject({ listed: false });
  sandbox.operator.setPermissions({ channel, who: guildId });
  await expect.poll(isOpen).toBe(true);
});

test('what Discord found of a link is imported without words that the guild blocks', async () => {
  await scene.command(scene.sandbox.admin, 'mod block', { words: 'jackpot' });
  const take = async (name: string, description: string) => {
    const url = `https://again.example/found/${name}`;
    const embeds = [{ type: 'rich', url, title: name, description }];
    return scene.say(channel, { content: url, embeds });
  };
  const clean = await take('clean', 'A story');
  const loud = await take('loud', 'Win the jackpot');
  await scene.importAll(channel);
  const previews = await readPreviews(scene.bot.ranking, guildId, [clean, loud]);
  expect(previews.map((one) => one?.description)).toEqual(['A story', undefined]);
  // A title that Discord found gives way to the address, which stays as hidden as the title was; one that a member wrote is theirs.
  const url = 'https://again.example/titled';
  const titled = (name: string, content: string) => {
    const embeds = [{ type: 'rich', url: `${url}/${name}`, title: 'Jackpot!' }];
    return scene.say(channel, { content, embeds });
  };
  const found = titled('found', `${url}/found`);
  const spoiler = titled('spoiler', `||${url}/spoiler||`);
  const written = titled('written', `[Jackpot today](${url}/written)`);
  await scene.importAll(channel);
  expect((await scene.article(found))?.title).toBe('again.example/titled/found');
  expect((await scene.article(spoiler))?.title).toBe('||again.example/titled/spoiler||');
  expect(await scene.article(written)).toBeNull();
  await scene.command(scene.sandbox.admin, 'mod unblock', { words: 'jackpot' });
});

test('a channel that is taken out of those for links while its import waits is not imported', async () => {
  const { bot } = scene;
  const { admin: by, channels } = scene.sandbox;
  const id = scene.say(channel, { content: 'https://again.example/no-group' });
  await setSetting(scene.sandbox, 'no-groups', [channel]);
  const untilMs = bot.clock.now();
  const plan = { channels: [channel], fromMs: untilMs - 90 * DAY_MS, untilMs };
  const guild = bot.client.guilds.cache.get(guildId)!;
  const begin = () => bot.imports.begin(guild, { plan, by, channel: channels.general.id });
  await expect.poll(begin).toEqual({ status: 'begun' });
  await scene.phase('finished');
  expect(await scene.article(id)).toBeNull();
  await setSetting(scene.sandbox, 'no-groups', []);
});

test('a message that is deleted, or cleared of its reactions, while an import takes it in is no article', async () => {
  const { bot } = scene;
  const guild = bot.client.guilds.cache.get(guildId)!;
  const group = groupOf(guild.channels.cache.get(channel)!)!;
  const needs = { ...bot, isComplete: async () => true };
  const takeIn = async (name: string, meanwhile: (id: string) => Watch) => {
    const id = scene.say(channel, { content: `https://again.example/amid/${name}` });
    const message = (await bot.client.rest.get(Routes.channelMessage(channel, id))) as APIMessage;
    const watch = meanwhile(id);
    const fate = await importMessage(needs, group, message, watch);
    watch.end();
    return [fate, (await scene.article(id)) !== null, await isImported(bot.store, guildId, id)];
  };
  const hear = (kind: 'removal' | 'clear', id: string) =>
    bot.seen.hear({ kind, guild: guildId, channel, article: id, atMs: bot.clock.now() });
  const watched = (kind: 'removal' | 'clear') => (id: string) => {
    const watch = bot.seen.watch(id);
    hear(kind, id);
    return watch;
  };
  // Before anybody looked.
  const before = (id: string) => {
    hear('removal', id);
    return bot.seen.watch(id);
  };
  expect(await takeIn('before', before)).toEqual(['unreadable', false, false]);
  // Another import tries again.
  expect(await takeIn('cleared', watched('clear'))).toEqual(['unreadable', false, false]);
  expect(await takeIn('there', (id) => bot.seen.watch(id))).toEqual(['linked', true, true]);
});

test('an import waits while the ranking is not whole, since duplicates cannot be recognized', async () => {
  const { bot } = scene;
  const id = scene.say(channel, { content: 'https://again.example/waits' });
  await scene.importAll(channel);
  await deleteArticle(bot.ranking, guildId, id);
  await bot.store.redis.del(storeKeys(bot.store, guildId).imported);
  const guild = bot.client.guilds.cache.get(guildId)!;
  const needs = { ...bot, isComplete: async () => false };
  const work = { guild: guildId, work: 'import' };
  // The bot's own import holds the lease a moment longer than its phase says.
  await expect.poll(() => withLease(needs, work, async () => 'free')).toBe('free');
  await setPhase(bot.store, guildId, ['finished'], 'running');
  const tried = withLease(needs, work, (held) => runImport(needs, guild, held));
  expect(await tried).toEqual({ status: 'waits' });
  await setPhase(bot.store, guildId, ['running'], 'stopped');
});

test('a channel that could not be read stays to be read when a rebuild reads another one alone', async () => {
  const { bot, sandbox } = scene;
  const { ai } = sandbox.channels;
  await writeUnread(bot.store, guildId, [ai.id]);
  const guild = bot.client.guilds.cache.get(guildId)!;
  await rebuildGuild(bot, guild, { only: [channel] });
  expect(await readUnread(bot.store, guildId)).toEqual([ai.id]);
  await rebuildGuild(bot, guild, { only: [ai.id] });
  expect(await readUnread(bot.store, guildId)).toEqual([]);
});

test('an import is undone within a day, and not later', async () => {
  const { bot, clock } = scene;
  const id = scene.say(channel, { content: 'https://again.example/for-good' });
  await scene.importAll(channel);
  clock.move(DAY_MS);
  const guild = bot.client.guilds.cache.get(guildId)!;
  expect(await bot.imports.change(guild, 'undo')).toEqual({ status: 'stale' });
  expect(await scene.article(id)).not.toBeNull();
});
