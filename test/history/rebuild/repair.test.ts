import { once } from 'node:events';
import { ChannelType, type NonThreadGuildBasedChannel } from 'discord.js';
import { changeChannel } from '../../../discord-box/src/world/channels/change-channel.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { articleMessage } from '../../../src/articles/messages/article-message.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { mayReadHistory } from '../../../src/discord/access/permissions.ts';
import { channelsOf, findArchived } from '../../../src/history/walk/channels.ts';
import { rebuildGuild } from '../../../src/history/rebuild/rebuild-guild.ts';
import { rebuildKind } from '../../../src/history/rebuild/rebuild-kind.ts';
import { mayLackArticles } from '../../../src/history/rebuild/may-lack-articles.ts';
import {
  beginRebuild,
  declareIncomplete,
  readRebuildState,
  readScanned,
  readUnread,
  writeScanned,
  writeUnread,
} from '../../../src/history/rebuild/stored-rebuilds.ts';
import { takeInRecent, takeInSoon } from '../../../src/history/rebuild/take-in-recent.ts';
import { type Held, isPlanned } from '../../../src/due/kind.ts';
import { deleteArticle, postArticle } from '../../../src/ranking/articles/articles.ts';
import { readPreviews } from '../../../src/ranking/articles/previews.ts';
import { readReplies } from '../../../src/ranking/articles/discussions.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { openRanking } from '../../../src/ranking/ranking.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { withLease } from '../../../src/redis/lease.ts';
import { sharedKeys, storeKeys } from '../../../src/redis/store-keys.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import type { Json } from '../../../discord-box/src/index.ts';
import { createMessage } from '../../../discord-box/src/world/messages/change-message.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { inconsistencies } from '../../ranking/consistency.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let guild: string;
let general: string;
let open: string;
let closed: string;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  guild = scene.sandbox.guildId;
  general = scene.sandbox.channels.general.id;
  const [a = '', b = ''] = scene.sandbox.members;
  open = await scene.post(scene.sandbox.admin);
  scene.react(a, open, '👍');
  scene.react(b, open, '👎');
  await scene.eventually(
    () => scene.article(open),
    (found) => found?.down === 1,
    'voted on',
  );
  closed = leave('closed');
  await declareIncomplete(scene.bot.store, guild);
  await scene.bot.due.plan(guild, 'rebuild', 0);
  await scene.whole();
  await rested();
});
afterAll(() => scene.stop());
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

let whole: Record<string, unknown>;
const redis = () => scene.redis.redis;
const keys = () => guildKeys(scene.sandbox, guild);
const of = () => storeKeys(scene.sandbox, guild);
const here = () => scene.bot.client.guilds.cache.get(guild)!;
let left = 0;

/** The bot's message of a closed article that its ranking never heard of. */
function leave(title: string, channelId = general, embeds: Json[] = []): string {
  left += 1;
  const { world, admin } = scene.sandbox;
  const channel = world.channels.get(channelId)!;
  const id = world.snowflake(scene.clock.now() - 20 * DAY_MS);
  const link = `https://left.example/${left}`;
  const votes = { up: 7, down: 2, closed: true, closesAtMs: scene.clock.now() };
  const marks = { interesting: false, locked: false, beside: false };
  const groups = [channel.thread ? (channel.parentId ?? '') : channelId];
  const content = articleMessage({ title, link, poster: admin, groups, ...votes, ...marks }, null);
  createMessage(world, channel, { id, authorId: world.application.botId, content, embeds });
  return id;
}
async function rested(): Promise<void> {
  await scene.bot.due.look();
  await scene.settled();
}
/** What is asked for at once has been done. */
async function checked(): Promise<void> {
  await scene.bot.due.plan(guild, 'check', 0);
  await scene.bot.due.look();
  await scene.whole();
  await rested();
}
const searched = (): Promise<unknown> =>
  scene.command(scene.sandbox.admin, 'search', { words: 'e' });
/** Somebody looks at something, and a minute passes. */
async function aMinuteOfUse(look = searched): Promise<void> {
  await look();
  await scene.pass(MINUTE_MS);
  await rested();
}
const fails = (path: string, status: number) => {
  ends.push(scene.sandbox.faults.add({ method: 'GET', path: new RegExp(path), status }));
};

