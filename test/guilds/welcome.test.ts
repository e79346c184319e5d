import {
  AuditLogEvent,
  ChannelType,
  PermissionFlagsBits as P,
  Routes,
} from 'discord-api-types/v10';
import { afterEach, expect, test, vi } from 'vitest';
import { createChannel } from '../../discord-box/src/world/channels/change-channel.ts';
import { noteInAuditLog } from '../../discord-box/src/world/guilds/audit-log.ts';
import { addRole, changeGuild } from '../../discord-box/src/world/guilds/change-guild.ts';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import type { Message } from '../../discord-box/src/index.ts';
import { DAY_MS, HOUR_MS } from '../../src/runtime/clock.ts';
import { writeBoardChoice } from '../../src/board/stored-board.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { translate } from '../../src/text/catalogue.ts';
import { applyOptions, scheduleDigest } from '../../src/digests/command/apply-options.ts';
import { postArticle } from '../../src/ranking/articles/articles.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
afterEach(() => scene.stop());

async function start(messageContent: boolean): Promise<void> {
  scene = await startScene({
    privileged: { messageContent, guildMembers: false, presences: false },
  });
}

const about = (channel: string, count: number) => `<#${channel}> (about ${count})`;

/** A server of a few years with links, which adds the bot in the end. Returns its channels. */
async function addToOldServer(
  beforehand: (guild: string, links: string) => void = () => {},
): Promise<{ general: string; links: string; papers: string; guild: string }> {
  const { sandbox, clock } = scene;
  const { world, operator, admin } = sandbox;
  const bornMs = clock.now() - 1000 * DAY_MS;
  const { guild, general } = operator.createGuild({ name: 'Old', owner: admin, bornMs });
  const name = (of: string) => operator.createChannel({ guild, name: of }).id;
  const [links, papers] = [name('links'), name('papers')];
  const { client, imports } = scene.bot;
  // The bot is there from the server's first moment on, and counts.
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(true);
  const counts = sandbox.world.application.privileged.messageContent;
  await expect.poll(() => !counts || imports.counts.known(guild) !== null).toBe(true);
  operator.kickBot({ guild });
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(false);
  for (const [channelId, count] of [
    [links, 3],
    [papers, 1],
  ] as const) {
    for (let n = 0; n < count; n += 1) {
      const id = world.snowflake(Math.floor(clock.now() - (n + 20) * DAY_MS));
      const content = `Look: https://old.example/${channelId}/${n}`;
      createMessage(world, world.channels.get(channelId)!, { id, authorId: admin, content });
    }
  }
  // Its first welcome is too long ago to be the same message.
  clock.move(DAY_MS);
  sandbox.requests.reset();
  beforehand(guild, links);
  operator.inviteBot({ guild });
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(true);
  return { general, links, papers, guild };
}

const hide = { allow: 0n, deny: P.ViewChannel };

/** A server that adds the bot, with channels of its own and without #general. */
async function joined(
  channels: (guild: string) => string[],
  more: { everyone?: bigint } = {},
): Promise<{ guild: string; ids: string[] }> {
  const { operator, admin, world } = scene.sandbox;
  const { guild, general } = operator.createGuild({ name: 'Later', owner: admin });
  const { client } = scene.bot;
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(true);
  operator.kickBot({ guild });
  await expect.poll(() => client.guilds.cache.has(guild)).toBe(false);
  operator.deleteChannel({ channel: general });
  const everyone = world.guilds.get(guild)!.roles.get(guild)!;
  everyone.permissions = more.everyone ?? everyone.permissions;
  const ids = channels(guild);
  scene.clock.move(DAY_MS);
  operator.inviteBot({ guild });
  return { guild, ids };
}
const made = (guild: string, options: Parameters<typeof createChannel>[1]): string =>
  createChannel(scene.sandbox.world, { guildId: guild, ...options }).id;
const botOf = () => ({ id: scene.sandbox.world.application.botId, kind: 'member' as const });

