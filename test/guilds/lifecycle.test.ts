import { PermissionsBitField, ShardClientUtil } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../src/runtime/clock.ts';
import { addMember, changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { changeChannel } from '../../discord-box/src/world/channels/change-channel.ts';
import { createGuild } from '../../discord-box/src/world/guilds/change-guild.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { guildTag, sharedKeys, storeKeys } from '../../src/redis/store-keys.ts';
import { eraseMember, finishErasing } from '../../src/privacy/member-data.ts';
import { readDue } from '../digests/due-digests.ts';
import { beginSession, forgetLeft, noteLeft } from '../../src/guilds/membership.ts';
import {
  forgetGuild,
  noteGuilds,
  noteLeaving,
  readGuilds,
  readLeft,
} from '../../src/community/known-guilds.ts';
import { recountGuild } from '../../src/votes/recount/recount-guild.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let guild: string;
let members: string[];
let article: string;
let links = 0;

beforeAll(async () => {
  scene = await startScene({ follows: true });
  general = scene.sandbox.channels.general.id;
  guild = scene.sandbox.guildId;
  members = scene.sandbox.members;
  // The recount after the start would do some tests' work.
  await scene.settled();
});
afterAll(() => scene.stop());
beforeEach(async () => {
  links += 1;
  article = await scene.post(scene.sandbox.admin, {
    channel: general,
    link: `https://news.example/${links}`,
  });
});

const mine = () =>
  [...scene.message(article).reactions.values()]
    .filter(({ normal }) => normal.has(scene.sandbox.world.application.botId))
    .map(({ emoji }) => emoji.name)
    .sort();
const say = (words: string, given = {}) =>
  scene.sandbox.as(scene.sandbox.admin).command(general, words, given);
const leaving = () => readLeft(scene.bot.store, Number.MAX_SAFE_INTEGER);
const keysOfGuild = async () => {
  const keys = await scene.redis.redis.keys('*');
  return keys.filter((key) => key.startsWith(guildTag(scene.sandbox.applicationId, guild)));
};
const isLeaving = () => expect.poll(leaving).toEqual([guild]);
const isHere = () => expect.poll(leaving).toEqual([]);

describe('reactions that are cleared', () => {
  test('all at once are retracted, and the bot’s own come back', async () => {
    const { operator, admin } = scene.sandbox;
    // A member's first article has no 👎 of the bot.
    article = await scene.post(admin);
    scene.react(members[0]!, article, '👍');
    scene.react(members[1]!, article, '👎');
    await scene.expectTally(article, 2, 1);
    operator.clearReactions({ channel: general, message: article });
    await scene.expectTally(article, 1, 0);
    await expect.poll(mine).toEqual(['👍', '👎']);
  });

  test('reactions of one kind that are cleared are retracted, and the bot’s own of that kind comes back', async () => {
    scene.react(members[0]!, article, '👍');
    scene.react(members[1]!, article, '👎');
    await scene.expectTally(article, 2, 1);
    scene.sandbox.operator.clearReactions({ channel: general, message: article, emoji: '👍' });
    await scene.expectTally(article, 1, 1);
    // A member shows 👎, so that the bot's own is not needed.
    await expect.poll(mine).toEqual(['👍']);
  });

  test('reactions that are cleared under other messages are nothing to the bot', async () => {
    const { operator } = scene.sandbox;
    const { id } = scene.sandbox.as(members[0] ?? '').send(general, 'Hello.');
    scene.react(members[1] ?? '', id, '👍');
    operator.clearReactions({ channel: general, message: id });
    scene.react(members[0]!, article, '👍');
    await scene.expectTally(article, 2, 0);
    await scene.settled();
    expect(scene.message(id).reactions.size).toBe(0);
  });
});

describe('permissions', () => {
  test('nothing is concluded while permissions are lost, and all is counted after they are regained', async () => {
    const { operator } = scene.sandbox;
    scene.react(members[0]!, article, '👍');
    scene.react(members[1]!, article, '👍');
    await scene.expectTally(article, 3, 0);
    operator.setPermissions({
      channel: general,
      who: 'bot',
      deny: ['ViewChannel', 'ReadMessageHistory'],
    });
    await scene.settled();
    scene.react(members[2]!, article, '👍');
    scene.react(members[3]!, article, '👍');
    scene.unreact(members[0]!, article, '👍');
    await recountGuild(scene.bot, guild, { full: true });
    expect(await scene.tally(article)).toEqual([3, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    await scene.expectTally(article, 4, 0);
  });

  // Withstands (Requests to Discord): Reading history is not permitted
  // → no vote is taken away
  test('permissions of history alone: an empty list takes no vote away', async () => {
    const { operator } = scene.sandbox;
    scene.react(members[0]!, article, '👍');
    await scene.expectTally(article, 2, 0);
    operator.setPermissions({ channel: general, who: 'bot', deny: ['ReadMessageHistory'] });
    await scene.settled();
    scene.react(members[1]!, article, '👍');
    await scene.expectTally(article, 3, 0);
    await recountGuild(scene.bot, guild, { full: true });
    await scene.minute();
    await scene.settled();
    expect(await scene.tally(article)).toEqual([3, 0]);
    operator.setPermissions({ channel: general, who: 'bot' });
    scene.react(members[2]!, article, '👍');
    await scene.expectTally(article, 4, 0);
  });
});

describe('permissions of the bot’s role', () => {
  test('what was missed is counted as soon as the bot’s role may read again', async () => {
    const { operator, world } = scene.sandbox;
    const all = new PermissionsBitField(world.application.botPermissions).toArray();
    const less = all.filter((name) => name !== 'ReadMessageHistory');
    operator.setBotPermissions({ permissions: less });
    await scene.settled();
    scene.secretly(() => scene.react(members[0]!, article, '👍'));
    operator.setBotPermissions({ permissions: all });
    await scene.expectTally(article, 2, 0);
  });

  test.each([
    ['is taken away from it', true],
    ['is deleted', false],
  ])(
    'what was missed is counted as soon as a role that hid a channel from the bot %s',
    async (_, isTaken) => {
      const { operator, world } = scene.sandbox;
      const { botId } = world.application;
      const role = operator.addRole({ name: 'Blind' });
      operator.setPermissions({ channel: general, who: role, deny: ['ReadMessageHistory'] });
      const me = scene.sandbox.guild.members.get(botId)!;
      const before = new Set(me.roleIds);
      operator.giveRole({ member: botId, role });
      await scene.settled();
      scene.secretly(() => scene.react(members[0]!, article, '👍'));
      await recountGuild(scene.bot, guild);
      expect(await scene.tally(article)).toEqual([1, 0]);
      if (isTaken) changeMember(world, scene.sandbox.guild, me, { roleIds: before });
      else operator.deleteRole({ role });
      await scene.expectTally(article, 2, 0);
      operator.setPermissions({ channel: general, who: role });
    },
  );
});

describe('a channel', () => {
  // Withstands (The gateway): A channel or thread is deleted while the bot is off
  // → its articles leave the lists
  test('a channel that was deleted while the bot was away takes its articles out of the lists', async () => {
    const { operator } = scene.sandbox;
    const channel = operator.createChannel({ name: 'short-lived' });
    const inside = await scene.post(scene.sandbox.admin, {
      channel: channel.id,
      link: `https://inside.example/${links}`,
    });
    await scene.bot.stop();
    operator.deleteChannel({ channel: channel.id });
    await scene.restartBot();
    await expect.poll(async () => (await scene.pages([]))['time all']).not.toContain(inside);
    expect((await scene.pages([]))['time all']).toContain(article);
  });

  test('a channel that was deleted while the bot was away is named by no article of another channel', async () => {
    const { operator, admin } = scene.sandbox;
    const { id: channel } = operator.createChannel({ name: 'short-lived' });
    await scene.settled();
    const link = `https://beside.example/${links}`;
    const posted = await scene.command(admin, 'post', { link, title: 'Beside', channel });
    const beside = posted.message?.id ?? '';
    expect(scene.message(beside).content).toContain(`<#${channel}>`);
    await scene.bot.stop();
    operator.deleteChannel({ channel });
    await scene.restartBot();
    await expect.poll(async () => (await scene.article(beside))?.groups).toEqual([general]);
    await recountGuild(scene.bot, guild);
    await expect.poll(() => scene.message(beside).content).not.toContain(channel);
  });

  test('a channel or a thread that was deleted while the bot was away hides its articles, in no outage', async () => {
    const { operator } = scene.sandbox;
    const { id: thread } = scene.sandbox
      .as(scene.sandbox.admin)
      .startThread(general, 'short-lived');
    const inside = await scene.post(scene.sandbox.admin, {
      channel: thread,
      link: `https://inside.example/${links}`,
    });
    const second = await scene.post(scene.sandbox.admin, { channel: thread });
    await scene.bot.stop();
    operator.deleteChannel({ channel: thread });
    // In an outage Discord knows no channel.
    const gone = { status: 404, code: 10003 };
    const end = scene.sandbox.faults.add({
      method: 'GET',
      route: /^\/channels\/:channel/,
      ...gone,
    });
    await scene.restartBot();
    expect((await recountGuild(scene.bot, guild)).unread).toContain(inside);
    expect((await scene.pages([]))['time all']).toContain(inside);
    end();
    const { unread, hidden } = await recountGuild(scene.bot, guild);
    expect(unread).toEqual([]);
    expect(hidden).toEqual(expect.arrayContaining([inside, second]));
    const listed = (await scene.pages([]))['time all'];
    expect([inside, second].filter((id) => listed?.includes(id))).toEqual([]);
    expect(await scene.article(inside)).not.toBeNull();
    // Neither the nightly look at what everyone may view brings it back, nor does it hold its link.
    await scene.bot.listing.compare(scene.bot.client.guilds.cache.get(guild)!);
    expect((await scene.pages([]))['time all']).not.toContain(inside);
    const link = `https://inside.example/${links}`;
    const again = await scene.command(scene.sandbox.admin, 'post', { link, title: 'Anew' });
    expect(again.message?.content).toContain('[Anew]');
  });

  // Withstands (Damaged data): A row names a wrong channel
  // → its article is found again within an hour, or in the night
  test.each([
    ['another channel', (row: string) => row.replace(general, scene.sandbox.channels.rust.id)],
    ['no channel', (row: string) => row.replace(general, '123456789012345678')],
    ['a thread that is not there', (row: string) => `${row} 123456789012345678`],
  ])('a channel that a row names wrongly is found again by the message: %s', async (_, damage) => {
    const { articles } = guildKeys(scene.sandbox, guild);
    const { redis } = scene.redis;
    const hourly = async () => {
      await scene.pass(HOUR_MS);
      await scene.settled();
    };
    await hourly();
    const row = (await redis.hget(articles, article)) ?? '';
    await redis.hset(articles, article, damage(row));
    await recountGuild(scene.bot, guild, { full: true });
    await hourly();
    expect(await redis.hget(articles, article)).toBe(row);
  });

  test('a channel that is moved keeps its articles', async () => {
    const { world, channels } = scene.sandbox;
    changeChannel(world, channels.general, { parentId: channels.rust.parentId });
    scene.react(members[0]!, article, '👍');
    await scene.expectTally(article, 2, 0);
    expect((await scene.pages([]))['time all']).toContain(article);
  });
});

/** A guild that one of two shards would serve. */
const guildOf = (shard: number) =>
  [1n, 2n]
    .map((n) => `${(1000n + n) << 22n}`)
    .find((id) => {
      return ShardClientUtil.shardIdForGuildId(id, 2) === shard;
    })!;

describe('a guild', () => {
  test('a guild in an outage loses nothing, and its votes are recounted after', async () => {
    const { operator } = scene.sandbox;
    scene.react(members[0]!, article, '👍');
    await scene.expectTally(article, 2, 0);
    operator.setOutage({ outage: true });
    await expect
      .poll(() => scene.bot.client.guilds.cache.get(scene.sandbox.guildId)?.available)
      .toBe(false);
    scene.react(members[1]!, article, '👍');
    // What is due waits for the server, and does not fail without it.
    const { store, due } = scene.bot;
    const { due: rows, troubles } = storeKeys(store, scene.sandbox.guildId);
    const now = scene.clock.now();
    await due.plan(scene.sandbox.guildId, 'check', now);
    await scene.minute();
    await scene.settled();
    expect(await store.redis.zscore(rows, 'check')).toBe(String(now));
    expect(await store.redis.exists(troubles)).toBe(0);
    operator.setOutage({ outage: false });
    await scene.expectTally(article, 3, 0);
    expect(await leaving()).toEqual([]);
  });

  test('a guild that removes the bot and invites it again keeps everything, with what was missed', async () => {
    const { operator } = scene.sandbox;
    scene.react(members[0]!, article, '👍');
    await scene.expectTally(article, 2, 0);
    operator.kickBot({});
    await isLeaving();
    await scene.pass(DAY_MS);
    scene.react(members[1]!, article, '👍');
    operator.inviteBot({});
    await isHere();
    await scene.expectTally(article, 3, 0);
    await scene.pass(40 * DAY_MS);
    await scene.settled();
    expect(await scene.article(article)).not.toBeNull();
    scene.clock.move(-41 * DAY_MS);
  });

  // Withstands (The gateway): A guild removes the bot while it is off
  // → the next start notices
  test('a guild that removed the bot while it was away is noticed at the next start', async () => {
    const { operator } = scene.sandbox;
    await scene.bot.stop();
    operator.kickBot({});
    await scene.restartBot();
    await isLeaving();
    operator.inviteBot({});
    await isHere();
    expect(await scene.article(article)).not.toBeNull();
  });

  // Withstands (Damaged data): Indexes over all guilds are damaged
  // → they are made again within a minute
  test('a guild is found again in an index that was damaged, at a start and within a minute, and does its work until then', async () => {
    const { store } = scene.bot;
    const { redis } = scene.redis;
    const damage = async () => {
      for (const name of ['guilds', 'leaving'] as const) {
        await redis.del(sharedKeys(store)[name]);
        await redis.hset(sharedKeys(store)[name], 'not', 'what it was');
      }
    };
    for (const find of [() => scene.minute(), () => scene.restartBot()]) {
      await damage();
      await find();
      await expect.poll(() => readGuilds(store).catch(() => [])).toEqual([guild]);
      expect(await leaving()).toEqual([]);
      expect(await readDue(store, guild, Number.MAX_SAFE_INTEGER)).toEqual([]);
    }
    // A start takes away the one that nobody writes any more.
    expect(await redis.exists(sharedKeys(store).due)).toBe(0);
    // What a guild does is planned when it arrives, though it cannot be noted in them.
    await say('digest set', { channel: general, time: '18:00', timezone: 'UTC' });
    const isAvailable = () => scene.bot.client.guilds.cache.get(guild)?.available;
    scene.sandbox.operator.setOutage({ outage: true });
    await expect.poll(isAvailable).toBe(false);
    await damage();
    await redis.del(storeKeys(store, guild).due);
    scene.sandbox.operator.setOutage({ outage: false });
    const digests = () => readDue(store, guild, Number.MAX_SAFE_INTEGER);
    await expect.poll(digests).toHaveLength(1);
    await say('digest delete');
    await scene.minute();
    await expect.poll(() => readGuilds(store)).toEqual([guild]);
  });

  // Withstands (Processes that die): It dies between a removal and the message’s edit
  // → the next start edits it
  test('a guild sees a removal in its message after the next start, if the bot died before the edit', async () => {
    await removeArticle(scene.bot.ranking, guild, article, scene.clock.now());
    await scene.restartBot();
    await expect.poll(() => scene.message(article).content).toMatch(/^-# Removed/);
  });

  // Withstands (Processes that die): It dies in an erasure
  // → the next start or night finishes it
  test.each([
    ['the next start', () => scene.restartBot()],
    ['the next night', () => scene.pass(DAY_MS)],
  ])('a guild sees an interrupted erasure finished at %s', async (_, pass) => {
    // What the start before it began would finish it.
    await scene.settled();
    await eraseMember(scene.bot, guild, scene.sandbox.admin);
    expect(scene.message(article).content).toContain(`https://news.example/${links}`);
    await pass();
    await expect.poll(() => scene.sandbox.channels.general.messages.has(article)).toBe(false);
  });

  test('a guild whose outage meets an erasure sees it finished afterwards', async () => {
    const { client } = scene.bot;
    const { operator, channels } = scene.sandbox;
    operator.setOutage({ outage: true });
    await expect.poll(() => client.guilds.cache.get(guild)?.available).toBe(false);
    await eraseMember(scene.bot, guild, scene.sandbox.admin);
    await finishErasing(scene.bot, guild);
    expect(channels.general.messages.has(article)).toBe(true);
    operator.setOutage({ outage: false });
    await expect.poll(() => channels.general.messages.has(article)).toBe(false);
  });

  test('a guild gets the times of its digests back at its next arrival after what is due is gone', async () => {
    const { store } = scene.bot;
    const due = () => readDue(store, guild, Number.MAX_SAFE_INTEGER);
    await say('digest set', { channel: general, time: '18:00', timezone: 'UTC' });
    const before = await due();
    expect(before).toHaveLength(1);
    await scene.redis.redis.del(storeKeys(store, guild).due);
    await scene.bot.due.arrive(guild);
    expect(await due()).toEqual(before);
  });

  // Withstands (Damaged data): A guild’s settings or digests are evicted
  // → the log and the admins are told when the bot or Redis comes back, or in the night
  test('a guild is told once of records that are gone, but not of those that somebody deleted', async () => {
    const { sandbox } = scene;
    const owner = sandbox.as(sandbox.admin);
    const arrived = async () => {
      await scene.bot.due.arrive(guild);
      await scene.bot.due.look();
    };
    const told = () => owner.messages(owner.directMessages().id).map(({ content }) => content);
    await say('digest set', { channel: general, time: '18:00', timezone: 'UTC' });
    await setSetting(sandbox, 'repost-days', '7');
    await arrived();
    await say('digest delete');
    await setSetting(sandbox, 'repost-days', null);
    await arrived();
    expect(told()).toEqual([]);
    await setSetting(sandbox, 'repost-days', '7');
    await say('digest set', { channel: general, time: '18:00', timezone: 'UTC' });
    await arrived();
    const keys = storeKeys(scene.bot.store, guild);
    await scene.redis.redis.del(keys.settings, keys.digests);
    await arrived();
    await arrived();
    expect(told()).toEqual([expect.stringContaining('nobody deleted it: Settings, Digests.')]);
    expect(scene.bot.rules.known(guild)?.settings['repost-days']).toBe(0);
  });

  test('a guild that removed the bot between two sessions is noticed, and no outage is taken for that', async () => {
    const { world, admin, operator, gateway } = scene.sandbox;
    const other = createGuild(world, { name: 'Lighthouse', ownerId: admin });
    addMember(world, other, world.application.botId);
    await expect.poll(() => readGuilds(scene.bot.store)).toContain(other.id);
    gateway.open = false;
    gateway.drop({ resumable: false });
    operator.kickBot({});
    operator.setOutage({ guild: other.id, outage: true });
    gateway.open = true;
    await isLeaving();
    const { cache } = scene.bot.client.guilds;
    expect([cache.has(guild), cache.has(other.id)]).toEqual([false, true]);
    operator.inviteBot({});
    await isHere();
    operator.setOutage({ guild: other.id, outage: false });
  });

  test('a guild of another process is neither taken for one that removed the bot nor dropped by a session here', async () => {
    const { store, client, log, clock } = scene.bot;
    const ws = { shards: new Map([[0, client.ws.shards.first()]]) };
    const options = { ...client.options, shardCount: 2 };
    const half = Object.assign(Object.create(client), { ws, options }) as typeof client;
    await noteGuilds(store, [guildOf(0), guildOf(1)]);
    await noteLeft({ client: half, store, log, clock });
    expect(await leaving()).toEqual([guildOf(0)]);
    // The session of another shard, which has no guilds.
    await beginSession(scene.bot, 1, []);
    expect(client.guilds.cache.has(guild)).toBe(true);
    for (const shard of [0, 1]) await forgetGuild(store, guildOf(shard));
    await isHere();
  });

  test('a guild whose recent messages could not be read is read again a minute later', async () => {
    const { faults } = scene.sandbox;
    await scene.settled();
    await deleteArticle(scene.bot.ranking, guild, article);
    const path = new RegExp(`channels/${general}/messages`);
    const end = faults.add({ method: 'GET', path, status: 400 });
    await scene.bot.due.plan(guild, 'scan', 0);
    await scene.minute();
    end();
    expect(await scene.article(article)).toBeNull();
    await scene.pass(60_000);
    await scene.settled();
    expect(await scene.tally(article)).toEqual([1, 0]);
  });

  test('a guild that the bot does not see keeps its data where Discord says that the bot is in it, or gives no answer', async () => {
    const { store, client, log } = scene.bot;
    const cached = client.guilds.cache.get(guild)!;
    const clock = { now: () => scene.clock.now() + 31 * DAY_MS };
    const forget = () => forgetLeft({ client, store, log, clock });
    await noteLeaving(store, guild, scene.clock.now());
    client.guilds.cache.delete(guild);
    const path = new RegExp(`/guilds/${guild}$`);
    const end = scene.sandbox.faults.add({ method: 'GET', path, status: 404 });
    await forget();
    expect(await leaving()).toEqual([guild]);
    end();
    await forget();
    expect(await leaving()).toEqual([]);
    client.guilds.cache.set(guild, cached);
    expect(await scene.article(article)).not.toBeNull();
    // That it may not look is Discord's answer about a guild that the bot is not in, too.
    const left = guildOf(0);
    await noteLeaving(store, left, scene.clock.now());
    const hidden = { path: new RegExp(`/guilds/${left}$`), status: 403, code: 50_001, times: 1 };
    scene.sandbox.faults.add({ method: 'GET', ...hidden });
    await forget();
    expect(await leaving()).toEqual([]);
  });

  test('a guild is forgotten 30 days after it removed the bot, and rebuilt when it invites it again', async () => {
    const { operator } = scene.sandbox;
    const before = await scene.pages([]);
    const titles = before['time all'];
    operator.kickBot({});
    await isLeaving();
    await scene.pass(30 * DAY_MS - HOUR_MS);
    await scene.settled();
    expect(await keysOfGuild()).not.toEqual([]);
    // A bot that starts meanwhile notices anew that it was removed.
    await noteLeft(scene.bot);
    // The batch of changes that follows a post also writes a version of the guild.
    await scene.bot.ranking.changes.flush();
    await scene.pass(HOUR_MS);
    await expect.poll(keysOfGuild).toEqual([]);
    await isHere();
    scene.clock.move(-30 * DAY_MS);
    operator.inviteBot({});
    await scene.whole();
    expect((await scene.pages([]))['time all']).toEqual(titles);
  });
});
