import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addUser } from '../src/world/users.ts';
import { createMessage, editMessage } from '../src/world/messages/change-message.ts';
import { type Discord, type Message, startDiscord } from '../src/index.ts';
import { connectClient, recordEvents } from './client.ts';

let discord: Discord;
let owner: string;
let general: string;
let voice: string;

beforeAll(async () => {
  discord = await startDiscord({ rateLimits: false });
  owner = addUser(discord.world, { username: 'ada' }).id;
  ({ general } = discord.operator.createGuild({ name: 'Harbour', owner }));
  voice = discord.operator.createChannel({ name: 'lounge', kind: 'voice' }).id;
});
afterAll(() => discord.stop());

type BotResponse = { status: number; code?: number; body: Record<string, unknown> };

async function ask(method: string, path: string, body?: object): Promise<BotResponse> {
  const response = await fetch(`${discord.apiBase}/v10${path}`, {
    method,
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, code: json['code'] as number, body: json };
}
const send = (channel: string, body: object) => ask('POST', `/channels/${channel}/messages`, body);
const thread = () => discord.as(owner).startThread(general, 'a thread');
const field = (name: string) => ({
  embeds: [{ title: ' a ', fields: [{ name, value: ' b\n' }] }],
});
const channelOf = (id: string) => discord.world.channels.get(id)!;
const write = (channel: string, content: string): Message =>
  createMessage(discord.world, channelOf(channel), { authorId: owner, content });

describe('a voice channel', () => {
  test('a voice channel has a text chat for all who may connect', async () => {
    expect((await send(voice, { content: 'hello' })).status).toBe(200);
    expect((await ask('GET', `/channels/${voice}/messages`)).status).toBe(200);
  });
  test('a voice channel closes its chat to those who may not connect, but shows itself', async () => {
    const member = discord.operator.addPerson({ username: 'grace' });
    discord.operator.setPermissions({ channel: voice, who: 'everyone', deny: ['Connect'] });
    try {
      expect(await ask('GET', `/channels/${voice}/messages`)).toMatchObject({ code: 50001 });
      expect(await send(voice, { content: 'hello' })).toMatchObject({ code: 50001 });
      expect((await ask('GET', `/channels/${voice}`)).status).toBe(200);
      expect(() => discord.as(member).messages(voice)).toThrow('You cannot read this channel.');
    } finally {
      discord.operator.setPermissions({ channel: voice, who: 'everyone' });
    }
    expect(discord.as(member).messages(voice)).toHaveLength(1);
  });
  test('a voice channel tells the gateway nothing of a chat that the bot may not read', async () => {
    const client = await connectClient(discord);
    const events = recordEvents(client);
    discord.operator.setPermissions({ channel: voice, who: 'bot', deny: ['Connect'] });
    write(voice, 'unheard');
    discord.operator.setPermissions({ channel: voice, who: 'bot' });
    write(voice, 'heard');
    const [first] = await events.count('MESSAGE_CREATE', 1);
    await client.destroy();
    expect(first?.['id']).toBe(channelOf(voice).lastMessageId);
  });
  test('a voice channel has no threads', async () => {
    const { id } = write(voice, 'a subject');
    for (const refused of [
      await ask('POST', `/channels/${voice}/messages/${id}/threads`, { name: 'talk' }),
      await ask('GET', `/channels/${voice}/threads/archived/public`),
    ]) {
      expect(refused).toMatchObject({ status: 400, code: 50024 });
    }
    expect(() => discord.as(owner).startThread(voice, 'talk')).toThrow('no threads');
  });
});

test('a page of archived threads holds at least two', async () => {
  const page = `/channels/${general}/threads/archived/public?limit=`;
  expect(await ask('GET', `${page}1`)).toMatchObject({ status: 400, code: 50035 });
  expect((await ask('GET', `${page}2`)).body).toMatchObject({ threads: [], has_more: false });
});

test('an enforced nonce is unique per author, in all channels', async () => {
  const draft = { content: 'once', nonce: 'n1', enforce_nonce: true };
  const first = await send(general, draft);
  const again = await send(voice, draft);
  expect(again.body['id']).toBe(first.body['id']);
});

test('suppressed embeds are served to nobody, and come back', async () => {
  const { body } = await send(general, { embeds: [{ title: 'shown' }] });
  const path = `/channels/${general}/messages/${String(body['id'])}`;
  const message = channelOf(general).messages.get(String(body['id']))!;
  editMessage(discord.world, channelOf(general), message, { flags: 4 });
  expect((await ask('GET', path)).body).toMatchObject({ flags: 4, embeds: [] });
  editMessage(discord.world, channelOf(general), message, { flags: 0 });
  expect((await ask('GET', path)).body).toMatchObject({ embeds: [{ title: 'shown' }] });
});

test('the texts of an embed are trimmed, and a field says whether it is inline', async () => {
  const { body } = await send(general, field(' n '));
  expect(body['embeds']).toMatchObject([
    { title: 'a', fields: [{ name: 'n', value: 'b', inline: false }] },
  ]);
  expect(await send(general, field('  '))).toMatchObject({ status: 400, code: 50035 });
});

describe('Discord refuses', () => {
  test('a reply where the bot may not read what was before (160002)', async () => {
    const { id } = write(general, 'a question');
    const reply = { content: 'an answer', message_reference: { message_id: id } };
    const who = { channel: general, who: 'bot' };
    discord.operator.setPermissions({ ...who, deny: ['ReadMessageHistory'] });
    expect(await send(general, reply)).toMatchObject({ status: 403, code: 160002 });
    discord.operator.setPermissions(who);
    expect((await send(general, reply)).status).toBe(200);
  });
  test('Discord refuses a message or an edit in a locked thread, and once archived its deletion (160005)', async () => {
    const { id } = thread();
    const { body } = await send(id, { content: 'in time' });
    const path = `/channels/${id}/messages/${String(body['id'])}`;
    discord.operator.archiveThread({ channel: id, archived: false, locked: true });
    const locked = { status: 403, code: 160005 };
    expect(await send(id, { content: 'late' })).toMatchObject(locked);
    expect(await ask('PATCH', path, { content: 'late' })).toMatchObject(locked);
    discord.operator.archiveThread({ channel: id, archived: true, locked: true });
    expect(await ask('DELETE', path)).toMatchObject(locked);
    discord.operator.archiveThread({ channel: id, archived: false, locked: true });
    expect((await ask('DELETE', path)).status).toBe(204);
  });
  test('Discord refuses more than one of around, before and after, and what is no snowflake', async () => {
    const page = `/channels/${general}/messages?before=222222222222222222`;
    expect((await ask('GET', page)).status).toBe(200);
    const both = await ask('GET', `${page}&after=111111111111111111`);
    expect(both).toMatchObject({ status: 400, code: 50035 });
    const invalid = await ask('GET', `/channels/${general}/messages?before=abc`);
    expect(invalid).toMatchObject({ status: 400, code: 50035 });
  });
  test('a thread in a guild that has a thousand (160006)', async () => {
    discord.operator.setPermissions({
      channel: general,
      who: 'bot',
      allow: ['CreatePublicThreads'],
    });
    const { id } = write(general, 'a subject');
    const made = Array.from({ length: 1000 }, thread);
    const path = `/channels/${general}/messages/${id}/threads`;
    expect(await ask('POST', path, { name: 'talk' })).toMatchObject({ status: 400, code: 160006 });
    for (const one of made) discord.operator.deleteChannel({ channel: one.id });
    expect((await ask('POST', path, { name: 'talk' })).status).toBe(201);
  });
  test('Discord refuses harmful links (240000)', async () => {
    discord.world.harmfulHosts.add('evil.example');
    expect(await send(general, { content: 'https://evil.example/' })).toMatchObject({
      code: 240000,
    });
    expect((await send(general, { content: 'a cafe' })).status).toBe(200);
  });
  test('Discord refuses a reaction to what somebody wrote who blocked the bot (90001)', async () => {
    const { id } = write(general, 'leave me alone');
    const path = `/channels/${general}/messages/${id}/reactions/${encodeURIComponent('👍')}/@me`;
    discord.world.blockedBy.add(owner);
    expect(await ask('PUT', path)).toMatchObject({ status: 403, code: 90001 });
    discord.world.blockedBy.clear();
    expect((await ask('PUT', path)).status).toBe(204);
  });
  test('a direct message to somebody with whom the bot shares no guild (50278)', async () => {
    const member = discord.operator.addPerson({ username: 'tomas' });
    const { id } = discord.as(member).directMessages();
    expect((await send(id, { content: 'hello' })).status).toBe(200);
    discord.operator.removeMember({ member });
    expect(await send(id, { content: 'hello' })).toMatchObject({ status: 403, code: 50278 });
  });
  test('Discord refuses a file of more than 10 MB (40005)', async () => {
    const form = new FormData();
    form.set('payload_json', '{}');
    form.set('files[0]', new Blob([new Uint8Array(10_485_761)]), 'large.bin');
    const response = await fetch(`${discord.apiBase}/v10/channels/${general}/messages`, {
      method: 'POST',
      headers: { authorization: `Bot ${discord.token}` },
      body: form,
    });
    expect([response.status, await response.json()]).toMatchObject([413, { code: 40005 }]);
  });
});

describe('threads of channels that become visible come in one THREAD_LIST_SYNC, with', () => {
  const permissions = ['ViewChannel' as const];
  test.each([
    ['an overwrite', (channel: string) => discord.operator.setPermissions({ channel, who: 'bot' })],
    ['its role', () => discord.operator.setBotPermissions({ permissions: ['Administrator'] })],
    [
      'another role',
      () =>
        discord.operator.giveRole({
          member: discord.world.application.botId,
          permissions: ['Administrator'],
        }),
    ],
  ])(
    'threads of channels that become visible come in one THREAD_LIST_SYNC, with %s',
    async (_, show) => {
      discord.operator.setBotPermissions({ permissions });
      const { id } = discord.operator.createChannel({ name: 'secret' });
      discord.operator.setPermissions({ channel: id, who: 'bot', deny: permissions });
      const client = await connectClient(discord);
      const events = recordEvents(client);
      const { id: talk } = discord.as(owner).startThread(id, 'a thread');
      show(id);
      const sync = await events.first('THREAD_LIST_SYNC');
      await client.destroy();
      expect(events.of('THREAD_CREATE')).toEqual([]);
      expect(events.of('THREAD_LIST_SYNC')).toHaveLength(1);
      expect(sync?.['channel_ids']).toContain(id);
      expect(sync?.['threads']).toContainEqual(expect.objectContaining({ id: talk }));
    },
  );
});
