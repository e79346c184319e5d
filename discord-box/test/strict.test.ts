import { ApplicationCommandType, MessageFlags, MessageType } from 'discord-api-types/v10';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createMessage } from '../src/world/messages/change-message.ts';
import type { Message } from '../src/index.ts';
import { ask as askAt, askRaw } from './ask.ts';
import { type Community, type CommunityOptions, startCommunity } from './community.ts';
import { connectClient, recordEvents } from './client.ts';

/** Where this Discord was kinder than the real one, and so hid what is wrong with a bot. */
let discord: Community;
let general: string;
let ada: string;
let grace: string;
let nowMs: number;

async function start(options: CommunityOptions = {}): Promise<void> {
  nowMs = Date.UTC(2027, 2, 10, 12);
  const startedMs = Date.now();
  const clock = { now: () => nowMs + Date.now() - startedMs };
  discord = await startCommunity({ rateLimits: false, clock, ...options });
  general = discord.channels.general.id;
  ada = discord.admin;
  grace = discord.members[0] ?? '';
}
const restart = async (options: CommunityOptions) => {
  await discord.stop();
  await start(options);
};
beforeEach(() => start());
afterEach(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
const send = (body: object, channel = general) =>
  ask('POST', `/channels/${channel}/messages`, body);
const write = (content: string, authorId = ada): Message =>
  createMessage(discord.world, discord.channels.general, { authorId, content });
const reaction = (message: string, emoji: string) =>
  `/channels/${general}/messages/${message}/reactions/${encodeURIComponent(emoji)}/@me`;

test('a channel that the bot may not view has no name, stands in no list, and is there', async () => {
  const client = await connectClient(discord);
  const events = recordEvents(client);
  const secret = { id: general, name: '___hidden___', flags: 1 << 17, topic: null };
  const deny = { id: discord.guildId, type: 0, allow: '0', deny: '1024' };
  const list = async () =>
    (
      (await ask('GET', `/guilds/${discord.guildId}/channels`)).body as unknown as { id: string }[]
    ).map(({ id }) => id);
  expect(await list()).toContain(general);

  // By an overwrite, and then by a role.
  discord.operator.setPermissions({ channel: general, who: 'everyone', deny: ['ViewChannel'] });
  expect(await events.first('CHANNEL_UPDATE')).toMatchObject({
    ...secret,
    permission_overwrites: [deny],
  });
  expect(await list()).not.toContain(general);
  expect(await list()).toContain(discord.channels.rust.id);
  expect(await ask('GET', `/channels/${general}`)).toMatchObject({
    status: 403,
    body: { code: 50001 },
  });
  const role = [...discord.guild.roles.values()].find(({ managed }) => managed)!;
  discord.operator.setRolePermissions({ role: role.id, permissions: ['Administrator'] });
  expect((await events.count('CHANNEL_UPDATE', 2))[1]).toMatchObject({
    id: general,
    name: 'general',
    flags: 0,
    topic: 'Anything goes.',
  });
  expect(await list()).toContain(general);
  await client.destroy();
});

describe('a forward', () => {
  test('a forward of a member has no content, and a copy that later edits do not reach', async () => {
    await restart({ privileged: { messageContent: true } });
    const { id } = write('look: https://a.example/');
    const { id: forwarded } = discord.as(grace).forward(discord.channels.rust.id, general, id);
    discord.as(ada).edit(general, id, 'nothing to see');
    const { body } = await ask(
      'GET',
      `/channels/${discord.channels.rust.id}/messages/${forwarded}`,
    );
    expect(body).toMatchObject({
      content: '',
      flags: MessageFlags.HasSnapshot,
      message_reference: { type: 1, message_id: id, channel_id: general },
      message_snapshots: [{ message: { content: 'look: https://a.example/', type: 0 } }],
    });
    expect(body).not.toHaveProperty('referenced_message');
  });

  test('a forward hides its content from a bot without the intent', async () => {
    const { id } = write('a secret');
    const { id: forwarded } = discord.as(grace).forward(discord.channels.rust.id, general, id);
    const { body } = await ask(
      'GET',
      `/channels/${discord.channels.rust.id}/messages/${forwarded}`,
    );
    expect(body).toMatchObject({ message_snapshots: [{ message: { content: '' } }] });
  });

  test('a forward by the bot names its channel, has nothing else, and shows what the bot may read', async () => {
    const own = (await send({ content: 'mine' })).body['id'];
    const reference = { type: 1, message_id: own, channel_id: general };
    const sent = await send({ message_reference: reference });
    expect(sent.body).toMatchObject({ message_snapshots: [{ message: { content: 'mine' } }] });
    const more = await send({ content: 'and', message_reference: reference });
    expect(more).toMatchObject({ code: 50035 });
    const { channel_id: _, ...nowhere } = reference;
    expect(await send({ message_reference: nowhere })).toMatchObject({ code: 50035 });
    const others = { ...reference, message_id: write('not mine').id };
    expect(await send({ message_reference: others })).toMatchObject({ code: 160014 });
  });
});

describe('who is pinged when allowed_mentions is left out:', () => {
  test('without allowed_mentions a message pings whomever it names, and a reply its author as well', () => {
    const { id } = write('hello', grace);
    const mention = `<@${ada}>`;
    const reply = createMessage(discord.world, discord.channels.general, {
      authorId: discord.world.application.botId,
      content: mention,
      replyTo: id,
    });
    expect(reply.pings.userIds).toEqual([ada, grace]);
  });

  test('a reply with allowed_mentions pings nobody who is not in them', async () => {
    const { id } = write('hello', grace);
    const reply = async (allowed_mentions: object) =>
      (await send({ content: 'hi', message_reference: { message_id: id }, allowed_mentions })).body[
        'mentions'
      ];
    expect(await reply({ parse: [] })).toEqual([]);
    expect(await reply({ replied_user: true })).toMatchObject([{ id: grace }]);
  });

  test('an answer to an interaction without allowed_mentions pings users, but no role and not everyone', async () => {
    discord.operator.setBotPermissions({ permissions: ['Administrator'] });
    const client = await connectClient(discord, { allowedMentions: undefined as never });
    await client.application.commands.create({ name: 'shout', description: 'Shouts' });
    client.on('interactionCreate', (interaction) => {
      if (interaction.isRepliable()) void interaction.reply(`@everyone <@${ada}>`);
    });
    const { message } = await discord.as(ada).command(general, 'shout');
    await client.destroy();
    expect(message).toMatchObject({ mention_everyone: false, mentions: [{ id: ada }] });
    const { body } = await send({ content: '@everyone' });
    expect(body).toMatchObject({ mention_everyone: true });
  });
});

describe('a thread', () => {
  test('a thread archives itself when nobody wrote in it for as long as it says, and tells', async () => {
    const client = await connectClient(discord);
    const events = recordEvents(client);
    const thread = discord.as(ada).startThread(general, 'talk');
    nowMs += 4320 * 60_000;
    expect(await events.first('THREAD_UPDATE')).toMatchObject({
      id: thread.id,
      thread_metadata: { archived: true },
    });
    await client.destroy();
  });

  test('a thread whose time is over refuses an edit in the same moment (50083)', async () => {
    const thread = discord.as(ada).startThread(general, 'talk');
    const { body } = await send({ content: 'hello' }, thread.id);
    nowMs += 4320 * 60_000;
    const path = `/channels/${thread.id}/messages/${String(body['id'])}`;
    expect(await ask('PATCH', path, { content: 'bye' })).toMatchObject({ code: 50083 });
  });

  test('a thread of the bot is archived and reopened by it, and locked with Manage Threads alone', async () => {
    const { id } = write('a subject');
    discord.operator.setPermissions({
      channel: general,
      who: 'bot',
      allow: ['CreatePublicThreads'],
    });
    await ask('POST', `/channels/${general}/messages/${id}/threads`, { name: 'talk' });
    const archived = await ask('PATCH', `/channels/${id}`, { archived: true });
    expect(archived.body).toMatchObject({ thread_metadata: { archived: true, locked: false } });
    expect(await ask('PATCH', `/channels/${id}`, { name: 'chat' })).toMatchObject({ code: 50083 });
    const reopened = await ask('PATCH', `/channels/${id}`, { archived: false });
    expect(reopened.body).toMatchObject({ thread_metadata: { archived: false } });
    expect(await ask('PATCH', `/channels/${id}`, { locked: true })).toMatchObject({ code: 50013 });
    discord.operator.setBotPermissions({ permissions: ['ViewChannel', 'ManageThreads'] });
    const locked = await ask('PATCH', `/channels/${id}`, { locked: true, archived: true });
    expect(locked.body).toMatchObject({ thread_metadata: { archived: true, locked: true } });
  });

  test('a thread begins with a message that nobody can delete (50021)', async () => {
    discord.operator.setBotPermissions({ permissions: ['Administrator'] });
    const { id } = write('a subject');
    const thread = discord.as(ada).startThread(general, 'talk', { from: id });
    const [first] = thread.messageIds;
    expect(await ask('DELETE', `/channels/${thread.id}/messages/${first}`)).toMatchObject({
      status: 403,
      code: 50021,
    });
  });

  test('a thread is joined by whom a message in it mentions', async () => {
    const thread = discord.as(ada).startThread(general, 'talk');
    const { body } = await send({ content: '…' }, thread.id);
    const path = `/channels/${thread.id}/messages/${String(body['id'])}`;
    await ask('PATCH', path, { content: `<@${grace}>`, allowed_mentions: { users: [grace] } });
    expect(thread.thread?.memberIds.has(grace)).toBe(true);
  });
});

test.each([
  ['a word in any case', 'Casino!', 'a casinos', 'casino'],
  ['the beginning of a word', 'casinos', 'a casin', 'casino*'],
  ['the middle of a word', 'acasinob', 'a cas in o', '*casino*'],
  ['a phrase', 'see THE MAT there', 'the mats', 'the mat'],
])('automatic moderation holds back what a person writes for %s', (_, content, other, word) => {
  discord.operator.blockWords({ words: [word] });
  const write = (text: string) => discord.as(grace).send(general, text);
  expect(() => write(content)).toThrow('held this message back');
  expect(write(other)).toMatchObject({ content: other });
});

test('automatic moderation holds back nothing that a bot sends or edits', async () => {
  discord.operator.blockWords({ words: ['casino'] });
  const { status, body } = await send({ content: 'casino', embeds: [{ title: 'casino' }] });
  expect(status).toBe(200);
  const path = `/channels/${general}/messages/${String(body['id'])}`;
  expect((await ask('PATCH', path, { content: 'my casino' })).status).toBe(200);
});

/** Opens a connection, sends this, and resolves with what comes, or with the code that closed it. */
async function connect(op: number, d: object): Promise<unknown> {
  return new Promise((resolve) => {
    const socket = new WebSocket(`${discord.address.replace('http', 'ws')}/?v=10`);
    socket.on('open', () => socket.send(JSON.stringify({ op, d })));
    socket.on('message', (data: Buffer) => {
      const payload = JSON.parse(data.toString()) as { op: number };
      if (payload.op !== 10) resolve(payload);
    });
    socket.on('close', resolve);
  });
}
const identify = () => connect(2, { token: discord.token, intents: 1 });

describe('what costs a bot its access:', () => {
  test('one IDENTIFY more than a day allows ends all sessions and takes the token', async () => {
    await restart({
      identifies: { left: { total: 1000, remaining: 1, resetAtMs: nowMs + 86_400_000 } },
    });
    expect(await identify()).toMatchObject({ t: 'READY' });
    const start = await ask('GET', '/gateway/bot');
    expect(start.body).toMatchObject({ session_start_limit: { remaining: 0, total: 1000 } });
    expect(await identify()).toBe(4004);
    expect(await ask('GET', '/users/@me')).toMatchObject({ status: 401 });
  });

  test('refusals are counted, and too many shut a bot out for a while', async () => {
    Object.assign(discord.world.invalidRequests, { most: 3 });
    const { id } = discord.channels.general;
    discord.operator.setPermissions({ channel: id, who: 'bot', deny: ['ViewChannel'] });
    for (let n = 0; n < 3; n += 1) expect((await send({ content: 'a' })).status).toBe(403);
    const out = await askRaw(discord, 'GET', '/users/@me');
    expect(out).toMatchObject({ status: 429, text: 'error code: 1015' });
    expect(Number(out.headers.get('retry-after'))).toBeGreaterThan(500);
    nowMs += 600_000;
    expect((await ask('GET', '/users/@me')).status).toBe(200);
  });

  test('a 429 that others caused is not counted', async () => {
    discord.faults.add({ status: 429, scope: 'shared', retryAfterSeconds: 3 });
    const refused = await ask('GET', '/users/@me');
    expect(refused.headers.get('retry-after')).toBe('3');
    expect(refused.body).toMatchObject({ retry_after: 3, global: false });
    expect(discord.world.invalidRequests.count).toBe(0);
  });

  test('a session that was lost for minutes is not resumed', async () => {
    const client = await connectClient(discord);
    const [session] = discord.gateway.sessions.values();
    await client.destroy();
    if (session !== undefined) {
      Object.assign(session, { socket: null, lostAtMs: discord.world.clock.now() });
      discord.gateway.sessions.set(session.id, session);
    }
    nowMs += 6 * 60_000;
    const { token } = discord;
    const asked = { token, session_id: session?.id, seq: session?.sequence };
    expect(await connect(6, asked)).toMatchObject({ op: 9, d: false });
  });
});

describe('members', () => {
  test('members of a whole guild come with the intent alone, in pieces', async () => {
    await restart({ privileged: { guildMembers: true } });
    const client = await connectClient(discord, { intents: ['Guilds', 'GuildMembers'] });
    const members = await client.guilds.cache.get(discord.guildId)?.members.fetch();
    await client.destroy();
    expect(members?.size).toBe(discord.guild.members.size);
  });

  test('members are not listed without the intent (50001), but found by their name', async () => {
    const path = `/guilds/${discord.guildId}/members`;
    expect(await ask('GET', `${path}?limit=10`)).toMatchObject({ status: 403, code: 50001 });
    const { body } = await ask('GET', `${path}/search?query=gra`);
    expect(body).toMatchObject([{ user: { username: 'grace' } }]);
  });
});

describe('an emoji', () => {
  test('an emoji that the bot does not have is unknown (10014)', async () => {
    const { id } = write('hello');
    const stranger = await ask('PUT', reaction(id, `blob:${discord.world.snowflake()}`));
    expect(stranger).toMatchObject({ status: 400, code: 10014 });
    const own = discord.operator.addEmoji({ name: 'blob' });
    expect((await ask('PUT', reaction(id, `blob:${own}`))).status).toBe(204);
  });

  test('an emoji that is limited to roles, lost with a boost or of a subscription is unknown (10014) too', async () => {
    const { operator, guild, guildId } = discord;
    const { id } = write('hello');
    const role = operator.addRole({ name: 'Club' });
    const club = operator.addEmoji({ name: 'club', roles: [role] });
    const sub = operator.addEmoji({ name: 'sub' });
    guild.emojis.get(sub)!.managed = true;
    const react = (emoji: string) => ask('PUT', reaction(id, `any:${emoji}`));
    const unknown = { status: 400, code: 10014 };
    expect(await react(club)).toMatchObject(unknown);
    expect(await react(sub)).toMatchObject(unknown);
    expect(() => discord.as(ada).react(general, id, `club:${club}`)).toThrow('do not have');
    operator.giveRole({ member: ada, role });
    discord.as(ada).react(general, id, `club:${club}`);
    // Who joins a reaction needs no emoji of their own.
    expect((await react(club)).status).toBe(204);
    const lost = operator.addEmoji({ name: 'lost' });
    operator.changeEmoji({ emoji: lost, isAvailable: false });
    expect(await react(lost)).toMatchObject(unknown);
    const { body } = await ask('GET', `/guilds/${guildId}/emojis`);
    expect(body).toMatchObject([
      { id: club, roles: [role], available: true },
      { id: sub, managed: true, roles: [] },
      { id: lost, roles: [], available: false },
    ]);
    operator.changeEmoji({ emoji: lost, isAvailable: true });
    expect((await react(lost)).status).toBe(204);
    for (const emoji of [club, sub, lost]) operator.changeEmoji({ emoji, isDeleted: true });
  });

  test('an emoji of another server needs a permission', async () => {
    const { id } = write('hello');
    const { guild } = discord.operator.createGuild({ name: 'Elsewhere', owner: ada });
    const foreign = discord.operator.addEmoji({ guild, name: 'blob' });
    const deny = ['UseExternalEmojis' as const];
    discord.operator.setPermissions({ channel: general, who: 'bot', deny });
    expect(await ask('PUT', reaction(id, `blob:${foreign}`))).toMatchObject({ code: 50013 });
    discord.operator.setPermissions({ channel: general, who: 'bot' });
    expect((await ask('PUT', reaction(id, `blob:${foreign}`))).status).toBe(204);
  });

  test('an emoji beyond the twentieth is refused as forbidden (30010)', async () => {
    const { id } = write('hello');
    for (const letter of 'ABCDEFGHIJKLMNOPQRST') {
      const emoji = discord.operator.addEmoji({ name: `e${letter}` });
      discord.as(ada).react(general, id, `e${letter}:${emoji}`);
    }
    const refused = await ask('PUT', reaction(id, '👍'));
    expect(refused).toMatchObject({ status: 403, code: 30010 });
  });
});

describe('a permission that is suspended', () => {
  test('where the guild demands two factors that the owner of the bot lacks (60003)', async () => {
    discord.operator.setBotPermissions({ permissions: ['Administrator'] });
    const { id } = write('hello');
    discord.operator.setTwoFactors({ demanded: true, ownerHasThem: false });
    const path = `/channels/${general}/messages/${id}`;
    expect(await ask('DELETE', path)).toMatchObject({ status: 403, code: 60003 });
    expect((await ask('PUT', reaction(id, '👍'))).status).toBe(204);
    discord.operator.setTwoFactors({ demanded: true, ownerHasThem: true });
    expect((await ask('DELETE', path)).status).toBe(204);
  });

  test('a bot that is timed out reads, and does nothing else', async () => {
    const { id } = write('hello');
    discord.operator.timeOut({ untilMs: nowMs + 60_000 });
    expect(await send({ content: 'a' })).toMatchObject({ code: 50013 });
    expect((await ask('GET', `/channels/${general}/messages/${id}`)).status).toBe(200);
    nowMs += 61_000;
    expect((await send({ content: 'a' })).status).toBe(200);
  });
});

describe('a message', () => {
  test('a message to a member who takes no direct messages is refused (50007)', async () => {
    const { body } = await ask('POST', '/users/@me/channels', { recipient_id: grace });
    const channel = String(body['id']);
    discord.operator.closeDirectMessages({ member: grace, closed: true });
    expect(await send({ content: 'hi' }, channel)).toMatchObject({ status: 403, code: 50007 });
    discord.operator.closeDirectMessages({ member: grace, closed: false });
    expect((await send({ content: 'hi' }, channel)).status).toBe(200);
  });

  test('a message of another member loses its embeds to those who may manage messages, and nothing else', async () => {
    const path = `/channels/${general}/messages/${write('https://a.example/').id}`;
    const flags = MessageFlags.SuppressEmbeds;
    expect(await ask('PATCH', path, { flags })).toMatchObject({ code: 50013 });
    discord.operator.setBotPermissions({ permissions: ['Administrator'] });
    expect((await ask('PATCH', path, { flags })).body).toMatchObject({ flags });
    expect(await ask('PATCH', path, { content: 'mine' })).toMatchObject({ code: 50005 });
  });

  test('a message that answers a menu is of its own type', async () => {
    const client = await connectClient(discord);
    await client.application.commands.create({
      name: 'Look',
      type: ApplicationCommandType.Message,
    });
    await client.application.commands.create({ name: 'Greet', type: ApplicationCommandType.User });
    client.on('interactionCreate', (interaction) => {
      if (interaction.isRepliable()) void interaction.reply('…');
    });
    const { id } = write('hello');
    const answers = [
      await discord.as(ada).messageCommand(general, id, 'Look'),
      await discord.as(ada).userCommand(general, grace, 'Greet'),
    ];
    await client.destroy();
    const type = MessageType.ContextMenuCommand;
    expect(answers.map(({ message }) => message?.type)).toEqual([type, type]);
  });
});

describe('a poll', () => {
  const poll = {
    question: { text: 'Tea?' },
    answers: ['yes', 'no'].map((text) => ({ poll_media: { text } })),
    duration: 1,
  };

  test('a poll is kept, voted on by members, told, and ends by its time', async () => {
    discord.operator.setBotPermissions({ permissions: ['SendMessages', 'SendPolls'] });
    const client = await connectClient(discord, {
      intents: ['Guilds', 'GuildMessages', 'GuildMessagePolls'],
    });
    const events = recordEvents(client);
    const { body } = await send({ poll });
    const id = String(body['id']);
    discord.as(grace).votePoll(general, id, [1]);
    expect(await events.first('MESSAGE_POLL_VOTE_ADD')).toMatchObject({ answer_id: 1 });
    const voters = await ask('GET', `/channels/${general}/polls/${id}/answers/1`);
    expect(voters.body).toMatchObject({ users: [{ id: grace }] });
    const edit = await ask('PATCH', `/channels/${general}/messages/${id}`, { content: 'a' });
    expect(edit).toMatchObject({ code: 520003 });
    nowMs += 3_600_000;
    await discord.until(
      () => discord.channels.general.messages.get(id)?.poll?.isOver || undefined,
      'the end of the poll',
    );
    await client.destroy();
    const shown = await ask('GET', `/channels/${general}/messages/${id}`);
    expect(shown.body).toMatchObject({ poll: { results: { is_finalized: true } } });
  });

  test('a poll needs a permission, and ends when its author says so', async () => {
    expect(await send({ poll })).toMatchObject({ code: 50013 });
    discord.operator.setBotPermissions({ permissions: ['Administrator'] });
    const path = `/channels/${general}/polls/${String((await send({ poll })).body['id'])}/expire`;
    expect((await ask('POST', path)).status).toBe(200);
    expect(await ask('POST', path)).toMatchObject({ code: 520001 });
  });
});

test('GUILD_CREATE comes with the intent for guilds alone', async () => {
  const client = await connectClient(discord, { intents: ['GuildMessages'] });
  const events = recordEvents(client);
  discord.operator.createGuild({ name: 'Elsewhere', owner: ada });
  await send({ content: 'the last' });
  await events.first('MESSAGE_CREATE');
  await client.destroy();
  expect(events.of('GUILD_CREATE')).toEqual([]);
});

test('each interaction has a bucket of its own, so that many deferred answers are edited at once', async () => {
  await restart({ rateLimits: true });
  const client = await connectClient(discord);
  await client.application.commands.create({ name: 'slow', description: 'Slow' });
  client.on('interactionCreate', (interaction) => {
    if (!interaction.isChatInputCommand()) return;
    void interaction.deferReply().then(() => interaction.editReply('done'));
  });
  const people = [ada, ...discord.members.slice(0, 7)];
  await Promise.all(people.map((one) => discord.as(one).command(general, 'slow')));
  await client.destroy();
  expect(discord.requests.count('PATCH', /webhooks/, 429)).toBe(0);
});
