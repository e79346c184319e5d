import { afterAll, beforeAll, expect, test } from 'vitest';
import { ask as askAt } from './ask.ts';
import { connectClient, recordEvents } from './client.ts';
import { type Community, startCommunity } from './community.ts';

/** What public bots ask for besides messages: webhooks, invites, roles, settings of channels. */
let discord: Community;
let general: string;
let guild: string;

beforeAll(async () => {
  discord = await startCommunity({ rateLimits: false, botPermissions: 8n });
  general = discord.channels.general.id;
  guild = `/guilds/${discord.guildId}`;
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);

test('a webhook writes under a name of its own, and its message is changed with its token alone', async () => {
  const made = await ask('POST', `/channels/${general}/webhooks`, { name: 'Logger' });
  const { id, token } = made.body as { id: string; token: string };
  const path = `/webhooks/${id}/${token}`;
  const said = { content: 'A log', username: 'Bob' };
  const sent = await askAt({ ...discord, token: '' }, 'POST', `${path}?wait=true`, said);
  expect(sent.body).toMatchObject({ webhook_id: id, author: { id, username: 'Bob', bot: true } });
  const message = String(sent.body['id']);
  const edited = await ask('PATCH', `${path}/messages/${message}`, { content: 'Changed' });
  expect(edited.body['content']).toBe('Changed');
  expect(await ask('POST', `/webhooks/${id}/wrong`, said)).toMatchObject({ code: 50027 });
  expect((await ask('DELETE', `${path}/messages/${message}`)).status).toBe(204);
  expect((await ask('GET', `${guild}/webhooks`)).body).toMatchObject([{ id, name: 'Logger' }]);
  expect((await ask('DELETE', `/webhooks/${id}`)).status).toBe(204);
  expect(await ask('POST', path, said)).toMatchObject({ code: 10015 });
});

test('an invite tells how often it was used, and is gone when it was used often enough', async () => {
  const made = await ask('POST', `/channels/${general}/invites`, { max_age: 0, max_uses: 2 });
  const invite = String(made.body['code']);
  const uses = async () =>
    ((await ask('GET', `${guild}/invites`)).body as unknown as { uses: number }[]).map(
      (one) => one.uses,
    );
  expect(await uses()).toEqual([0]);
  discord.operator.addPerson({ username: 'first', invite });
  expect(await uses()).toEqual([1]);
  discord.operator.addPerson({ username: 'second', invite });
  expect(await ask('GET', `/invites/${invite}`)).toMatchObject({ status: 404, code: 10006 });
});

test('a new role stands at the bottom, and the bot moves it up to below its own', async () => {
  const made = async (name: string) =>
    String((await ask('POST', `${guild}/roles`, { name })).body['id']);
  const [low, high] = [await made('low'), await made('high')];
  const order = () =>
    [...discord.guild.roles.values()]
      .sort((a, b) => a.position - b.position)
      .map(({ name }) => name);
  expect(order().slice(0, 3)).toEqual(['@everyone', 'high', 'low']);
  // As clients do, it names those too that stay where they are, its own among them.
  const positions = [...discord.guild.roles.values()].map(({ id, position }) => ({ id, position }));
  const moved = positions.map((one) =>
    one.id === high ? { id: high, position: 2 } : one.id === low ? { id: low, position: 1 } : one,
  );
  expect((await ask('PATCH', `${guild}/roles`, moved)).status).toBe(200);
  expect(order().slice(0, 3)).toEqual(['@everyone', 'low', 'high']);
  const own = [...discord.guild.roles.values()].find(({ managed }) => managed)?.position;
  const above = await ask('PATCH', `${guild}/roles`, [{ id: low, position: own }]);
  expect(above).toMatchObject({ status: 403, code: 50013 });
});

test('a forum has tags, and slowmode holds a member back, but no bot', async () => {
  const forum = await ask('POST', `${guild}/channels`, {
    name: 'help',
    type: 15,
    available_tags: [{ name: 'bug' }],
  });
  expect(forum.body['available_tags']).toMatchObject([{ name: 'bug', moderated: false }]);
  const [member = ''] = discord.members;
  const { ai } = discord.channels;
  await ask('PATCH', `/channels/${ai.id}`, { rate_limit_per_user: 10 });
  discord.as(member).send(ai.id, 'one');
  expect(() => discord.as(member).send(ai.id, 'two')).toThrow('Slowmode');
  for (const content of ['three', 'four']) {
    expect((await ask('POST', `/channels/${ai.id}/messages`, { content })).status).toBe(200);
  }
  discord.clock.move(10_000);
  discord.as(member).send(ai.id, 'five');
});

test('a setting of the server that is not kept says so', async () => {
  expect((await ask('PATCH', guild, { name: 'Bay' })).body['name']).toBe('Bay');
  const other = await ask('PATCH', guild, { afk_timeout: 60 });
  expect(JSON.stringify(other.body)).toContain('keeps no afk_timeout');
});

test('an emoji is made, renamed and taken away, and the bot hears of it', async () => {
  const client = await connectClient(discord);
  const events = recordEvents(client);
  const image = 'data:image/jpg;base64,/9j/';
  const { body } = await ask('POST', `${guild}/emojis`, { name: 'wave', image });
  const path = `${guild}/emojis/${String(body['id'])}`;
  expect((await ask('PATCH', path, { name: 'hello' })).body['name']).toBe('hello');
  expect((await ask('DELETE', path)).status).toBe(204);
  expect(await ask('GET', path)).toMatchObject({ status: 404, code: 10014 });
  expect(events.of('GUILD_EMOJIS_UPDATE').length).toBeLessThanOrEqual(3);
  await client.destroy();
});

test('sending and editing are counted apart, though both tell the same bucket', async () => {
  const limited = await startCommunity({ botPermissions: 8n });
  const path = `/channels/${limited.channels.general.id}/messages`;
  const sent = await askAt(limited, 'POST', path, { content: 'one' });
  const edited = await askAt(limited, 'PATCH', `${path}/${String(sent.body['id'])}`, {
    content: 'two',
  });
  await limited.stop();
  const told = (name: string) => [sent, edited].map(({ headers }) => headers.get(name));
  expect(told('x-ratelimit-remaining')).toEqual(['4', '4']);
  expect(new Set(told('x-ratelimit-bucket')).size).toBe(1);
});