/** Everything is as it was before a test damaged it. */
async function expectWhole(): Promise<void> {
  expect(await scene.dump()).toEqual(whole);
  expect(await inconsistencies(scene.bot.ranking, guild)).toEqual([]);
}

describe('damaged data', () => {
  beforeAll(async () => {
    whole = await scene.dump();
  });

  test('a damaged row is read again from Discord, and costs no other article its place meanwhile', async () => {
    await redis().hset(keys().articles, closed, '3 1 ol 30');
    expect(await scene.article(closed)).toBeNull();
    await scene.bot.due.plan(guild, 'check', 0);
    await scene.bot.due.look();
    expect(await scene.article(open)).toMatchObject({ up: 2, down: 1 });
    await checked();
    expect(await scene.article(closed)).toMatchObject({ up: 7, down: 2, closed: true });
    await expectWhole();
  });

  test('a damaged row is not deleted while another process rebuilds, which could have passed by its article', async () => {
    await redis().hset(keys().articles, closed, '3 1 ol 30');
    await withLease(scene.bot, { guild, work: 'rebuild' }, async () => {
      await scene.bot.due.now(guild, 'check');
      expect(await redis().hexists(keys().articles, closed)).toBe(1);
      expect(await readRebuildState(scene.bot.store, guild)).toMatchObject({ complete: true });
    });
    // It is tried again a minute later.
    await scene.pass(MINUTE_MS);
    await scene.whole();
    await rested();
    await expectWhole();
  });

  test('an article of which the lists alone are left is read again from Discord', async () => {
    await redis().hdel(keys().articles, closed);
    await redis().hdel(keys().texts, closed);
    await checked();
    expect(await scene.article(closed)).toMatchObject({ up: 7, down: 2, closed: true });
    await expectWhole();
  });

  test('a ranking that is not whole is rebuilt by the next check also where nothing was planned', async () => {
    await declareIncomplete(scene.bot.store, guild);
    await scene.bot.due.planAt(guild, 'rebuild', null);
    await scene.bot.due.plan(guild, 'check', 0);
    await scene.bot.due.look();
    expect(await readRebuildState(scene.bot.store, guild)).toMatchObject({ complete: true });
    await rested();
    await expectWhole();
  });

  test('evicted articles are read again, and the host is told what is lost, such as imports', async () => {
    await redis().sadd(of().imported, '1');
    await redis().del(keys().articles);
    const errors = vi.spyOn(scene.bot.log, 'error');
    await checked();
    expect(errors).toHaveBeenCalledWith(
      expect.objectContaining({ guild, isGone: true }),
      expect.stringContaining('imported articles have to be imported again'),
    );
    errors.mockRestore();
    expect(await redis().exists(of().imported)).toBe(0);
    await expectWhole();
  });

  test('a list of a wrong type is made again, and votes that were lost with it are counted at once', async () => {
    const voters = keys().voters(open);
    await redis().set(keys().score, 'not what it was');
    await redis().del(voters);
    await checked();
    expect(await redis().smembers(voters)).toHaveLength(2);
    await expectWhole();
  });

  test('what is due, where it is of a wrong type, is set aside at one look and planned anew at the next', async () => {
    const { due } = of();
    await redis().set(due, 'not what it was');
    scene.bot.due.wake(guild);
    await expect.poll(() => redis().get(`${due}:damaged`)).toBe('not what it was');
    scene.bot.due.wake(guild);
    await expect.poll(() => redis().type(due)).toBe('zset');
    await redis().del(`${due}:damaged`);
    // What was planned just before counts as planned for a minute.
    await scene.pass(2 * MINUTE_MS);
    await rested();
    await expectWhole();
  });

  test('a ★ threshold that is lost alone is there again', async () => {
    await redis().hdel(keys().articles, 'mark');
    await checked();
    expect(await redis().hexists(keys().articles, 'mark')).toBe(1);
    await expectWhole();
  });

  test('settings of a wrong type are set aside, and have their defaults at once', async () => {
    const { settings } = of();
    await writeSetting(scene.bot.store, guild, 'language', 'de');
    await scene.bot.rules.refresh(guild);
    const language = async () => (await scene.bot.rules.read(guild)).settings.language;
    expect(await language()).toBe('de');
    await redis().set(settings, 'not what it was');
    await checked();
    expect(await language()).toBeNull();
    expect(await redis().get(`${settings}:damaged`)).toBe('not what it was');
    await redis().del(`${settings}:damaged`);
    await expectWhole();
  });

  test('a list that is lost is there again within a minute of a look at the lists', async () => {
    await aMinuteOfUse();
    await redis().del(keys().time);
    await aMinuteOfUse();
    await scene.bot.due.look();
    await scene.whole();
    await rested();
    expect(await redis().zscore(keys().time, open)).not.toBeNull();
    await expectWhole();
  });

  test('a ranking of which it is lost that it was whole is read again within a minute of a look at the lists', async () => {
    await aMinuteOfUse();
    await redis().del(of().complete);
    await aMinuteOfUse();
    await scene.bot.due.look();
    await scene.whole();
    await rested();
    await expectWhole();
  });

  test.each<[string, () => Promise<unknown>]>([
    ['the lists', searched],
    ['an article', () => scene.article(open)],
  ])(
    'links that are lost from the index are found within a minute of a look at %s',
    async (_, look) => {
      const [link = ''] = await redis().hkeys(keys().links);
      // It knows by an earlier look how many there were.
      await aMinuteOfUse(look);
      await redis().hdel(keys().links, link);
      await aMinuteOfUse(look);
      await scene.bot.due.look();
      expect(await redis().hexists(keys().links, link)).toBe(1);
      await expectWhole();
    },
  );

  test('a key of a wrong type with which a rebuild begins is made again', async () => {
    await redis().set(keys().texts, 'not what it was');
    await redis().del(of().complete);
    await scene.bot.due.plan(guild, 'rebuild', 0);
    await scene.bot.due.look();
    scene.clock.move(MINUTE_MS);
    await scene.bot.due.look();
    await scene.whole();
    await rested();
    await expectWhole();
  });
});

