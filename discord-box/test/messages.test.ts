import { PermissionFlagsBits as P, type TextChannel } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { setOverwrite } from '../src/world/channels/change-channel.ts';
import { type Community, startCommunity } from './community.ts';
import { connectClient, recordEvents } from './client.ts';

type Client = Awaited<ReturnType<typeof connectClient>>;

let discord: Community;
let client: Client;
let events: ReturnType<typeof recordEvents>;
let channel: TextChannel;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false });
  client = await connectClient(discord);
  events = recordEvents(client);
});
afterAll(async () => {
  await client.destroy();
  await discord.stop();
});
beforeEach(() => {
  events.seen.length = 0;
  channel = client.channels.cache.get(discord.channels.rust.id) as TextChannel;
});

/** What the bot may do in #rust, on top of or below its roles. */
function setBotRights(allow: bigint, deny: bigint): void {
  const { botId } = discord.world.application;
  setOverwrite(discord.world, discord.channels.rust, botId, { kind: 'member', allow, deny });
}

const button = (customId: string) => ({ type: 2, style: 1, label: 'x', custom_id: customId });
const row = (...components: object[]) => ({ type: 1, components });
const send = (components: object[]) =>
  client.rest.post(`/channels/${channel.id}/messages`, { body: { components } });
const sendOnce = (nonce: string) => channel.send({ content: 'once', nonce, enforceNonce: true });
const several = <T>(count: number, thing: T): T[] => Array.from({ length: count }, () => thing);

describe('a message of the bot', () => {
  test('a message of the bot is sent, edited and deleted, and the gateway tells each', async () => {
    const message = await channel.send({ content: 'hello', embeds: [{ title: 'An article' }] });
    expect(await events.first('MESSAGE_CREATE')).toMatchObject({
      id: message.id,
      content: 'hello',
      embeds: [{ title: 'An article' }],
    });
    await message.edit('changed');
    expect(await events.first('MESSAGE_UPDATE')).toMatchObject({ content: 'changed' });
    expect(message.embeds[0]?.title).toBe('An article');
    await message.delete();
    expect(await events.first('MESSAGE_DELETE')).toMatchObject({ id: message.id });
    await expect(channel.messages.fetch(message.id)).rejects.toMatchObject({ code: 10008 });
  });

  test.each([
    ['content of 2 001 characters', { content: 'x'.repeat(2001) }],
    ['an embed title of 257', { embeds: [{ title: 'x'.repeat(257) }] }],
    ['an embed description of 4 097', { embeds: [{ description: 'x'.repeat(4097) }] }],
    ['26 fields', { embeds: [{ fields: several(26, { name: 'n', value: 'v' }) }] }],
    ['11 embeds', { embeds: several(11, { title: 't' }) }],
    ['embeds of 6 001 together', { embeds: several(2, { description: 'x'.repeat(3001) }) }],
    ['a link that is none', { embeds: [{ title: 't', url: 'javascript:alert(1)' }] }],
  ])('a message of the bot with %s is an invalid form', async (_, body) => {
    const failed = client.rest.post(`/channels/${channel.id}/messages`, { body });
    await expect(failed).rejects.toMatchObject({ code: 50035, status: 400 });
  });

  test('a message of the bot with components over their limits is an invalid form, with nothing in it empty', async () => {
    await expect(send([row(button('x'.repeat(101)))])).rejects.toMatchObject({ code: 50035 });
    await expect(send([row(button('a'), button('a'))])).rejects.toThrow(/duplicated/);
    await expect(send([row(...['1', '2', '3', '4', '5', '6'].map(button))])).rejects.toThrow(
      /length/,
    );
    await expect(send([])).rejects.toMatchObject({ code: 50006 });
  });

  test('a message of the bot pings only those whom allowed mentions let through', async () => {
    const [grace = '', wangmin = ''] = discord.members;
    const content = `<@${grace}> <@${wangmin}> @everyone`;
    const pings = async (allowedMentions: object) => {
      const { id } = await channel.send({ content, allowedMentions });
      return discord.channels.rust.messages.get(id)?.pings;
    };
    expect(await pings({ parse: [] })).toEqual({ userIds: [], roleIds: [], everyone: false });
    expect((await pings({ users: [grace] }))?.userIds).toEqual([grace]);
    // The bot may not mention everyone, whatever it allows itself.
    expect(await pings({ parse: ['users', 'everyone'] })).toMatchObject({
      userIds: [grace, wangmin],
      everyone: false,
    });
  });

  test('a message of the bot sent again with the same enforced nonce is the first message', async () => {
    const first = await sendOnce('a');
    expect((await sendOnce('a')).id).toBe(first.id);
    expect((await sendOnce('b')).id).not.toBe(first.id);
  });

  test('a message of the bot carries files that can be fetched', async () => {
    const message = await channel.send({
      files: [{ attachment: Buffer.from('1,2'), name: 'votes.csv' }],
    });
    const [file] = message.attachments.values();
    expect(file?.name).toBe('votes.csv');
    expect(await (await fetch(file?.url ?? '')).text()).toBe('1,2');
  });

  test("a message of the bot cannot be someone else's to be edited, and needs a permission to delete", async () => {
    const { id } = discord.as(discord.admin).send(channel.id, 'mine');
    const path = `/channels/${channel.id}/messages/${id}` as const;
    await expect(client.rest.patch(path, { body: { content: 'x' } })).rejects.toMatchObject({
      code: 50005,
    });
    await expect(client.rest.delete(path)).rejects.toMatchObject({ code: 50013 });
  });
});