// Withstands (Requests to Discord): A server without an open text channel adds the bot
// → it is welcomed where the bot may write, or whoever added it is told
test('a server of announcements, of forums, or that @everyone may not view is welcomed all the same, where everyone sees it if that is somewhere', async () => {
  await start(false);
  const news = await joined((guild) => [
    made(guild, { name: 'news', type: ChannelType.GuildAnnouncement }),
  ]);
  await expect.poll(() => welcome(news.ids[0]!).buttons).toContain('frontpage|setup|start');

  const forum = await joined((guild) => [
    made(guild, { name: 'tagged', type: ChannelType.GuildForum, requiresTag: true }),
    made(guild, { name: 'ideas', type: ChannelType.GuildForum }),
  ]);
  const posts = () =>
    [...scene.sandbox.world.channels.values()].filter(({ guildId, thread }) => {
      return guildId === forum.guild && thread !== null;
    });
  await expect.poll(posts).toHaveLength(1);
  const [post] = posts();
  expect(post!.parentId).toBe(forum.ids[1]);
  expect(welcome(post!.id).buttons).toContain('frontpage|setup|start');

  const gated = await joined((guild) => {
    const deny = { id: guild, kind: 'role' as const, ...hide };
    const allow = { ...botOf(), allow: P.ViewChannel, deny: 0n };
    return [
      made(guild, { name: 'closed', overwrites: [deny] }),
      made(guild, { name: 'members', overwrites: [deny, allow] }),
    ];
  });
  await expect.poll(() => welcome(gated.ids[1]!).buttons).toContain('frontpage|setup|start');
  expect(welcome(gated.ids[0]!).message).toBeUndefined();

  const half = await joined((guild) => {
    const deny = { id: guild, kind: 'role' as const, ...hide };
    const allow = { ...botOf(), allow: P.ViewChannel, deny: 0n };
    return [
      made(guild, { name: 'team', overwrites: [deny, allow] }),
      made(guild, { name: 'lobby' }),
    ];
  });
  await expect.poll(() => welcome(half.ids[1]!).buttons).toContain('frontpage|setup|start');
  expect(welcome(half.ids[0]!).message).toBeUndefined();

  const usual = await joined((guild) => {
    const channels = ['first', 'system'].map((name) => made(guild, { name }));
    changeGuild(scene.sandbox.world, scene.sandbox.world.guilds.get(guild)!, {
      systemChannelId: channels[1]!,
    });
    return channels;
  });
  await expect.poll(() => welcome(usual.ids[1]!).buttons).toContain('frontpage|setup|start');
  expect(welcome(usual.ids[0]!).message).toBeUndefined();

  // Text channels come before others that stand above them, and the upper one of them before the older one.
  const mixed = await joined((guild) => [
    made(guild, { name: 'ideas', type: ChannelType.GuildForum, position: 1 }),
    made(guild, { name: 'news', type: ChannelType.GuildAnnouncement, position: 2 }),
    made(guild, { name: 'lower', position: 4 }),
    made(guild, { name: 'upper', position: 3 }),
  ]);
  await expect.poll(() => welcome(mixed.ids[3]!).buttons).toContain('frontpage|setup|start');

  // Where the note of a welcome is lost, what stands in the channel says that there was one.
  const { due, store } = scene.bot;
  const again = async (guild: string) => {
    await store.redis.del(storeKeys(store, guild).welcomed);
    await due.plan(guild, 'welcome', 0);
    await due.look();
    await expect.poll(() => store.redis.exists(storeKeys(store, guild).welcomed)).toBe(1);
  };
  await again(forum.guild);
  expect(posts()).toHaveLength(1);
  // A member's post is none, nor is one of the bot elsewhere.
  const { world, operator, admin } = scene.sandbox;
  operator.deleteChannel({ channel: post!.id });
  scene.sandbox.as(admin).post(forum.ids[1]!, 'Mine', 'Hello');
  const other = made(forum.guild, { name: 'other', type: ChannelType.GuildForum });
  await expect.poll(() => scene.bot.client.channels.cache.has(other)).toBe(true);
  const body = { name: 'An article', message: { content: 'Its link' } };
  const { id: elsewhere } = (await scene.bot.client.rest.post(Routes.threads(other), {
    body,
  })) as { id: string };
  await expect.poll(() => scene.bot.client.channels.cache.has(elsewhere)).toBe(true);
  await again(forum.guild);
  for (const channel of [elsewhere, other]) operator.deleteChannel({ channel });
  expect(
    posts()
      .map(({ thread }) => thread!.ownerId)
      .sort(),
  ).toEqual([admin, world.application.botId].sort());
  // What it wrote before it was taken back is no welcome of now.
  const { client } = scene.bot;
  operator.kickBot({ guild: forum.guild });
  await expect.poll(() => client.guilds.cache.has(forum.guild)).toBe(false);
  scene.clock.move(DAY_MS);
  operator.inviteBot({ guild: forum.guild });
  await expect.poll(posts).toHaveLength(3);
  // More was written before the welcome than a page of messages has.
  const [busy = ''] = usual.ids.slice(1);
  operator.deleteMessages({ channel: busy, messages: [welcome(busy).message!.id] });
  for (let n = 0; n < 100; n += 1) operator.say({ channel: busy, author: admin, content: 'Hi' });
  for (let times = 0; times < 2; times += 1) {
    scene.clock.move(DAY_MS);
    await again(usual.guild);
    expect(welcomes(busy)).toBe(1);
  }
});

