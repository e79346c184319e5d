import type {
  Client,
  GuildBasedChannel,
  GuildMember,
  NonThreadGuildBasedChannel,
} from 'discord.js';
import { ChannelType } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addUser } from '../../../discord-box/src/world/users.ts';
import { type Discord, startDiscord } from '../../../discord-box/src/index.ts';
import {
  GROUP_OPTION_TYPES,
  GROUP_SELECT_TYPES,
  isListed,
  mayView,
} from '../../../src/discord/access/visibility.ts';
import { mayReadHistory, missingPermissions } from '../../../src/discord/access/permissions.ts';
import { connectClient } from '../../../discord-box/test/client.ts';

let discord: Discord;
let client: Client<true>;
let voice: string;
let member: GuildMember;

beforeAll(async () => {
  discord = await startDiscord({ rateLimits: false });
  const owner = addUser(discord.world, { username: 'ada' }).id;
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

test('no command or select names a media channel', () => {
  const named = [...GROUP_OPTION_TYPES, ...GROUP_SELECT_TYPES];
  expect(named).toContain(ChannelType.GuildVoice);
  expect(named).not.toContain(ChannelType.GuildMedia);
});
