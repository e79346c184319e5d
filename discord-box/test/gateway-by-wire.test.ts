import { GatewayIntentBits as Intent } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../src/index.ts';
import { ask as askAt } from './ask.ts';
import { connectRaw, type RawConnection } from './raw-connection.ts';

/** What the gateway takes and how it closes, and answers to interactions, without a client between. */
let discord: Discord;
let guild: string;
let general: string;
let owner: string;

beforeAll(async () => {
  discord = await startDiscord({
    rateLimits: false,
    membersTakeMs: 0,
    botPermissions: 8n,
    // A busy machine answers late, and no connection here beats.
    answerWithinMs: 60_000,
    heartbeatMs: 600_000,
  });
  ({ guild, general, owner } = discord.operator.createGuild({ name: 'Harbour' }));
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
const connect = (query?: string) => connectRaw(discord, query);
async function begin(intents: number): Promise<RawConnection> {
  const connection = await connect();
  connection.identify(intents);
  await connection.event('READY');
  return connection;
}

const status = { op: 3, d: { status: 'online', activities: [], since: null, afk: false } };

describe('a connection is closed', () => {
  test.each<[string, code: number, (one: RawConnection) => void]>([
    ['text that is no JSON', 4002, (one) => one.sendText('{')],
    ['more than 4 096 bytes', 4002, (one) => one.identify(1, { more: 'a'.repeat(4100) })],
    ['a status before IDENTIFY', 4003, (one) => one.sendText(JSON.stringify(status))],
    ['an opcode that there is not', 4001, (one) => one.send(99, null)],
    ['a wrong token', 4004, (one) => one.identify(1, { token: 'wrong' })],
    ['shard 2 of 2', 4010, (one) => one.identify(1, { shard: [2, 2] })],
    ['an intent that there is not', 4013, (one) => one.identify(2 ** 30)],
    ['an intent that is switched off', 4014, (one) => one.identify(Intent.GuildPresences)],
    [
      'a second IDENTIFY',
      4005,
      (one) => {
        one.identify(1);
        one.identify(1);
      },
    ],
    [
      'a status that there is not',
      4002,
      (one) => {
        one.identify(1);
        one.send(3, { ...status.d, status: 'asleep' });
      },
    ],
    [
      'more than 120 payloads a minute',
      4008,
      (one) => {
        for (let n = 0; n < 122; n += 1) one.send(1, null);
      },
    ],
  ])('a connection is closed for %s, with %i', async (_, code, say) => {
    const connection = await connect();
    say(connection);
    expect(await connection.closed).toBe(code);
  });

  test('a connection is closed for a version of the gateway that is gone, with 4012', async () => {
    expect(await (await connect('v=5&encoding=json')).closed).toBe(4012);
  });
});

test('a lost session is resumed with what it missed, in order, and its sequence goes on', async () => {
  const lost = await begin(Intent.Guilds | Intent.GuildMessages);
  const { session_id, resume_gateway_url, v } = await lost.event('READY');
  expect({ v, resume_gateway_url }).toMatchObject({ v: 10, resume_gateway_url: /^ws/ });
  await lost.event('GUILD_CREATE');
  // An acknowledged heartbeat has none.
  const seq = Math.max(...lost.heard.map(({ s }) => s ?? 0));
  lost.cut();
  const session = discord.gateway.sessions.get(String(session_id));
  await discord.until(() => (session?.socket === null ? true : undefined), 'the loss');
  for (const content of ['a', 'b']) await ask('POST', `/channels/${general}/messages`, { content });

  const resumed = await connect();
  resumed.send(6, { token: discord.token, session_id, seq });
  await resumed.event('RESUMED');
  const events = resumed.heard.filter(({ op }) => op === 0);
  expect(events.map(({ t, s, d }) => [t, s, d['content']])).toEqual([
    ['MESSAGE_CREATE', seq + 1, 'a'],
    ['MESSAGE_CREATE', seq + 2, 'b'],
    ['RESUMED', seq + 3, undefined],
  ]);

  const stranger = await connect();
  stranger.send(6, { token: discord.token, session_id: 'unknown', seq: 1 });
  expect(await stranger.payload(9)).toMatchObject({ d: false });
  stranger.identify(1);
  await stranger.event('READY');
});

test('without its intents a bot is told neither of the guild nor what others wrote', async () => {
  const connection = await begin(Intent.GuildMessages);
  const say = (content: string) =>
    discord.operator.say({ channel: general, author: owner, content });
  const [hidden, mentioning] = [say('hello'), say(`<@${discord.applicationId}> hello`)];
  const contentOf = async (id: string) =>
    (await connection.event('MESSAGE_CREATE', (d) => d['id'] === id))['content'];
  expect(await contentOf(hidden)).toBe('');
  expect(await contentOf(mentioning)).toContain('hello');
  expect(connection.heard.some(({ t }) => t === 'GUILD_CREATE')).toBe(false);
});

test('members are asked for by name or id, and all of them with the intent alone', async () => {
  const grace = discord.operator.addPerson({ username: 'grace' });
  const connection = await begin(Intent.Guilds);
  const chunk = (nonce: string) =>
    connection.event('GUILD_MEMBERS_CHUNK', (d) => d['nonce'] === nonce);
  connection.send(8, { guild_id: guild, query: 'gra', limit: 5, nonce: 'name' });
  expect(await chunk('name')).toMatchObject({ members: [{ user: { id: grace } }] });
  const user_ids = [grace, '123456789012345678'];
  connection.send(8, { guild_id: guild, user_ids, nonce: 'ids' });
  expect(await chunk('ids')).toMatchObject({ members: [{}], not_found: [user_ids[1]] });
});

test('a bot that is in a call when its channel is deleted has left it', async () => {
  const { id } = discord.operator.createChannel({ name: 'call', kind: 'voice' });
  const connection = await begin(Intent.Guilds | Intent.GuildVoiceStates);
  connection.send(4, { guild_id: guild, channel_id: id, self_mute: false, self_deaf: true });
  const own = (channel: string | null) =>
    connection.event('VOICE_STATE_UPDATE', (d) => d['channel_id'] === channel);
  expect(await own(id)).toMatchObject({ user_id: discord.applicationId, self_deaf: true });
  await connection.event('VOICE_SERVER_UPDATE');
  await ask('DELETE', `/channels/${id}`);
  expect(await own(null)).toMatchObject({ user_id: discord.applicationId });
});

describe('an interaction', () => {
  let connection: RawConnection;
  let hook: string;
  beforeAll(async () => {
    const commands = [
      { name: 'go', description: 'Goes' },
      { name: 'Look', type: 3 },
    ];
    await ask('PUT', `/applications/${discord.applicationId}/commands`, commands);
    connection = await begin(Intent.Guilds);
  });

  /** A member uses the command, and the bot has not answered yet. */
  async function use() {
    connection.heard.length = 0;
    const outcome = discord.as(owner).command(general, 'go');
    const { id, token } = (await connection.event('INTERACTION_CREATE')) as Record<string, string>;
    hook = `/webhooks/${discord.applicationId}/${token}`;
    const answer = (body: object) =>
      ask('POST', `/interactions/${id}/${token}/callback?with_response=true`, body);
    return { outcome, answer };
  }

  test('an interaction is answered first and once, and followed up for fifteen minutes', async () => {
    const { outcome, answer } = await use();
    expect((await ask('POST', hook, { content: 'early' })).status).toBe(404);
    await answer({ type: 4, data: { content: 'a' } });
    await outcome;
    expect(await answer({ type: 4, data: { content: 'b' } })).toMatchObject({ code: 40060 });
    expect(await ask('POST', hook, {})).toMatchObject({ code: 50006 });
    const withoutToken = await askAt(
      { ...discord, token: '' },
      'GET',
      `${hook}/messages/@original`,
    );
    expect(withoutToken).toMatchObject({ status: 200, body: { content: 'a' } });
    const others = discord.operator.say({ channel: general, author: owner, content: 'x' });
    const foreign = await ask('PATCH', `${hook}/messages/${others}`, { content: 'y' });
    expect(foreign).toMatchObject({ code: 10008 });

    discord.clock.move(15 * 60_000 + 1000);
    expect(await ask('POST', hook, { content: 'late' })).toMatchObject({
      status: 401,
      code: 50027,
    });
    const own = `/channels/${general}/messages/${String(withoutToken.body['id'])}`;
    expect((await ask('PATCH', own, { content: 'late' })).status).toBe(200);
  });

  test('an interaction’s private message is reached by its token alone', async () => {
    const { outcome, answer } = await use();
    await answer({ type: 4, data: { content: 'a' } });
    await outcome;
    const { body } = await ask('POST', hook, { content: 'for you', flags: 64 });
    const id = String(body['id']);
    expect((await ask('PATCH', `${hook}/messages/${id}`, { content: 'still' })).status).toBe(200);
    for (const method of ['GET', 'DELETE']) {
      const response = await ask(method, `/channels/${general}/messages/${id}`);
      expect(response).toMatchObject({ status: 404, code: 10008 });
    }
  });

  test('an interaction’s deferred answer says that it loads, and no edit makes it private', async () => {
    const { outcome, answer } = await use();
    const deferred = await answer({ type: 5 });
    expect(deferred.body).toMatchObject({
      interaction: { response_message_loading: true, response_message_ephemeral: false },
      resource: { type: 5 },
    });
    const edited = await ask('PATCH', `${hook}/messages/@original`, { content: 'a', flags: 64 });
    expect(Number(edited.body['flags']) & 64).toBe(0);
    await outcome;
    expect((await ask('DELETE', `${hook}/messages/@original`)).status).toBe(204);
  });

  test('an interaction with a message shows its content without the intent', async () => {
    connection.heard.length = 0;
    const target = discord.operator.say({ channel: general, author: owner, content: 'hi there' });
    const outcome = discord.as(owner).messageCommand(general, target, 'Look');
    const { id, token, data } = await connection.event('INTERACTION_CREATE');
    expect(data).toMatchObject({
      target_id: target,
      resolved: { messages: { [target]: { content: 'hi there' } } },
    });
    await ask('POST', `/interactions/${String(id)}/${String(token)}/callback`, {
      type: 4,
      data: { content: 'a' },
    });
    expect((await outcome).message?.['interaction_metadata']).toMatchObject({
      target_message_id: target,
    });
  });
});

test('a request too many says so as Discord does, with the same bucket for every channel', async () => {
  // It stands still, so that no bucket fills again while a busy machine asks.
  const stillMs = Date.now();
  const clock = { now: () => stillMs };
  const limited = await startDiscord({ botPermissions: 8n, clock });
  const channels = ['a', 'b'].map((name) => {
    const { general: id } = limited.operator.createGuild({ name });
    return `/channels/${id}/messages`;
  });
  const sent = await Promise.all(
    Array.from({ length: 6 }, () => askAt(limited, 'POST', channels[0]!, { content: 'a' })),
  );
  const other = await askAt(limited, 'POST', channels[1]!, { content: 'a' });
  const everywhere = await Promise.all(
    Array.from({ length: 56 }, () => askAt(limited, 'GET', '/users/@me')),
  );
  await limited.stop();
  const told = (one: (typeof sent)[number] | undefined, ...names: string[]) =>
    names.map((name) => one?.headers.get(`x-ratelimit-${name}`));
  const refused = sent.find(({ status }) => status === 429);
  expect(refused?.body).toMatchObject({ message: 'You are being rate limited.', global: false });
  expect(told(refused, 'remaining', 'scope')).toEqual(['0', 'user']);
  expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(other.status).toBe(200);
  expect(told(other, 'bucket')).toEqual(told(refused, 'bucket'));
  expect(told(other, 'limit', 'scope')).toEqual(['5', null]);
  const global = everywhere.find(({ status }) => status === 429);
  expect(global?.body).toMatchObject({ global: true });
  expect(told(global, 'global', 'scope', 'bucket')).toEqual(['true', 'global', null]);
});