describe('reading a channel', () => {
  test('reading a channel gives pages before, after and around a message, the newest first', async () => {
    const { gameDev } = discord.channels;
    const admin = discord.as(discord.admin);
    const ids = Array.from({ length: 7 }, (_, n) => admin.send(gameDev.id, `${n}`).id);
    const read = async (query: string) => {
      const path = `/channels/${gameDev.id}/messages?${query}` as const;
      const page = (await client.rest.get(path)) as { id: string }[];
      return page.map((message) => ids.indexOf(message.id));
    };
    expect(await read('limit=3')).toEqual([6, 5, 4]);
    expect(await read(`limit=3&before=${ids[4]}`)).toEqual([3, 2, 1]);
    expect(await read(`limit=3&after=${ids[1]}`)).toEqual([4, 3, 2]);
    expect(await read(`limit=3&around=${ids[3]}`)).toEqual([4, 3, 2]);
    await expect(read('limit=101')).rejects.toMatchObject({ code: 50035 });
  });

  test('reading a channel hides what others wrote from a bot without the message content intent', async () => {
    const { id } = discord.as(discord.admin).send(channel.id, 'secret');
    expect(await events.first('MESSAGE_CREATE')).toMatchObject({ id, content: '' });
    expect((await channel.messages.fetch(id)).content).toBe('');
  });

  test('reading a channel without Read Message History finds an empty list, not an error', async () => {
    await channel.send('here');
    setBotRights(0n, P.ReadMessageHistory);
    expect((await channel.messages.fetch({ limit: 100 })).size).toBe(0);
    setBotRights(0n, 0n);
    expect((await channel.messages.fetch({ limit: 100 })).size).toBeGreaterThan(0);
  });

  test('reading a channel that the bot may not view is refused, and says nothing of what happens there', async () => {
    setBotRights(0n, P.ViewChannel);
    await expect(channel.messages.fetch({ limit: 1 })).rejects.toMatchObject({ code: 50001 });
    discord.as(discord.admin).send(channel.id, 'unseen');
    setBotRights(0n, 0n);
    discord.as(discord.admin).send(channel.id, 'seen');
    await events.first('MESSAGE_CREATE');
    expect(events.of('MESSAGE_CREATE')).toHaveLength(1);
  });

  test('sending without the right to send or embed is refused', async () => {
    setBotRights(0n, P.EmbedLinks);
    await expect(channel.send({ embeds: [{ title: 't' }] })).rejects.toMatchObject({ code: 50013 });
    setBotRights(0n, P.SendMessages);
    await expect(channel.send('x')).rejects.toMatchObject({ code: 50013 });
    setBotRights(0n, 0n);
  });
});

describe('threads', () => {
  test('a forum post has its first message under its own id', async () => {
    const thread = discord.as(discord.admin).post(discord.channels.forum.id, 'A game', 'Look!');
    expect(await events.first('THREAD_CREATE')).toMatchObject({
      id: thread.id,
      parent_id: discord.channels.forum.id,
    });
    expect(thread.messages.get(thread.id)?.content).toBe('Look!');
  });

  test('an archived thread takes no edits and no reactions', async () => {
    const starter = await channel.send('a subject');
    setBotRights(0n, P.CreatePublicThreads);
    await expect(starter.startThread({ name: 'Talk' })).rejects.toMatchObject({ code: 50013 });
    setBotRights(0n, 0n);
    const opened = await starter.startThread({ name: 'Talk' });
    const message = await opened.send('here');
    discord.operator.archiveThread({ channel: opened.id, archived: true });
    expect(await events.first('THREAD_UPDATE')).toMatchObject({
      thread_metadata: { archived: true },
    });
    await expect(message.edit('x')).rejects.toMatchObject({ code: 50083 });
    await expect(message.react('👍')).rejects.toMatchObject({ code: 50083 });
    setBotRights(P.ManageThreads, 0n);
    await opened.delete();
    setBotRights(0n, 0n);
    expect(await events.first('THREAD_DELETE')).toMatchObject({ id: opened.id });
  });
});

describe('what a member sees', () => {
  test('a member sees the channels that roles and overwrites allow', () => {
    const names = (userId: string) =>
      discord
        .as(userId)
        .channels()
        .map((one) => one.name);
    expect(names(discord.members[0] ?? '')).not.toContain('moderators');
    expect(names(discord.moderator)).toContain('moderators');
    expect(names(discord.admin)).toContain('moderators');
  });

  test('a member opens a direct message, and the bot is told of it', async () => {
    const grace = discord.as(discord.members[0] ?? '');
    grace.send(grace.directMessages().id, 'hi');
    const told = await events.first('MESSAGE_CREATE');
    expect(told).toMatchObject({ content: 'hi' });
    expect(told['guild_id']).toBeUndefined();
  });
});
