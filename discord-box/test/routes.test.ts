import { get } from 'node:http';
import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { ask as askAt } from './ask.ts';
import { type Community, startCommunity } from './community.ts';
import { connectClient } from './client.ts';
import { startDiscord } from '../src/index.ts';

let discord: Community;
let general: string;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false, botPermissions: 8n });
  general = discord.channels.general.id;
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
/** What the address of the gateway is in a version of the API. */
async function gatewayOf(version: string): Promise<object> {
  const response = await fetch(`${discord.apiBase}/${version}/gateway`);
  return { status: response.status, ...((await response.json()) as object) };
}
const write = (content: string) => discord.as(discord.admin).send(general, content).id;

test('a route that is missing says so by name, and once on the terminal', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { status, body } = await ask('GET', `/guilds/${discord.guildId}/templates`);
  await ask('GET', `/guilds/${discord.guildId}/templates`);
  expect(status).toBe(400);
  expect(body['message']).toContain('no route GET /guilds/{id}/templates');
  expect(said.mock.calls).toEqual([[body['message']]]);
  said.mockRestore();
});

test('a key that Discord does not know is ignored, and named once on the terminal', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const button = { type: 2, style: 1, label: 'Go', custom_id: 'go', colour: 'red' };
  const content = { contents: 'a', embeds: [{ title: 'a', colour: 1 }] };
  const components = [{ type: 1, components: [button] }];
  const path = `/channels/${general}/messages`;
  const { body } = await ask('POST', path, { ...content, components });
  await ask('POST', path, { ...content, components });
  const commands = `/applications/${discord.applicationId}/commands`;
  await ask('PUT', commands, [
    {
      name: 'a',
      description: 'a',
      options: [{ type: 3, name: 'b', description: 'b', autocomplet: true }],
    },
  ]);
  expect(body).toMatchObject({ content: '', embeds: [{ title: 'a' }] });
  expect(JSON.stringify(body)).not.toContain('colour');
  const named = said.mock.calls.map(([line]) => /"(.+?)"/.exec(String(line))?.[1]);
  said.mockRestore();
  expect(named).toEqual([
    'contents',
    'embeds[].colour',
    'components[].components[].colour',
    '[].options[].autocomplet',
  ]);
});

test('an address that Discord does not have either is not found', async () => {
  const paths = ['/nothing', `/guilds/${discord.guildId}/votes`, '/channels/1/messages/2/3'];
  for (const path of paths) expect((await ask('GET', path)).status).toBe(404);
  expect((await fetch(`${discord.address}/elsewhere`)).status).toBe(404);
});

test('a client of version 9 of the API is served, with its single embed and its unasked content', async () => {
  const old = await startCommunity({ privileged: { messageContent: true } });
  const address = `${old.apiBase}/v9`;
  const headers = { authorization: `Bot ${old.token}`, 'content-type': 'application/json' };
  const socket = new WebSocket(`${old.address.replace('http', 'ws')}/?v=9&encoding=json`);
  const heard: { t: string | null; d: { content?: string; v?: number } }[] = [];
  socket.on('message', (data) => heard.push(JSON.parse((data as Buffer).toString())));
  await new Promise((resolve) => socket.once('open', resolve));
  socket.send(JSON.stringify({ op: 2, d: { token: old.token, intents: 513, properties: {} } }));
  await expect.poll(() => heard.find(({ t }) => t === 'READY')?.d.v).toBe(9);
  old.as(old.admin).send(old.channels.general.id, 'read without the intent');
  await expect
    .poll(() => heard.find(({ t }) => t === 'MESSAGE_CREATE')?.d.content)
    .toBe('read without the intent');
  const sent = await fetch(`${address}/channels/${old.channels.general.id}/messages`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ embed: { title: 'one' } }),
  });
  expect(await sent.json()).toMatchObject({ embeds: [{ title: 'one' }] });
  socket.close();
  await old.stop();
});

test('an older version of the API is refused: a deprecated one as missing here, others as Discord does', async () => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {});
  const message = 'This Discord in a box speaks the versions 9 and 10 of the API, not v8.';
  expect(await gatewayOf('v8')).toEqual({ status: 400, message, code: 0 });
  expect(said.mock.calls).toEqual([[message]]);
  expect(await gatewayOf('v5')).toMatchObject({ status: 400, code: 50041 });
  said.mockRestore();
});