test('whoever added the bot is told where it may write nowhere', async () => {
  await start(false);
  const { admin } = scene.sandbox;
  const { ids } = await joined((guild) => [
    made(guild, { name: 'closed', overwrites: [{ id: guild, kind: 'role', ...hide }] }),
  ]);
  const as = scene.sandbox.as(admin);
  const told = () => as.messages(as.directMessages().id).map(({ content }) => content);
  await expect
    .poll(told)
    .toEqual([expect.stringContaining('Thanks for adding Frontpage to Later')]);
  expect(told()[0]).toContain('View Channel');
  expect(welcome(ids[0]!).message).toBeUndefined();

  // Not the owner, where the audit log says who did.
  const { operator, world } = scene.sandbox;
  const { botId } = world.application;
  let manager = '';
  await joined((guild) => {
    manager = operator.addPerson({ guild, username: 'manager' });
    const of = world.guilds.get(guild)!;
    const note = { action: AuditLogEvent.BotAdd, reason: undefined };
    noteInAuditLog(world, of, { ...note, byId: manager, targetId: botId });
    noteInAuditLog(world, of, { ...note, byId: admin, targetId: admin });
    operator.setRolePermissions({ guild, role: guild, permissions: ['ViewAuditLog'] });
    return [made(guild, { name: 'closed', overwrites: [{ id: guild, kind: 'role', ...hide }] })];
  });
  const manages = scene.sandbox.as(manager);
  await expect
    .poll(() => manages.messages(manages.directMessages().id).map(({ content }) => content))
    .toEqual([expect.stringContaining('Thanks for adding Frontpage')]);
  expect(told()).toHaveLength(1);
});

test('a welcome whose counts could not be added gets them later, and one that somebody deleted is left at that', async () => {
  await start(true);
  const { faults, world } = scene.sandbox;
  const path = (guild: string) => {
    const ids = [...world.channels.values()].filter((one) => one.guildId === guild);
    return new RegExp(`/channels/(${ids.map(({ id }) => id).join('|')})/messages/`);
  };
  const { general, links, guild } = await addToOldServer((of) => {
    // discord.js tries four times by itself.
    faults.add({ method: 'PATCH', path: path(of), status: 500, times: 4 });
  });
  const { client, due, store } = scene.bot;
  /** As welcomed since it joined last. */
  const isNoted = async (of = guild) =>
    (await store.redis.get(storeKeys(store, of).welcomed)) ===
    String(client.guilds.cache.get(of)?.joinedTimestamp);
  await expect.poll(() => scene.sandbox.requests.count('PATCH', /messages/)).toBe(4);
  await expect.poll(() => welcome(general).text).not.toContain(links);
  expect(await isNoted()).toBe(false);
  const sent = welcomes(general);
  await scene.eventually(
    async () => {
      scene.clock.move(HOUR_MS);
      await due.look();
      return welcome(general).text;
    },
    (text) => text.includes(about(links, 3)),
    'counted',
  );
  expect(welcomes(general)).toBe(sent);
  await expect.poll(() => isNoted()).toBe(true);

  // Somebody deleted it or its channel, or closed that.
  for (const [status, code] of [
    [404, 10_008],
    [404, 10_003],
    [403, 50_001],
    [403, 50_013],
  ] as const) {
    const other = await addToOldServer((of) => {
      faults.add({ method: 'PATCH', path: path(of), status, code });
    });
    await expect.poll(() => isNoted(other.guild)).toBe(true);
    // Its welcome of a day ago may have got its counts only now.
    const asked = scene.sandbox.requests.recent.map(({ method }) => method);
    const since = asked.slice(asked.lastIndexOf('POST'));
    expect(since.filter((method) => method !== 'GET')).toEqual(['POST', 'PATCH']);
  }
});

