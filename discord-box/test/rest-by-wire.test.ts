import { MessageFlags } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../src/index.ts';
import { ask as askAt, type BotResponse } from './ask.ts';

/**
 * What Discord takes, refuses and sends back, request by request and without a client between, which
 * would not send many of these. One server serves all of them.
 */
let discord: Discord;
let guild: string;
let general: string;
let forum: string;
let owner: string;
let grace: string;
/** A message of the bot, and a channel that is no place for messages. */
let own: string;
let category: string;

beforeAll(async () => {
  discord = await startDiscord({
    rateLimits: false,
    membersTakeMs: 0,
    botPermissions: 8n,
    privileged: { guildMembers: true },
  });
  const { operator } = discord;
  ({ guild, general, owner } = operator.createGuild({ name: 'Harbour' }));
  forum = operator.createChannel({ name: 'forum', kind: 'forum' }).id;
  category = operator.createChannel({ name: 'category', kind: 'category' }).id;
  grace = operator.addPerson({ username: 'grace' });
  own = await idOf(send({ content: 'mine' }));
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
const send = (body: object, channel = general) =>
  ask('POST', `/channels/${channel}/messages`, body);
const inGuild = (method: string, path: string, body?: object) =>
  ask(method, `/guilds/${guild}${path}`, body);
const inGeneral = (method: string, path: string, body?: object) =>
  ask(method, `/channels/${general}${path}`, body);
const idOf = async (asked: Promise<BotResponse>) => String((await asked).body['id']);
const listOf = async <Item = { id: string }>(asked: Promise<BotResponse>) =>
  (await asked).body as unknown as Item[];

/** A request, and what of its response matters. */
type Row = [what: string, () => Promise<BotResponse>, response: object];

/** Asks with this text as it stands. */
async function post(path: string, text: string): Promise<BotResponse> {
  const { status, headers, ...rest } = await fetch(`${discord.apiBase}/v10${path}`, {
    method: 'POST',
    headers: { authorization: `Bot ${discord.token}`, 'content-type': 'application/json' },
    body: text,
  }).then(async (one) => ({
    status: one.status,
    headers: one.headers,
    body: (await one.json()) as BotResponse['body'],
  }));
  return { status, headers, code: rest.body['code'] as number, ...rest };
}

const UNKNOWN = '123456789012345678';
const badForm = { status: 400, code: 50035 };
const row = (...components: object[]) => ({ type: 1, components });
const hoursAhead = (hours: number) =>
  new Date(discord.clock.now() + hours * 3_600_000).toISOString();
const meeting = (more: object = {}) => ({
  name: 'Meeting',
  privacy_level: 2,
  entity_type: 3,
  entity_metadata: { location: 'The pier' },
  scheduled_start_time: hoursAhead(1),
  scheduled_end_time: hoursAhead(2),
  ...more,
});
const announce = (more: object) => inGuild('POST', '/scheduled-events', meeting(more));
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => String(BigInt(UNKNOWN) + BigInt(index)));

const refused: Row[] = [
  [
    'a body that is no JSON',
    () => post(`/channels/${general}/messages`, '{"content":'),
    { code: 50109 },
  ],
  ['a body that is a list', () => post(`/channels/${general}/messages`, '[1]'), { status: 400 }],
  ['a body that is null', () => post(`/channels/${general}/messages`, 'null'), { status: 400 }],
  ['a channel whose id is no snowflake', () => ask('GET', '/channels/abc'), { status: 404 }],
  ['a message in a forum', () => send({ content: 'a' }, forum), { status: 400, code: 40058 }],
  ['a message in a category', () => send({ content: 'a' }, category), { status: 400, code: 50008 }],
  ['a voice message without a sound', () => send({ flags: 1 << 13 }), { code: 50160 }],
  [
    'a voice message with a text',
    () => send({ content: 'a', flags: 1 << 13 }),
    { status: 400, code: 50159 },
  ],
  ['a page of no messages', () => inGeneral('GET', '/messages?limit=0'), badForm],
  ['a page of 51 pins', () => inGeneral('GET', '/messages/pins?limit=51'), badForm],
  ['an emoji by its name', () => react(':thumbsup:'), { status: 400, code: 10014 }],
  ['an emoji that is a word', () => react('nope'), { status: 400, code: 10014 }],
  [
    'the end of a poll that is none',
    () => inGeneral('POST', `/polls/${own}/expire`),
    { code: 520006 },
  ],
  [
    'a thread of seventeen minutes',
    () => inGeneral('POST', '/threads', { name: 'a', type: 11, auto_archive_duration: 17 }),
    badForm,
  ],
  [
    'a post without a message',
    () => ask('POST', `/channels/${forum}/threads`, { name: 'a' }),
    badForm,
  ],
  ['a search of members for nothing', () => inGuild('GET', '/members/search'), badForm],
  [
    'a page of 1 001 found members',
    () => inGuild('GET', '/members/search?query=a&limit=1001'),
    badForm,
  ],
  ['a bulk ban of 201', () => inGuild('POST', '/bulk-ban', { user_ids: many(201) }), badForm],
  ['pruning after 31 days', () => inGuild('GET', '/prune?days=31'), badForm],
  ['an event elsewhere without an end', () => announce({ scheduled_end_time: undefined }), badForm],
  ['an event in a call without its channel', () => announce({ entity_type: 2 }), badForm],
  [
    'a sticker that is sent as JSON',
    () => inGuild('POST', '/stickers', { name: 'ab' }),
    { status: 400 },
  ],
  [
    'moving somebody into a call who is in none',
    () => inGuild('PATCH', `/members/${grace}`, { channel_id: general }),
    { status: 400, code: 40032 },
  ],
  ['a role that is unknown', () => inGuild('DELETE', `/roles/${UNKNOWN}`), { code: 10011 }],
  ['a member who is unknown', () => inGuild('GET', `/members/${UNKNOWN}`), { code: 10007 }],
  [
    'the same messages twice to be deleted',
    () => inGeneral('POST', '/messages/bulk-delete', { messages: [own, own] }),
    { status: 400, code: 50016 },
  ],
  [
    'a webhook’s message in a forum without a thread',
    () => hook(forum, { content: 'a' }),
    { code: 220001 },
  ],
  [
    'a webhook’s new thread where no posts are',
    () => hook(general, { content: 'a', thread_name: 'T' }),
    { code: 220003 },
  ],
  [
    'an answer to an interaction that there is not',
    () => ask('POST', `/interactions/${UNKNOWN}/token/callback`, { type: 4 }),
    { status: 404, code: 10062 },
  ],
];

const react = (emoji: string) =>
  inGeneral('PUT', `/messages/${own}/reactions/${encodeURIComponent(emoji)}/@me`);
async function hook(channel: string, body: object, query = '?wait=true'): Promise<BotResponse> {
  const made = await ask('POST', `/channels/${channel}/webhooks`, { name: 'Hook' });
  const { id, token } = made.body as { id: string; token: string };
  const response = await ask('POST', `/webhooks/${id}/${token}${query}`, body);
  await ask('DELETE', `/webhooks/${id}`);
  return response;
}

describe('Discord refuses', () => {
  test.each(refused)('Discord refuses %s', async (_, request, response) => {
    expect(await request()).toMatchObject(response);
  });

  test('Discord refuses a form with the place of each mistake in it', async () => {
    const button = { type: 2, style: 1, label: 'Go' };
    const embeds = [{ title: 'a' }, { fields: [{ name: 'n', value: '' }] }];
    const required = { _errors: [{ code: 'BASE_TYPE_REQUIRED' }] };
    expect((await send({ embeds, components: [row(button)] })).body).toMatchObject({
      message: 'Invalid Form Body',
      errors: {
        embeds: { 1: { fields: { 0: { value: required } } } },
        components: { 0: { components: { 0: { custom_id: required } } } },
      },
    });
    const commands = `/applications/${discord.applicationId}/commands`;
    const named = ['ok', 'Bad'].map((name) => ({ name, description: 'a' }));
    const { body } = await ask('PUT', commands, named);
    expect(body).toMatchObject({ errors: { 1: { name: { _errors: [{}] } } } });
    expect(body['errors']).not.toHaveProperty('0');
  });

  test('Discord refuses to forward out of an age-restricted channel into another (160010)', async () => {
    const nsfw = discord.operator.createChannel({ name: 'nsfw', ageRestricted: true }).id;
    const message_id = await idOf(send({ content: 'a' }, nsfw));
    const message_reference = { type: 1, channel_id: nsfw, message_id };
    expect(await send({ message_reference })).toMatchObject({ status: 400, code: 160010 });
  });

  test('Discord refuses a reply to its own notice, such as that of a pin', async () => {
    await inGeneral('PUT', `/messages/pins/${own}`);
    const [notice] = await listOf<{ id: string; type: number }>(
      inGeneral('GET', '/messages?limit=1'),
    );
    expect(notice?.type).toBe(6);
    const reply = { content: 'a', message_reference: { message_id: notice?.id } };
    expect(await send(reply)).toMatchObject(badForm);
  });

  test('Discord refuses a second thread of a message (160004), and a thread in a thread', async () => {
    const path = `/messages/${await idOf(send({ content: 'a' }))}/threads`;
    const thread = await inGeneral('POST', path, { name: 'talk' });
    expect(thread).toMatchObject({ status: 201, body: { type: 11 } });
    expect(await inGeneral('POST', path, { name: 'talk' })).toMatchObject({ code: 160004 });
    const inner = `/channels/${String(thread.body['id'])}/threads`;
    expect((await ask('POST', inner, { name: 'talk', type: 11 })).status).toBe(400);
  });

  test('Discord refuses a webhook’s message that names both a thread and a new one (220002)', async () => {
    const content = { content: 'a', thread_name: 'T' };
    const { body } = await hook(forum, content);
    const again = await hook(forum, content, `?thread_id=${String(body['channel_id'])}`);
    expect(again).toMatchObject({ status: 400, code: 220002 });
  });

  test('Discord refuses an event that ends before it began, and gives an unknown one 10070', async () => {
    const path = `/scheduled-events/${await idOf(announce({}))}`;
    expect(await inGuild('PATCH', path, { status: 3 })).toMatchObject(badForm);
    expect((await inGuild('PATCH', path, { status: 4 })).status).toBe(200);
    expect(await inGuild('GET', `/scheduled-events/${UNKNOWN}`)).toMatchObject({ code: 10070 });
  });
});

describe('what the bot lacks a permission for is refused (50013):', () => {
  let thread: string;
  beforeAll(async () => {
    thread = await idOf(inGeneral('POST', '/threads', { name: 'talk', type: 11 }));
    const { operator } = discord;
    const usual = [
      'ViewChannel',
      'SendMessages',
      'ReadMessageHistory',
      'CreatePublicThreads',
    ] as const;
    operator.setBotPermissions({ permissions: [...usual] });
    operator.setRolePermissions({ role: guild, permissions: [...usual] });
  });
  afterAll(() => discord.operator.setBotPermissions({ permissions: ['Administrator'] }));

  const poll = {
    question: { text: 'Tea?' },
    answers: ['yes', 'no'].map((text) => ({ poll_media: { text } })),
  };
  const lacking: [string, () => Promise<BotResponse>][] = [
    ['a message that is read out', () => send({ content: 'a', tts: true })],
    ['an embed', () => send({ embeds: [{ title: 'a' }] })],
    ['a poll', () => send({ poll })],
    ['a message in a thread', () => send({ content: 'a' }, thread)],
    ['a lock on its own thread', () => ask('PATCH', `/channels/${thread}`, { locked: true })],
    ['the end of its own thread', () => ask('DELETE', `/channels/${thread}`)],
    ['a pin', () => inGeneral('PUT', `/messages/pins/${own}`)],
    [
      'a post with an embed',
      () =>
        ask('POST', `/channels/${forum}/threads`, {
          name: 'a',
          message: { embeds: [{ title: 'a' }] },
        }),
    ],
    ['another channel', () => inGuild('POST', '/channels', { name: 'a' })],
    ['the webhooks of a channel', () => inGeneral('GET', '/webhooks')],
  ];
  test.each(lacking)(
    'what the bot lacks a permission for is refused (50013): %s',
    async (_, request) => {
      expect(await request()).toMatchObject({ status: 403, code: 50013 });
    },
  );

  test('in a thread, Send Messages in Threads of its channel counts alone', async () => {
    const allow = ['SendMessagesInThreads' as const];
    const deny = ['SendMessages' as const];
    discord.operator.setPermissions({ channel: general, who: 'bot', allow, deny });
    expect((await send({ content: 'a' }, thread)).status).toBe(200);
    expect(await send({ content: 'a' })).toMatchObject({ code: 50013 });
    discord.operator.setPermissions({ channel: general, who: 'bot' });
  });

  test('a private thread of others is not shown (50001)', async () => {
    const { id } = discord.as(owner).startThread(general, 'secret', { private: true });
    expect(await ask('GET', `/channels/${id}`)).toMatchObject({ status: 403, code: 50001 });
  });
});

test.each([
  ['kicking', 'DELETE', '/members/{grace}'],
  ['banning', 'PUT', '/bans/{grace}'],
  ['making a role', 'POST', '/roles'],
  ['making a channel', 'POST', '/channels'],
])('where two factors are demanded, %s is refused (60003)', async (_, method, path) => {
  discord.operator.setTwoFactors({ demanded: true, ownerHasThem: false });
  const response = await inGuild(method, path.replace('{grace}', grace), { name: 'a' });
  discord.operator.setTwoFactors({ demanded: false, ownerHasThem: true });
  expect(response).toMatchObject({ status: 403, code: 60003 });
});

/** Whether everyone, how many roles and how many users. */
const pingsOf = ({ body }: BotResponse) => [
  body['mention_everyone'],
  (body['mention_roles'] as []).length,
  (body['mentions'] as []).length,
];
const layout = () => ({ flags: 1 << 15, components: [{ type: 10, content: `<@${grace}>` }] });
const around = async (id: string, limit: number) =>
  (await listOf(inGeneral('GET', `/messages?around=${id}&limit=${limit}`))).map((one) => one.id);

describe('whom a message pings:', () => {
  let content: string;
  beforeAll(() => {
    const role = discord.operator.addRole({ name: 'crew' });
    content = `@everyone <@&${role}> <@${grace}>`;
  });

  test.each<[string, () => Promise<BotResponse>, unknown[]]>([
    ['all that it names', () => send({ content }), [true, 1, 1]],
    ['nobody', () => send({ content, allowed_mentions: { parse: [] } }), [false, 0, 0]],
    ['listed users', () => send({ content, allowed_mentions: { users: [grace] } }), [false, 0, 1]],
    ['users alone, from a webhook', () => hook(general, { content }), [false, 0, 1]],
    ['whom the text of a layout names', () => send(layout()), [false, 0, 1]],
  ])('whom a message pings: %s', async (_, request, pings) => {
    expect(pingsOf(await request())).toEqual(pings);
  });
});

describe('what is read in pages', () => {
  test('messages around one have it in their middle, as far as there are others', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) ids.unshift(await idOf(send({ content: `${n}` })));
    expect(await around(ids[3]!, 5)).toEqual(ids.slice(1, 6));
    expect(await around(ids[3]!, 1)).toEqual([ids[3]]);
    expect(await around(ids[0]!, 5)).toContain(ids[0]);
  });

  test('pins come newest first, and those before a time', async () => {
    const channel = discord.operator.createChannel({ name: 'pins' }).id;
    const path = `/channels/${channel}/messages/pins`;
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      ids.unshift(await idOf(send({ content: `${n}` }, channel)));
      await ask('PUT', `${path}/${ids[0]}`);
      discord.clock.move(1000);
    }
    type Page = { items: { pinned_at: string; message: { id: string } }[]; has_more: boolean };
    const page = async (query: string) => {
      const { items, has_more } = (await ask('GET', path + query)).body as Page;
      return { items, shown: [...items.map(({ message }) => message.id), has_more] };
    };
    const first = await page('?limit=2');
    expect(first.shown).toEqual([ids[0], ids[1], true]);
    const before = encodeURIComponent(first.items[1]!.pinned_at);
    expect((await page(`?limit=2&before=${before}`)).shown).toEqual([ids[2], false]);
    expect((await ask('PUT', `${path}/${ids[0]}`)).status).toBe(204);
  });

  test('who voted for an answer of a poll comes in pages, ascending by id', async () => {
    const answers = ['yes', 'no'].map((text) => ({ poll_media: { text } }));
    const id = await idOf(send({ poll: { question: { text: 'Tea?' }, answers } }));
    const voters = ['a', 'b', 'c'].map((username) => discord.operator.addPerson({ username }));
    for (const voter of voters) discord.as(voter).votePoll(general, id, [1]);
    const page = async (query: string) => {
      const { body } = await inGeneral('GET', `/polls/${id}/answers/1?${query}`);
      return (body['users'] as { id: string }[]).map((one) => one.id);
    };
    expect(await page('limit=2')).toEqual(voters.slice(0, 2));
    expect(await page(`limit=2&after=${voters[1]}`)).toEqual(voters.slice(2));
    expect(await inGeneral('GET', `/polls/${id}/answers/1?limit=101`)).toMatchObject(badForm);
  });

  test('members are found by the beginning of a name or a nickname, one unless more are asked for', async () => {
    const [, , bert] = ['alan', 'alba', 'bert'].map((username) =>
      discord.operator.addPerson({ username }),
    );
    await inGuild('PATCH', `/members/${bert}`, { nick: 'Alfred' });
    const found = async (query: string) =>
      (await listOf(inGuild('GET', `/members/search?${query}`))).length;
    expect([
      await found('query=AL&limit=9'),
      await found('query=al'),
      await found('query=alf'),
    ]).toEqual([3, 1, 1]);
  });
});

