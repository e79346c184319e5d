import type {
  Client,
  GuildBasedChannel,
  GuildMember,
  NonThreadGuildBasedChannel,
} from 'discord.js';
import { ChannelType } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { addUser } from '../../../discord-box/src/world/users.ts';
import { type Discord, type PermissionName, startDiscord } from '../../../discord-box/src/index.ts';
import {
  closedFor,
  communityOf,
  decideEverybody,
  type Everybody,
  GROUP_OPTION_TYPES,
  GROUP_SELECT_TYPES,
  groupName,
  groupsOf,
  homeIn,
  homeInType,
  isListed,
  isPublic,
  mayView,
} from '../../../src/discord/access/visibility.ts';
import {
  mayReadHistory,
  missingPermissions,
  noteTwoFactor,
  type Permission,
} from '../../../src/discord/access/permissions.ts';
import { connectClient } from '../../../discord-box/test/client.ts';

let discord: Discord;
let client: Client<true>;
let voice: string;
let ownerId: string;
let member: GuildMember;

beforeAll(async () => {
  discord = await startDiscord({ rateLimits: false });
  const owner = addUser(discord.world, { username: 'ada' }).id;
  ownerId = owner;
  const { guild } = discord.operator.createGuild({ name: 'Harbour', owner });
  voice = discord.operator.createChannel({ name: 'lounge', kind: 'voice' }).id;
  const grace = discord.operator.addPerson({ username: 'grace' });
  client = await connectClient(discord);
  member = await client.guilds.cache.get(guild)!.members.fetch(grace);
});
afterAll(async () => {
  await client.destroy();
  await discord.stop();
});

const lounge = () => client.channels.cache.get(voice) as NonThreadGuildBasedChannel;

test('a voice channel is seen by those who may view it and connect', async () => {
  expect([isListed(lounge()), mayView(member, voice)]).toEqual([true, true]);
  for (const lacking of ['Connect', 'ViewChannel'] as const) {
    discord.operator.setPermissions({ channel: voice, who: 'everyone', deny: [lacking] });
    await expect.poll(() => isListed(lounge())).toBe(false);
    expect(mayView(member, voice)).toBe(false);
    discord.operator.setPermissions({ channel: voice, who: 'everyone' });
    await expect.poll(() => isListed(lounge())).toBe(true);
  }
});

test('the bot reads a voice channel where it may view it and connect, and what it lacks is named', async () => {
  const needed: Permission[] = ['ViewChannel', 'SendMessages'];
  for (const lacking of ['Connect', 'ViewChannel'] as const) {
    expect([mayReadHistory(lounge()), missingPermissions(lounge(), needed)]).toEqual([true, []]);
    discord.operator.setPermissions({ channel: voice, who: 'bot', deny: [lacking] });
    await expect.poll(() => missingPermissions(lounge(), needed)).toContain(lacking);
    expect(mayReadHistory(lounge())).toBe(false);
    discord.operator.setPermissions({ channel: voice, who: 'bot' });
    await expect.poll(() => missingPermissions(lounge(), needed)).toEqual([]);
  }
});

test('nobody is taken to have a permission in a thread whose channel is not known', async () => {
  const parent = discord.operator.createChannel({ name: 'briefly' }).id;
  const thread = discord.as(member.id).startThread(parent, 'A talk').id;
  await expect.poll(() => client.channels.cache.has(thread)).toBe(true);
  const known = client.channels.cache.get(thread) as GuildBasedChannel;
  const channels = member.guild.channels.cache;
  expect([mayView(member, thread), mayReadHistory(known)]).toEqual([true, true]);
  channels.delete(parent);
  expect([mayView(member, thread), mayReadHistory(known)]).toEqual([false, false]);
  expect(missingPermissions(known, ['SendMessages'], member)).toEqual(['SendMessages']);
});

test('a server that demands 2FA takes from the bot what moderates, and nothing else, and nothing from its members', async () => {
  const wanted: Permission[] = ['ViewChannel', 'SendMessages', 'ManageMessages'];
  discord.operator.setPermissions({ channel: voice, who: 'bot', allow: ['ManageMessages'] });
  await expect.poll(() => missingPermissions(lounge(), wanted)).toEqual([]);
  discord.operator.setPermissions({ channel: voice, who: member.id, allow: ['ManageMessages'] });
  await expect.poll(() => missingPermissions(lounge(), wanted, member)).toEqual([]);
  noteTwoFactor(member.guild, true);
  const theirs = missingPermissions(lounge(), wanted, member);
  const lack = missingPermissions(lounge(), wanted);
  noteTwoFactor(member.guild, false);
  expect([lack, theirs]).toEqual([['ManageMessages'], []]);
  expect(missingPermissions(lounge(), wanted)).toEqual([]);
});

test('no command or select names a media channel', () => {
  const named = [...GROUP_OPTION_TYPES, ...GROUP_SELECT_TYPES];
  expect(named).toContain(ChannelType.GuildVoice);
  expect(named).not.toContain(ChannelType.GuildMedia);
});