test('a welcome whose links could not be counted at first is found again, and gets its counts later', async () => {
  await start(true);
  const { counts } = scene.bot.imports;
  const read = vi.spyOn(counts, 'read');
  const { general, links } = await addToOldServer(() => {
    read.mockClear();
    read.mockRejectedValueOnce(new Error('The process ends here.'));
  });
  await expect.poll(() => read.mock.calls.length).toBe(1);
  read.mockRestore();
  await expect.poll(() => welcome(general).text).toContain('Looking for the links');
  const sent = welcomes(general);
  await scene.eventually(
    async () => {
      scene.clock.move(HOUR_MS);
      await scene.bot.due.look();
      return welcome(general).text;
    },
    (text) => text.includes(about(links, 3)),
    'counted',
  );
  expect(welcomes(general)).toBe(sent);
});

test('a server whose records cannot be read is welcomed as a new one', async () => {
  await start(false);
  const { store } = scene.bot;
  const { ids } = await joined((guild) => {
    void store.redis.set(storeKeys(store, guild).digests, 'no hash');
    return [made(guild, { name: 'first' })];
  });
  await expect.poll(() => welcome(ids[0]!).buttons).toContain('frontpage|setup|start');
  expect(welcome(ids[0]!).text).toContain(translate('en', 'setup.welcome').slice(0, 30));
});

// Withstands (Attacks): A welcome names channels that its readers may not view
// → it names what everyone there may view
test('a welcome and a set-up name no channel that their reader may not view, and the one where they stand', async () => {
  await start(true);
  const { sandbox } = scene;
  const { world, operator } = sandbox;
  const { general, links, papers, guild } = await addToOldServer((_, closed) => {
    operator.setPermissions({ channel: closed, who: 'everyone', deny: ['ViewChannel'] });
    operator.setPermissions({ channel: closed, who: 'bot', allow: ['ViewChannel'] });
  });
  await expect.poll(() => welcome(general).text).toContain(about(papers, 1));
  expect(welcome(general).text).not.toContain(links);
  const manager = operator.addPerson({ guild, username: 'manager' });
  const role = addRole(world, world.guilds.get(guild)!, {
    name: 'Managers',
    permissions: P.ManageGuild,
  });
  world.guilds.get(guild)!.members.get(manager)!.roleIds.add(role.id);
  const setUp = async (who: string) => {
    const pressed = await sandbox
      .as(who)
      .press(general, welcome(general).message!.id, 'frontpage|setup|start');
    return JSON.stringify(pressed.message);
  };
  expect(await setUp(manager)).toContain(about(papers, 1));
  expect(await setUp(manager)).not.toContain(links);
  const shown = await setUp(sandbox.admin);
  expect(shown).toContain(about(links, 3));
  // As many as make one.
  expect(shown).toContain(`➕ **Link channels** · <#${links}>`);
  // Where the welcome stands in a channel that not everyone views, its readers view that one.
  const closed = await addToOldServer((of, place) => {
    for (const { id, guildId } of world.channels.values())
      if (guildId === of)
        operator.setPermissions({ channel: id, who: 'everyone', deny: ['ViewChannel'] });
    operator.setPermissions({ channel: place, who: 'bot', allow: ['ViewChannel'] });
  });
  await expect.poll(() => welcome(closed.links).text).toContain(about(closed.links, 3));
  expect(welcome(closed.links).text).not.toContain(closed.papers);
});