const refuseThreads = () => Promise.reject(new Error('It is asked for threads.'));

describe('a rebuild', () => {
  test('a rebuild to which Discord shows nothing leaves the guild incomplete, and one failing channel is named and read later', async () => {
    const { rust } = scene.sandbox.channels;
    const id = leave('later', rust.id);
    await declareIncomplete(scene.bot.store, guild);
    fails('/messages$', 500);
    await expect(rebuildGuild(scene.bot, here(), {})).rejects.toThrow('Internal Server Error');
    expect(await readRebuildState(scene.bot.store, guild)).toMatchObject({ complete: false });
    ends.pop()!();
    fails(`${rust.id}/messages$`, 500);
    const outcome = await rebuildGuild(scene.bot, here(), {});
    expect(outcome).toMatchObject({ status: 'finished', unread: [rust.id] });
    expect(await scene.article(id)).toBeNull();
    ends.pop()!();
    await scene.bot.due.arrive(guild);
    await scene.bot.due.look();
    expect(await scene.article(id)).not.toBeNull();
    expect(await readUnread(scene.bot.store, guild)).toEqual([]);
  });

  test('a rebuild that is needed no more reads nothing', async () => {
    scene.sandbox.requests.reset();
    const outcome = await rebuildGuild(scene.bot, here(), { unlessComplete: true });
    expect(outcome).toEqual({ status: 'unneeded' });
    expect(scene.sandbox.requests.count('GET', /messages$/)).toBe(0);
    // One that was begun of some channels alone is ended.
    await scene.redis.redis.hset(of().rebuild, 'state', 'begun');
    await scene.bot.due.arrive(guild);
    await scene.bot.due.look();
    expect(await readRebuildState(scene.bot.store, guild)).toEqual({
      complete: true,
      begun: false,
    });
  });

  test('a rebuild names a thread that Discord refuses by itself, reads it when it has rested, and forgets what is gone', async () => {
    const { sandbox, bot } = scene;
    const { ai } = sandbox.channels;
    const admin = sandbox.as(sandbox.admin);
    const thread = admin.startThread(ai.id, 'Shut').id;
    const id = leave('in a thread', thread);
    await scene.settled();
    fails(`${thread}/messages$|${ai.id}/threads/archived`, 403);
    await writeUnread(bot.store, guild, ['1', '1/2']);
    await rebuildGuild(bot, here(), {});
    const unread = await readUnread(bot.store, guild);
    expect(unread.toSorted()).toEqual([`${ai.id}/threads`, `${ai.id}/${thread}`].toSorted());
    for (const end of ends.splice(0)) end();
    // The thread alone is not asked for before, nor forgotten.
    await writeUnread(bot.store, guild, [`${ai.id}/${thread}`]);
    await bot.due.plan(guild, 'rebuild', 0);
    await bot.due.look();
    expect(await scene.article(id)).toBeNull();
    await scene.pass(MINUTE_MS + 1000);
    await scene.settled();
    expect(await scene.article(id)).not.toBeNull();
    expect(await readUnread(bot.store, guild)).toEqual([]);
  });

  test('a rebuild does not try a channel that the bot may not read, and reads it as soon as the bot may', async () => {
    const { sandbox, bot } = scene;
    const { id: channel } = sandbox.operator.createChannel({ name: 'closed' });
    const id = leave('behind a door', channel);
    sandbox.operator.setPermissions({ channel, who: 'bot', deny: ['ReadMessageHistory'] });
    await scene.settled();
    await writeUnread(bot.store, guild, [channel]);
    await bot.due.plan(guild, 'rebuild', 0);
    await bot.due.look();
    expect(await readUnread(bot.store, guild)).toEqual([channel]);
    expect(await isPlanned(bot.store, guild, 'rebuild')).toBe(false);
    sandbox.operator.setPermissions({ channel, who: 'bot' });
    await scene.settled();
    await scene.eventually(() => scene.article(id), Boolean, 'read');
  });

  test('a rebuild names a channel for all that it could not read of it', async () => {
    const { ai } = scene.sandbox.channels;
    // One that was asked for before would hold the lease.
    await rested();
    const shut = `${ai.id}/1`;
    fails(`${ai.id}/messages$|${ai.id}/threads/archived`, 500);
    await writeUnread(scene.bot.store, guild, [shut]);
    await rebuildGuild(scene.bot, here(), {});
    expect(await readUnread(scene.bot.store, guild)).toEqual([ai.id]);
    await writeUnread(scene.bot.store, guild, []);
  });

  test('a rebuild names a channel that Discord does not know though the server has it, and no thread that is gone', async () => {
    const { sandbox, bot } = scene;
    const { id: lost } = sandbox.operator.createChannel({ name: 'lost' });
    const { id: thread } = sandbox.as(sandbox.admin).startThread(general, 'gone');
    await rested();
    const path = new RegExp(`/(${lost}|${thread})/messages$`);
    ends.push(scene.sandbox.faults.add({ method: 'GET', path, status: 404, code: 10003 }));
    const only = [lost, general];
    expect(await rebuildGuild(bot, here(), { only })).toMatchObject({ unread: [lost] });
    expect(await readUnread(bot.store, guild)).toEqual([lost]);
    for (const id of [lost, thread]) sandbox.operator.deleteChannel({ channel: id });
    await writeUnread(bot.store, guild, []);
  });

  test('a rebuild of some channels that were left is of all where the ranking was lost meanwhile', async () => {
    const { ai } = scene.sandbox.channels;
    await rested();
    const id = leave('elsewhere');
    const admin = scene.sandbox.as(scene.sandbox.admin);
    const { id: thread } = admin.startThread(general, 'Discussed', { from: id });
    for (const word of ['One.', 'Two.']) admin.send(thread, word);
    await rested();
    await beginRebuild(scene.bot.store, guild, scene.clock.now(), [ai.id]);
    await redis().del(of().complete);
    expect(await rebuildGuild(scene.bot, here(), {})).toMatchObject({ status: 'finished' });
    expect(await scene.article(id)).not.toBeNull();
    // Lists say what is said about it.
    expect(await readReplies(scene.bot.ranking, guild, [{ id }])).toEqual(new Map([[id, 2]]));
  });

  test('a rebuild gives an old article that never closed the votes of its reactions, and no channel that is gone', async () => {
    await rested();
    const { admin, members } = scene.sandbox;
    const marks = {
      interesting: false,
      locked: false,
      beside: false,
      closed: false,
      up: 0,
      down: 0,
    };
    const about = { title: 'Never closed', poster: admin, groups: [general, '1'] };
    const id = leave('Never closed');
    const link = 'https://left.example/never-closed';
    const closesAtMs = scene.clock.now() - DAY_MS;
    scene.message(id).content = articleMessage({ ...about, link, ...marks, closesAtMs }, null);
    const [a = '', b = '', c = ''] = members;
    scene.secretly(() => {
      for (const member of [a, b]) scene.react(member, id, '👍');
      scene.react(c, id, '👎');
    });
    await rebuildGuild(scene.bot, here(), { only: [general] });
    // The poster's vote is no reaction.
    const votes = { up: 3, down: 1, closed: true };
    expect(await scene.article(id)).toMatchObject({ ...votes, groups: [general] });
  });

  test('what waits for a whole ranking is done at the end of its rebuild: a recount, a check, what is to be erased, imported or taken in', async () => {
    await rested();
    const planned: string[] = [];
    const plan = async (_: string, row: string) => void planned.push(row);
    const recount = vi.fn<(id: string) => void>();
    const due = { ...scene.bot.due, plan };
    const kind = rebuildKind({ ...scene.bot, due, rebuilding: new Map(), recount });
    await redis().del(of().complete);
    const done = withLease(scene.bot, { guild, work: 'rebuild' }, async ({ write, signal }) => {
      const held = { guild, signal, write: (fields: never, key: never) => write(key, fields) };
      return { ...(await kind.run(held as unknown as Held)), status: 'run' as const };
    });
    expect(await done).toEqual({ status: 'run', atMs: null });
    expect(planned.toSorted()).toEqual(['check', 'erase', 'import', 'scan']);
    expect(recount).toHaveBeenCalledWith(guild);
  });

  test('a rebuild reads voice channels, and asks neither them for threads nor forums for messages', async () => {
    const { sandbox, bot } = scene;
    const { id: voice } = sandbox.operator.createChannel({ name: 'lounge', kind: 'voice' });
    await scene.settled();
    // Of a link whose page has another address.
    const found = { url: 'https://moved.example/', title: 'Moved', description: 'To there' };
    const id = leave('in a voice channel', voice, [found]);
    sandbox.requests.reset();
    const only = [voice, sandbox.channels.forum.id];
    expect(await rebuildGuild(bot, here(), { only })).toMatchObject({ unread: [] });
    expect(await scene.article(id)).not.toBeNull();
    const [preview] = await readPreviews(bot.ranking, guild, [id]);
    expect(preview).toEqual({ description: 'To there' });
    const asked = (route: RegExp) =>
      sandbox.requests.recent.filter((one) => route.test(one.route)).map((one) => one.channelId);
    expect(new Set(asked(/threads\/archived/))).toEqual(new Set([sandbox.channels.forum.id]));
    expect(new Set(asked(/messages$/))).toEqual(new Set([voice]));
    // Stage and media channels are such, too.
    const place = here().channels.cache.get(voice)! as NonThreadGuildBasedChannel;
    const of = (type: ChannelType) =>
      Object.create(place, { type: { value: type } }) as NonThreadGuildBasedChannel;
    const stage = of(ChannelType.GuildStageVoice);
    const none = { channels: [], unread: [] };
    expect(await findArchived({ ...bot.requests, get: refuseThreads }, [stage], 0)).toEqual(none);
    expect(channelsOf([stage, of(ChannelType.GuildMedia)])).toHaveLength(1);
  });

  test('a rebuild names a channel whose history the bot may no longer read before its end', async () => {
    const { sandbox, bot } = scene;
    const { id: channel } = sandbox.operator.createChannel({ name: 'shut-meanwhile' });
    leave('read before', channel);
    await rested();
    // The second page is behind the first, of which nothing is recent.
    const path = new RegExp(`${channel}/messages$`);
    const page = sandbox.faults.hold({ method: 'GET', path, after: 1 });
    const rebuilding = rebuildGuild(bot, here(), { only: [channel] });
    await scene.eventually(() => page.isHeld(), Boolean, 'read');
    sandbox.operator.setPermissions({ channel, who: 'bot', deny: ['ReadMessageHistory'] });
    const mayRead = () => mayReadHistory(here().channels.cache.get(channel)!);
    await scene.eventually(mayRead, (may) => !may, 'told');
    page.letGo();
    expect(await rebuilding).toMatchObject({ unread: [channel] });
    expect(await readUnread(bot.store, guild)).toContain(channel);
    sandbox.operator.deleteChannel({ channel });
    await rested();
    await writeUnread(bot.store, guild, []);
  });

  test('a rebuild of some channels leaves it as it was until when all were searched for what was not committed', async () => {
    const { bot, clock } = scene;
    await rested();
    const before = clock.now() - HOUR_MS;
    await writeScanned(bot.store, guild, before);
    await rebuildGuild(bot, here(), { only: [general] });
    expect(await readScanned(bot.store, guild)).toBe(before);
    await rebuildGuild(bot, here(), {});
    expect(await readScanned(bot.store, guild)).toBeGreaterThan(before);
  });

  test('a rebuild names a thread that one message alone names and that Discord fails to show, and reads it later', async () => {
    const { sandbox, bot } = scene;
    const admin = sandbox.as(sandbox.admin);
    const { id: news } = sandbox.operator.createChannel({ name: 'news' });
    const { id: thread } = admin.startThread(news, 'Named once');
    const id = leave('named once', thread);
    admin.archive(thread, true);
    // Discord lists archived threads of the channel's present type alone.
    const place = sandbox.world.channels.get(news)!;
    changeChannel(sandbox.world, place, { type: ChannelType.GuildAnnouncement });
    await scene.settled();
    fails(`/channels/${thread}$`, 500);
    const unread = [`${news}/${thread}`];
    expect(await rebuildGuild(bot, here(), { only: [news] })).toMatchObject({ unread });
    expect(await readUnread(bot.store, guild)).toEqual(unread);
    ends.pop()!();
    expect(await rebuildGuild(bot, here(), { only: [news] })).toMatchObject({ unread: [] });
    expect(await scene.article(id)).toMatchObject({ home: news, channel: thread });
    // One that it refuses to show is private.
    fails(`/channels/${thread}$`, 403);
    expect(await rebuildGuild(bot, here(), { only: [news] })).toMatchObject({ unread: [] });
    await rested();
  });

  test('a rebuild reads a thread that grew from a message of a channel that was converted since', async () => {
    const { sandbox, bot } = scene;
    const as = sandbox.as(sandbox.admin);
    const { id: news } = sandbox.operator.createChannel({ name: 'news-again' });
    const { id: from } = as.send(news, 'About it');
    const { id: thread } = as.startThread(news, 'Grown', { from });
    const id = leave('in what grew', thread);
    as.archive(thread, true);
    const place = sandbox.world.channels.get(news)!;
    changeChannel(sandbox.world, place, { type: ChannelType.GuildAnnouncement });
    await scene.settled();
    expect(await rebuildGuild(bot, here(), { only: [news] })).toMatchObject({ unread: [] });
    expect(await scene.article(id)).toMatchObject({ home: news, channel: thread });
    await rested();
  });

  test('a rebuild finds more archived threads than Discord lists at once, also where two were archived in one millisecond', async () => {
    const { bot, sandbox } = scene;
    const group = here().channels.cache.get(general) as NonThreadGuildBasedChannel;
    const first = scene.clock.now();
    const all = Array.from({ length: 101 }, (_, at) => ({
      id: sandbox.world.snowflake(first + at),
      type: ChannelType.PublicThread,
      parent_id: general,
      // The last of the first page and the first of the second.
      thread_metadata: { archive_timestamp: new Date(first - Math.min(at, 99)).toISOString() },
    }));
    const get = async (_: unknown, __: unknown, { before = '9' }: { before?: string } = {}) => {
      const isBefore = (one: (typeof all)[number]) =>
        one.thread_metadata.archive_timestamp < before;
      return { threads: all.filter(isBefore).slice(0, 100), members: [], has_more: false };
    };
    const found = await findArchived({ ...bot.requests, get }, [group], 0);
    expect(found.channels).toHaveLength(101);
  });

  test('lists say that articles may be missing while the newest messages are read, or where there is already one', async () => {
    const says = (phase: 'recent' | 'older', articles: number, isEmpty = false) => {
      const rebuilding = new Map([[guild, { phase, articles, done: 0, channels: 1 }]]);
      return mayLackArticles({ rebuilding, store: scene.bot.store }, guild, isEmpty);
    };
    expect(await Promise.all([says('recent', 0), says('older', 1)])).toEqual([true, true]);
    expect(await says('older', 0, true)).toBe(false);
    const idle = (isEmpty: boolean) =>
      mayLackArticles({ rebuilding: new Map(), store: scene.bot.store }, guild, isEmpty);
    expect(await idle(true)).toBe(false);
    await scene.redis.redis.rename(of().complete, `${of().complete}-before`);
    expect([await idle(true), await idle(false)]).toEqual([true, false]);
    const [newcomer = ''] = scene.crowd(1);
    const { id: channel } = scene.sandbox.operator.createChannel({ name: 'empty' });
    await scene.settled();
    const lists: [words: string, values: Record<string, string>][] = [
      ['top', { channel }],
      ['me articles', {}],
      ['search', { words: 'nowhere' }],
    ];
    const said = async () => {
      const answers = lists.map(([words, values]) => scene.command(newcomer, words, values));
      return (await Promise.all(answers)).map(({ message }) => message?.content);
    };
    expect(await said()).toEqual(lists.map(() => translate('en', 'rebuild.gappy')));
    await scene.redis.redis.rename(`${of().complete}-before`, of().complete);
    expect(await said()).toEqual(lists.map(() => ''));
  });
});