describe('a server of channels', () => {
  let guildId: string;
  const everyone: Everybody = { role: null, seesAgeRestricted: false };
  const guild = () => client.guilds.cache.get(guildId)!;
  const channelNamed = (name: string) =>
    guild().channels.cache.find((channel) => channel.name === name) as NonThreadGuildBasedChannel;
  beforeEach(async () => {
    guildId = discord.operator.createGuild({ name: 'Rows', owner: ownerId }).guild;
    decideEverybody(client, () => everyone);
    const { cache } = client.guilds;
    await vi.waitUntil(() => cache.has(guildId), { timeout: 60_000, interval: 10 });
  });

  test('the role that would open most channels is proposed as everybody, no bot’s and no manager’s', async () => {
    const { operator } = discord;
    const channel = (name: string) => operator.createChannel({ guild: guildId, name }).id;
    const channels = ['a', 'b', 'c'].map(channel);
    const proposed = () => closedFor(groupsOf(guild()).filter(({ id }) => channels.includes(id)));
    await expect.poll(() => guild().channels.cache.has(channels[2]!)).toBe(true);
    expect(proposed()).toBeNull();
    for (const id of channels) {
      operator.setPermissions({ channel: id, who: 'bot', allow: ['ViewChannel'] });
      operator.setPermissions({ channel: id, who: 'everyone', deny: ['ViewChannel'] });
    }
    await expect.poll(proposed).toEqual({ why: 'role', proposed: null });
    const role = (name: string, opens: number, permissions: readonly PermissionName[] = []) => {
      const id = operator.addRole({ guild: guildId, name, permissions });
      for (const open of channels.slice(0, opens)) {
        operator.setPermissions({ channel: open, who: id, allow: ['ViewChannel'] });
      }
      return id;
    };
    const nameProposed = () => {
      const found = proposed();
      return found?.why === 'role' ? found.proposed?.name : found;
    };
    role('Manager', 3, ['ManageGuild']);
    role('Few', 1);
    await expect.poll(nameProposed).toBe('Few');
    role('Most', 2);
    await expect.poll(nameProposed).toBe('Most');
    // Of two that open as many, the lower one, which more members have.
    const lower = role('Lower', 2);
    operator.moveRole({ guild: guildId, role: lower, position: 1 });
    await expect.poll(nameProposed).toBe('Lower');
    // As Discord tells of a role that a bot brought with it.
    guild().roles.cache.get(lower)!.managed = true;
    expect(nameProposed()).toBe('Most');
    // Where @everyone would open one, that is not proposed as a role.
    const shut = role('Shut', 0);
    const [open = ''] = channels;
    operator.setPermissions({ channel: open, who: shut, deny: ['ViewChannel'] });
    operator.setPermissions({ channel: open, who: 'everyone' });
    await expect.poll(() => isListed(guild().channels.cache.get(open))).toBe(true);
    decideEverybody(client, () => ({ ...everyone, role: shut }));
    const ofOpen = () =>
      closedFor([guild().channels.cache.get(open) as NonThreadGuildBasedChannel]);
    expect(ofOpen()).toMatchObject({ why: 'role', proposed: { name: 'Lower' } });
  });

  test('the web is told the channels that everybody may view in Discord’s order, and a name of nothing visible is an id', async () => {
    const { operator } = discord;
    const category = (name: string) =>
      operator.createChannel({ guild: guildId, name, kind: 'category' }).id;
    const [first, second] = [category('First'), category('Second')];
    const late = operator.createChannel({ guild: guildId, name: 'late', parent: second }).id;
    const early = operator.createChannel({ guild: guildId, name: 'early', parent: first }).id;
    const next = operator.createChannel({ guild: guildId, name: 'next', parent: first }).id;
    const loose = operator.createChannel({ guild: guildId, name: 'loose' }).id;
    const hidden = operator.createChannel({ guild: guildId, name: 'hidden' }).id;
    operator.setPermissions({ channel: hidden, who: 'everyone', deny: ['ViewChannel'] });
    operator.renameChannel({ channel: next, name: '\u200b\u2060' });
    const general = channelNamed('general').id;
    await expect.poll(() => groupName(guild().channels.cache.get(next)!)).toBe(next);
    await expect.poll(() => communityOf(client, guildId)?.hidden).toEqual([hidden]);
    expect(communityOf(client, guildId)).toMatchObject({
      name: 'Rows',
      groups: [
        { id: general, name: 'general' },
        { id: loose, name: 'loose' },
        { id: early, name: 'early' },
        { id: next, name: next },
        { id: late, name: 'late' },
      ],
    });
    // Discord tells of one that the bot may not view, and not its name.
    expect(groupName(guild().channels.cache.get(hidden)!)).toBe(hidden);
    guild().name = '\u200b';
    expect(communityOf(client, guildId)?.name).toBe(guildId);
    operator.setOutage({ guild: guildId, outage: true });
    await expect.poll(() => communityOf(client, guildId)).toBeNull();
  });

  test('an article may stand in a public thread, whose channel is its home, and in no private one and no category', async () => {
    const { operator } = discord;
    const parent = operator.createChannel({ guild: guildId, name: 'parent' }).id;
    const talk = discord.as(ownerId).startThread(parent, 'A talk').id;
    const category = operator.createChannel({ guild: guildId, name: 'More', kind: 'category' }).id;
    const homeOf = (id: string) => homeIn(guild().channels.cache.get(id)!)?.id;
    await expect.poll(() => guild().channels.cache.has(category)).toBe(true);
    expect([parent, talk, category].map(homeOf)).toEqual([parent, parent, undefined]);
    const { PublicThread, PrivateThread } = ChannelType;
    const group = guild().channels.cache.get(parent);
    expect(homeInType(PublicThread, group)?.id).toBe(parent);
    expect(homeInType(PrivateThread, group)).toBeNull();
    const thread = guild().channels.cache.get(talk);
    expect([isListed(thread), isPublic(thread), isListed(undefined)]).toEqual([
      false,
      false,
      false,
    ]);
  });
});