/** The newest welcome in a channel. */
function welcome(channel: string): {
  text: string;
  buttons: string[];
  message: Message | undefined;
} {
  const { messages } = scene.sandbox.world.channels.get(channel)!;
  const message = [...messages.values()].findLast(({ components }) =>
    JSON.stringify(components).includes('frontpage|setup|start'),
  );
  const [embed] = (message?.embeds ?? []) as { description?: string }[];
  const ids = JSON.stringify(message?.components ?? []).matchAll(/"custom_id":"([^"]+)"/g);
  return { text: embed?.description ?? '', buttons: [...ids].map(([, id = '']) => id), message };
}

test('a server that adds the bot is told how many links each of its channels has, and may begin with them', async () => {
  await start(true);
  const { general, links, papers, guild } = await addToOldServer();
  await expect
    .poll(() => welcome(general).text)
    .toContain(`Messages with links are already here:** ${about(links, 3)} · ${about(papers, 1)}.`);
  const { message, buttons } = welcome(general);
  expect(buttons).toEqual(['frontpage|setup|start', 'frontpage|import|start']);
  expect(message!.pings).toEqual({ userIds: [], roleIds: [], everyone: false });
  // One message: the counts came into it.
  const { messages } = scene.sandbox.world.channels.get(general)!;
  const { botId } = scene.sandbox.world.application;
  const after = [...messages.values()].filter((one) => one.authorId === botId);
  expect(after.filter(({ id }) => id >= message!.id)).toHaveLength(1);

  const { admin, operator } = scene.sandbox;
  await scene.redis.redis.set(storeKeys(scene.sandbox, guild).complete, scene.clock.now());
  const stranger = operator.addPerson({ guild, username: 'stranger' });
  const refused = await scene.sandbox
    .as(stranger)
    .press(general, message!.id, 'frontpage|import|start');
  expect(refused.message?.content).toContain('You need the Manage Server permission');
  const begun = await scene.sandbox.as(admin).press(general, message!.id, 'frontpage|import|start');
  expect(begun.ephemeral).toBe(true);
  expect(JSON.stringify(begun.message?.components)).toContain('frontpage|import|begin');
});

test('a welcome to a server without links offers the set-up alone, and does not go on looking', async () => {
  await start(true);
  const { sandbox } = scene;
  // discord.js sends again what Discord has taken and does not answer.
  const route = /channels\/:channel\/messages$/;
  sandbox.faults.add({ method: 'POST', route, status: 502, afterTheWork: true, times: 1 });
  const { guild, general } = sandbox.operator.createGuild({ name: 'New', owner: sandbox.admin });
  await expect.poll(() => scene.bot.imports.counts.known(guild)).not.toBeNull();
  await expect.poll(() => welcome(general).text).not.toContain('Looking for the links');
  expect(welcome(general).buttons).toEqual(['frontpage|setup|start']);
  expect(sandbox.requests.count('POST', route)).toBe(2);
  expect(welcomes(general)).toBe(1);
});

test('a server that takes the bot back is not greeted as a stranger: it is told what is there as it was', async () => {
  await start(false);
  const { operator, admin, world } = scene.sandbox;
  const { client, store, due, ranking } = scene.bot;
  const { guild, general } = operator.createGuild({ name: 'Back', owner: admin });
  await expect.poll(() => welcome(general).buttons).toEqual(['frontpage|setup|start']);
  const now = scene.clock.now();
  const takeBack = async () => {
    operator.kickBot({ guild });
    await expect.poll(() => client.guilds.cache.has(guild)).toBe(false);
    scene.clock.move(DAY_MS);
    operator.inviteBot({ guild });
  };
  await writeBoardChoice(store, guild, { channel: general, savedAtMs: now, savedBy: admin });
  await takeBack();
  await expect.poll(() => welcome(general).text).toBe('Everything is as it was: Board.');
  const by = { member: admin, here: general, now };
  const daily = applyOptions(null, { time: '09:00', timezone: 'UTC' }, by);
  for (const name of ['daily', 'a', 'b', 'c']) {
    await scheduleDigest({ store, due }, guild, name, daily);
  }
  const link = 'https://old.example/1';
  const id = world.snowflake(now);
  const article = { guild, id, title: 'Old', link, linkName: link, poster: admin, home: general };
  await postArticle(ranking, { ...article, listed: true });
  await takeBack();
  // Three of its digests.
  await expect
    .poll(() => welcome(general).text)
    .toBe('Everything is as it was: 1 article · A · B · C · Board.');
});