test('unknown flags of a message are left out, and a flag that quietens it is kept', async () => {
  const flags = MessageFlags.SuppressNotifications;
  expect((await send({ content: 'a', flags: flags | (1 << 7) })).body).toMatchObject({ flags });
});

test('what Discord finds out by itself about an embed cannot be said', async () => {
  const thumbnail = { url: 'https://a.example/a.png', height: 5, proxy_url: 'https://b.example/' };
  const sent = { title: 'a', type: 'video', provider: { name: 'p' }, thumbnail };
  const [embed] = (await send({ embeds: [sent] })).body['embeds'] as object[];
  expect(embed).toMatchObject({ type: 'rich', title: 'a' });
  expect(embed).not.toHaveProperty('provider');
  expect(JSON.stringify(embed)).not.toContain('b.example');
});

test('a ban that is given twice is quiet, and pruning counts only where it is asked to', async () => {
  const troll = discord.operator.addPerson({ username: 'troll' });
  const ban = () => inGuild('PUT', `/bans/${troll}`, { delete_message_seconds: 3600 });
  expect([(await ban()).status, (await ban()).status]).toEqual([204, 204]);
  expect(await listOf(inGuild('GET', '/bans?limit=1'))).toHaveLength(1);
  const pruned = await inGuild('POST', '/prune', { days: 30, compute_prune_count: false });
  expect(pruned.body).toEqual({ pruned: null });
});

test('a message in an archived thread reopens it, and archived it takes no pin (50083)', async () => {
  const thread = await idOf(inGeneral('POST', '/threads', { name: 'talk', type: 11 }));
  const id = await idOf(send({ content: 'a' }, thread));
  discord.operator.archiveThread({ channel: thread, archived: true });
  const pin = await ask('PUT', `/channels/${thread}/messages/pins/${id}`);
  expect(pin).toMatchObject({ status: 400, code: 50083 });
  await send({ content: 'b' }, thread);
  const { body } = await ask('GET', `/channels/${thread}`);
  expect(body).toMatchObject({ thread_metadata: { archived: false } });
});