/** The bot's message of an article that is open, such as of a process that died before it committed it. */
function sent(channelId: string): string {
  left += 1;
  const { world, admin } = scene.sandbox;
  const channel = world.channels.get(channelId)!;
  const id = world.snowflake(scene.clock.now());
  const groups = [channel.thread ? (channel.parentId ?? '') : channelId];
  const marks = {
    interesting: false,
    locked: false,
    beside: false,
    closed: false,
    up: 0,
    down: 0,
  };
  const about = { title: 'Sent', link: `https://left.example/${left}`, poster: admin, groups };
  const closesAtMs = scene.clock.now() + DAY_MS;
  const content = articleMessage({ ...about, ...marks, closesAtMs }, null);
  createMessage(world, channel, { id, authorId: world.application.botId, content });
  return id;
}

describe('a message that was sent and not committed', () => {
  test('a message that was sent and not committed is taken in with its votes, in an open thread too', async () => {
    const { sandbox, bot, clock } = scene;
    const { id: thread } = sandbox.as(sandbox.admin).startThread(general, 'Open');
    const [first, second] = [sent(general), sent(thread)];
    scene.secretly(() => scene.react(sandbox.members[2] ?? '', first, '👍'));
    await scene.settled();
    const before = clock.now();
    clock.move(MINUTE_MS);
    expect(await takeInRecent(bot, here())).toBe(2);
    expect(await scene.article(first)).toMatchObject({ up: 2, closed: false });
    expect(await scene.article(second)).toMatchObject({ channel: thread, home: general });
    expect(await readScanned(bot.store, guild)).toBeGreaterThan(before);
  });

  test('a message that is being posted just then is not the one that is looked for', async () => {
    const { bot, sandbox } = scene;
    const id = sent(general);
    const link = `https://left.example/${left}`;
    const about = { title: 'Sent', link, linkName: link, poster: sandbox.admin };
    const pendingPosts: typeof bot.pendingPosts = {
      ...bot.pendingPosts,
      // Who posts it commits it.
      underWay: async (channel) =>
        channel === general &&
        postArticle(bot.ranking, { guild, id, ...about, home: general, listed: true }),
    };
    expect(await takeInRecent({ ...bot, pendingPosts }, here())).toBe(0);
    expect(await scene.article(id)).not.toBeNull();
  });

  test('a message that was sent and not committed is taken in also after other channels were rebuilt', async () => {
    const { bot, clock, sandbox } = scene;
    const id = sent(general);
    const before = await readScanned(bot.store, guild);
    clock.move(10 * MINUTE_MS);
    await rebuildGuild(bot, here(), { only: [sandbox.channels.rust.id] });
    expect(await readScanned(bot.store, guild)).toBe(before);
    expect(await takeInRecent(bot, here())).toBe(1);
    expect(await scene.article(id)).not.toBeNull();
  });

  test('a message that was sent and not committed is looked for again where Discord failed to show its channel', async () => {
    const { bot, clock } = scene;
    const id = sent(general);
    const scanned = await readScanned(bot.store, guild);
    clock.move(MINUTE_MS);
    fails(`${general}/messages$`, 500);
    await expect(takeInRecent(bot, here())).rejects.toThrow('Internal Server Error');
    expect(await readScanned(bot.store, guild)).toBe(scanned);
    ends.pop()!();
    expect(await takeInRecent(bot, here())).toBe(1);
    expect(await scene.article(id)).not.toBeNull();
  });

  test('a message that was sent and not committed is looked for five times within two minutes, until it is found', async () => {
    const { bot, clock } = scene;
    const sinceMs = clock.now();
    const row = `scan:${sinceMs}`;
    const planned = async () => (await redis().zscore(of().due, row)) ?? null;
    const looks = async () => {
      const times: number[] = [];
      for (let at = await planned(); at !== null; at = await planned()) {
        times.push(Number(at) - sinceMs);
        clock.move(Number(at) - clock.now());
        await bot.due.look();
      }
      return times;
    };
    await bot.due.plan(guild, row, sinceMs + 5000);
    expect(await looks()).toEqual([5000, 20_000, 40_000, 65_000, 125_000]);
    sent(general);
    await bot.due.plan(guild, row, clock.now());
    expect(await looks()).toHaveLength(1);
  });
});