/** How many welcomes of the bot a channel has. */
const welcomes = (channel: string): number =>
  [...scene.sandbox.world.channels.get(channel)!.messages.values()].filter(({ components }) =>
    JSON.stringify(components).includes('frontpage|setup|start'),
  ).length;

// Withstands (Processes that die): A server adds the bot while it is off
// → it is welcomed when the bot is back, once, also where Redis is emptied then
test('a server that adds the bot while it is off is welcomed once when the bot is back', async () => {
  scene = await startScene({ follows: true });
  const { sandbox, redis, clock } = scene;
  const { operator, admin, world } = sandbox;
  await scene.bot.stop();
  const { guild, general } = operator.createGuild({ name: 'Meanwhile', owner: admin });
  // Its members do not wait for the bot, and Discord tells of its joining as if it had written.
  for (let n = 0; n < 3; n += 1) operator.say({ channel: general, author: admin, content: 'Hi' });
  const { welcomed } = storeKeys(sandbox, guild);
  const isNoted = async () => (await redis.redis.get(welcomed)) !== null;
  const starts = async () => {
    await scene.restartBot();
    await expect.poll(isNoted).toBe(true);
    await scene.bot.due.look();
  };
  await starts();
  expect(welcome(general).buttons).toEqual(['frontpage|setup|start']);
  expect(welcomes(general)).toBe(1);

  await starts();
  expect(welcomes(general)).toBe(1);
  // Redis is emptied, and more is written than one page of messages.
  clock.move(DAY_MS);
  for (let n = 0; n < 120; n += 1) operator.say({ channel: general, author: admin, content: 'Hi' });
  await redis.redis.flushall();
  await starts();
  expect(welcomes(general)).toBe(1);

  // Taken back while the bot is off, it is welcomed again.
  await scene.bot.stop();
  operator.kickBot({ guild });
  clock.move(DAY_MS);
  operator.inviteBot({ guild });
  await scene.restartBot();
  await expect.poll(() => welcomes(general)).toBe(2);
  // The one that it joined long ago is no new one.
  expect(welcomes(sandbox.channels.general.id)).toBe(0);
  expect(world.guilds.get(sandbox.guildId)!.members.size).toBeGreaterThan(0);
});

test('a welcome says without the intent what switching it on would give, and searches nothing', async () => {
  await start(false);
  const { general } = await addToOldServer();
  await expect
    .poll(() => welcome(general).text)
    .toContain('if the host turns on Message Content Intent');
  expect(welcome(general).buttons).toEqual(['frontpage|setup|start']);
  expect(scene.sandbox.requests.count('GET', /search/)).toBe(0);
});

test.each([
  ['has not indexed the messages yet', 202],
  ['refuses the search', 403],
])('a welcome names the channels that could not be counted where Discord %s', async (_, status) => {
  await start(true);
  const { faults, world } = scene.sandbox;
  const { general, links } = await addToOldServer((guild) => {
    if (status === 202) world.unindexed.add(guild);
    else faults.add({ method: 'GET', route: /search/, status, code: 50001 });
  });
  const sentence = translate('en', 'import.uncounted', { channels: 'x y' });
  const [before = '', after = ''] = sentence.split('x y');
  await expect.poll(() => welcome(general).text).toContain(before);
  expect(welcome(general).text).toContain(`<#${links}>`);
  expect(welcome(general).text).toContain(after);
  // Only the first channel is asked for.
  expect(scene.sandbox.requests.count('GET', /search/)).toBeLessThanOrEqual(3);
});