test('a test adds a route that is missing', async () => {
  const more = await startDiscord({
    routes: (routes, world) =>
      void routes.get('/guilds/:guild/templates', (context) =>
        context.json(world.guilds.has('1') ? 1 : []),
      ),
  });
  const { status, body } = await askAt(more, 'GET', '/guilds/1/templates');
  await more.stop();
  expect({ status, body }).toEqual({ status: 200, body: [] });
});

test('a test waits until a bot has asked nothing for a while', async () => {
  const end = discord.faults.add({ route: /gateway/, delayMs: 300, times: 1 });
  let isHeard = false;
  const asked = ask('GET', '/gateway/bot').then(() => (isHeard = true));
  await discord.until(() => (discord.requests.isIdle() ? undefined : true), 'a request');
  await discord.quiet(20);
  expect(discord.requests.count('GET', /gateway/)).toBe(1);
  await asked;
  end();
  expect(isHeard).toBe(true);
});

test('the token begins with the application’s id, and tells the application', async () => {
  const [first = ''] = discord.token.split('.');
  expect(Buffer.from(first, 'base64').toString()).toBe(discord.applicationId);
  const { body } = await ask('GET', '/oauth2/applications/@me');
  expect(body).toMatchObject({ id: discord.applicationId });
});

test('messages are deleted in bulk: 2 to 100, none of them older than two weeks', async () => {
  const path = `/channels/${general}/messages/bulk-delete`;
  const messages = [write('a'), write('b')];
  expect(await ask('POST', path, { messages: messages.slice(1) })).toMatchObject({ code: 50016 });
  const old = discord.world.snowflake(discord.world.clock.now() - 15 * 86_400_000);
  expect(await ask('POST', path, { messages: [old, ...messages] })).toMatchObject({ code: 50034 });
  expect((await ask('POST', path, { messages })).status).toBe(204);
  expect(messages.some((id) => discord.channels.general.messages.has(id))).toBe(false);
});

test('a message is pinned, listed by both routes, and let go', async () => {
  const id = write('remember this');
  const path = `/channels/${general}/messages/pins`;
  expect((await ask('PUT', `${path}/${id}`)).status).toBe(204);
  expect((await ask('GET', path)).body).toMatchObject({ items: [{ message: { id } }] });
  expect((await ask('GET', `/channels/${general}/pins`)).body).toMatchObject([{ id }]);
  await ask('DELETE', `${path}/${id}`);
  expect((await ask('GET', path)).body).toEqual({ items: [], has_more: false });
});

test('a role is made, given, taken and deleted, but none above the bot’s own', async () => {
  const path = `/guilds/${discord.guildId}/roles`;
  const high = await ask('POST', path, { name: 'readers', permissions: '0' });
  const id = String(high.body['id']);
  discord.operator.moveRole({ role: id, position: 9 });
  expect(await ask('DELETE', `${path}/${id}`)).toMatchObject({ code: 50013 });
  const [, moderators] = [...discord.guild.roles.keys()];
  const member = discord.members[0] ?? '';
  const ofMember = `/guilds/${discord.guildId}/members/${member}/roles/${moderators}`;
  expect((await ask('PUT', ofMember)).status).toBe(204);
  expect(discord.guild.members.get(member)?.roleIds.has(moderators ?? '')).toBe(true);
  expect((await ask('DELETE', ofMember)).status).toBe(204);
  expect(discord.guild.members.get(member)?.roleIds.size).toBe(0);
});

test('a channel is changed, with its overwrites and its spoiler flag', async () => {
  const { id } = discord.operator.createChannel({ name: 'plain' });
  const path = `/channels/${id}`;
  const changed = await ask('PATCH', path, { name: 'other', topic: 'that', flags: 1 << 21 });
  expect(changed.body).toMatchObject({ name: 'other', topic: 'that', flags: 1 << 21 });
  const overwrite = { type: 0, deny: '64' };
  expect((await ask('PUT', `${path}/permissions/${discord.guildId}`, overwrite)).status).toBe(204);
  const shown = await ask('GET', path);
  expect(shown.body).toMatchObject({ permission_overwrites: [{ deny: '64' }] });
  expect((await ask('DELETE', `${path}/permissions/${discord.guildId}`)).status).toBe(204);
  expect((await ask('POST', `${path}/typing`)).status).toBe(204);
});