test('a message that was not committed is looked for later where Redis takes no plan now, and not where the plan is wrong', async () => {
  const { clock } = scene.bot;
  const stopping = new AbortController();
  const away = vi.fn<() => Promise<void>>().mockRejectedValue(new Error('Connection is closed.'));
  const needs = (plan: () => Promise<void>) => {
    const due = { ...scene.bot.due, plan };
    return { due, clock, stopping: stopping.signal };
  };
  const wrong = vi.fn<() => Promise<void>>().mockRejectedValue(new RangeError('No such row.'));
  const looks = [away, wrong].map((plan) => takeInSoon(needs(plan), guild));
  const ended = Promise.allSettled(looks);
  await expect.poll(() => [away, wrong].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
  // The first waits for its next try.
  stopping.abort();
  expect(await ended).toMatchObject([
    { reason: { name: 'AbortError' } },
    { reason: { message: 'No such row.' } },
  ]);
});

/** The bot's connection breaks, and is there again. */
async function reconnected(): Promise<void> {
  const { redis: connection } = scene.bot.store;
  const ready = once(connection, 'ready');
  await redis().call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await ready;
}

describe('what Redis lost in a failover', () => {
  test('what is due each night and was lost is due again as soon as Redis is back', async () => {
    await redis().zrem(of().due, 'night');
    await reconnected();
    await expect.poll(() => redis().zscore(of().due, 'night')).not.toBeNull();
  });

  test('what Redis lost in a failover is read again from Discord at once, with its votes, before anybody posts', async () => {
    const { sandbox, bot } = scene;
    const id = await scene.post(sandbox.admin);
    await scene.vote(sandbox.members[0] ?? '', id);
    const [again, voted] = [await scene.post(sandbox.admin), await scene.post(sandbox.admin)];
    await rested();
    // A vote that is lost is one that nobody heard of.
    scene.secretly(() => scene.react(sandbox.members[1] ?? '', voted, '👍'));
    // As nobody in this process did it. Of the other one, it is the end of a removal that is lost.
    const { applicationId } = bot.store;
    const ranking = openRanking({ redis: redis(), applicationId });
    await deleteArticle(ranking, guild, id);
    await removeArticle(ranking, guild, again, scene.clock.now());
    await redis().zrem(of().due, `show:${again}`);
    for (const one of [id, again]) expect(await scene.article(one)).toBeNull();
    // The replica that took over was minutes behind.
    scene.clock.move(5 * MINUTE_MS);
    const { dataSet } = sharedKeys(bot.store);
    await redis().hset(dataSet, 'seen', scene.clock.now() - 6 * MINUTE_MS);
    await reconnected();
    await bot.takenIn(guild);
    for (const one of [id, again]) expect(await scene.article(one)).not.toBeNull();
    await scene.expectTally(id, 2, 0);
    await scene.expectTally(voted, 2, 0);
  });
});