describe('threads', () => {
  test('threads begin without a message, public and private, and with a post', async () => {
    const path = `/channels/${general}/threads`;
    const open = await ask('POST', path, { name: 'talk', type: 11 });
    expect(open).toMatchObject({ status: 201, body: { type: 11, name: 'talk' } });
    expect((await ask('POST', path, { name: 'whisper' })).body).toMatchObject({ type: 12 });
    const forum = `/channels/${discord.channels.forum.id}/threads`;
    const post = await ask('POST', forum, { name: 'my work', message: { content: 'look' } });
    expect(post.body).toMatchObject({ name: 'my work', message: { content: 'look' } });
  });

  test('threads take members in and let them go', async () => {
    const { body } = await ask('POST', `/channels/${general}/threads`, { name: 'talk', type: 11 });
    const member = discord.members[1] ?? '';
    const path = `/channels/${String(body['id'])}/thread-members/${member}`;
    expect(await ask('GET', path)).toMatchObject({ status: 404, code: 10007 });
    expect((await ask('PUT', path)).status).toBe(204);
    expect((await ask('GET', path)).body).toMatchObject({ user_id: member });
    expect((await ask('DELETE', path)).status).toBe(204);
  });
});

test('a command of one guild is there alone', async () => {
  const { guild, general: elsewhere } = discord.operator.createGuild({
    name: 'Elsewhere',
    owner: discord.admin,
  });
  const path = `/applications/${discord.applicationId}/guilds/${guild}/commands`;
  const made = await ask('POST', path, { name: 'local', description: 'Here alone' });
  expect(made).toMatchObject({ status: 201, body: { guild_id: guild, name: 'local' } });
  const names = (channel: string) =>
    discord
      .as(discord.admin)
      .commands(channel)
      .map(({ name }) => name);
  expect(names(elsewhere)).toContain('local');
  expect(names(general)).not.toContain('local');
  const one = `${path}/${String(made.body['id'])}`;
  expect((await ask('PATCH', one, { description: 'Changed' })).body).toMatchObject({
    description: 'Changed',
  });
  expect((await ask('DELETE', one)).status).toBe(204);
});

test('a layout of components is sent, pressed, and never becomes content again', async () => {
  const client = await connectClient(discord);
  client.on('interactionCreate', (interaction) => {
    if (interaction.isButton()) void interaction.reply('pressed');
  });
  const button = { type: 2, style: 1, label: 'Go', custom_id: 'go' };
  const section = { type: 9, components: [{ type: 10, content: 'a' }], accessory: button };
  const path = `/channels/${general}/messages`;
  const components = [{ type: 17, components: [section] }];
  const { body } = await ask('POST', path, { flags: MessageFlags.IsComponentsV2, components });
  const id = String(body['id']);
  const { message } = await discord.as(discord.admin).press(general, id, 'go');
  await client.destroy();
  expect(message?.content).toBe('pressed');
  expect(await ask('PATCH', `${path}/${id}`, { content: 'plain' })).toMatchObject({ code: 50035 });
});

test('a client that was led here under Discord’s name is told the gateway’s name there', async () => {
  const { port } = new URL(discord.address);
  const headers = { host: 'discord.com', authorization: `Bot ${discord.token}` };
  const text = await new Promise<string>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path: '/api/v10/gateway', headers }, async (response) => {
      resolve((await response.setEncoding('utf8').toArray()).join(''));
    }).on('error', reject);
  });
  expect(JSON.parse(text)).toEqual({ url: 'wss://gateway.discord.gg' });
});

test('a path that a client encodes whole is the same', async () => {
  const id = write('vote');
  const path = `/channels/${general}/messages/${id}/reactions/%F0%9F%91%8D/%40me`;
  expect((await ask('PUT', path)).status).toBe(204);
});

test('an id that a client writes as a number is the same', async () => {
  const id = write('answer me');
  const headers = { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' };
  const sent = await fetch(`${discord.apiBase}/v10/channels/${general}/messages`, {
    method: 'POST',
    headers,
    body: `{"content":"to 12345678901234567890","message_reference":{"message_id":${id},"channel_id":${general}}}`,
  });
  expect(await sent.json()).toMatchObject({
    content: 'to 12345678901234567890',
    message_reference: { message_id: id, channel_id: general },
  });
});
