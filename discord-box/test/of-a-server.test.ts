import { MessageFlags, PermissionFlagsBits as P } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../src/index.ts';
import { ask as askAt } from './ask.ts';
import { connectRaw } from './raw-connection.ts';

/** What bots that look after a server ask for: followers, sounds, newcomers, the widget. */
let discord: Discord;
let guild: string;
let general: string;

beforeAll(async () => {
  discord = await startDiscord({
    rateLimits: false,
    heartbeatMs: 600_000,
    botPermissions: P.Administrator,
    // A webhook's message is not the bot's own.
    privileged: { messageContent: true },
  });
  ({ guild, general } = discord.operator.createGuild({ name: 'Harbour' }));
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
const inGuild = (method: string, path: string, body?: object) =>
  ask(method, `/guilds/${guild}${path}`, body);

/** The newest message of a channel. */
async function newest(channel: string): Promise<Record<string, unknown>> {
  const { body } = await ask('GET', `/channels/${channel}/messages?limit=1`);
  return (body as unknown as Record<string, unknown>[])[0] ?? {};
}

test('what an announcement channel publishes comes to those that follow it, and is changed with it', async () => {
  const news = discord.operator.createChannel({ name: 'news', kind: 'announcement' }).id;
  const followers = `/channels/${news}/followers`;
  const inText = await ask('POST', `/channels/${general}/followers`, { webhook_channel_id: news });
  expect(inText).toMatchObject({ status: 400, code: 50024 });
  const followed = await ask('POST', followers, { webhook_channel_id: general });
  const id = String(followed.body['webhook_id']);
  expect(followed.body).toEqual({ channel_id: news, webhook_id: id });
  expect(await newest(general)).toMatchObject({
    type: 12,
    content: 'Harbour #news',
    message_reference: { channel_id: news, guild_id: guild },
  });
  const shown = await ask('GET', `/webhooks/${id}`);
  expect(shown.body).toMatchObject({ type: 2, source_channel: { id: news, name: 'news' } });
  expect(shown.body).not.toHaveProperty('token');

  const sent = await ask('POST', `/channels/${news}/messages`, { content: '@everyone hear' });
  const path = `/channels/${news}/messages/${String(sent.body['id'])}`;
  expect(await newest(general)).toMatchObject({ type: 12 });
  expect((await ask('POST', `${path}/crosspost`)).body).toMatchObject({ flags: 1 });
  const brought = await newest(general);
  expect(brought).toMatchObject({
    content: '@everyone hear',
    mention_everyone: false,
    webhook_id: id,
    author: { id, username: 'Harbour #news' },
    flags: MessageFlags.IsCrosspost,
    message_reference: { message_id: sent.body['id'], channel_id: news, guild_id: guild },
  });
  await ask('PATCH', path, { content: 'hear, hear' });
  expect(await newest(general)).toMatchObject({ id: brought['id'], content: 'hear, hear' });
  await ask('DELETE', path);
  expect(await newest(general)).toMatchObject({
    id: brought['id'],
    flags: MessageFlags.IsCrosspost | MessageFlags.SourceMessageDeleted,
  });
});

test('a sound of a server is made, listed, told to bots, and asked for over the gateway', async () => {
  const connection = await connectRaw(discord);
  connection.identify(1 | 8);
  await connection.event('GUILD_CREATE');
  const sound = { name: 'horn', volume: 0.5, emoji_name: '📯' };
  const path = '/soundboard-sounds';
  const text = await inGuild('POST', path, { ...sound, sound: 'data:text/plain;base64,AAAA' });
  expect(text).toMatchObject({ status: 400, code: 50035 });
  const made = await inGuild('POST', path, { ...sound, sound: 'data:audio/ogg;base64,AAAA' });
  const id = String(made.body['sound_id']);
  expect(made).toMatchObject({
    status: 201,
    body: { ...sound, user: { id: discord.applicationId } },
  });
  expect(await connection.event('GUILD_SOUNDBOARD_SOUND_CREATE')).toMatchObject({ sound_id: id });
  expect((await inGuild('GET', path)).body).toMatchObject({ items: [{ sound_id: id }] });
  connection.send(31, { guild_ids: [guild] });
  expect(await connection.event('SOUNDBOARD_SOUNDS')).toMatchObject({
    guild_id: guild,
    soundboard_sounds: [{ sound_id: id, name: 'horn' }],
  });
  expect((await inGuild('PATCH', `${path}/${id}`, { volume: null })).body).toMatchObject({
    volume: 1,
  });
  expect((await inGuild('DELETE', `${path}/${id}`)).status).toBe(204);
  const gone = await connection.event('GUILD_SOUNDBOARD_SOUND_DELETE');
  expect(gone).toEqual({ sound_id: id, guild_id: guild });
  expect(await inGuild('GET', `${path}/${id}`)).toMatchObject({ status: 404, code: 10097 });
});

test('onboarding asks its questions, and is on with enough channels for everyone alone', async () => {
  const option = { title: 'Yes', channel_ids: [general], emoji_name: '⛵' };
  const prompts = [{ id: '1', title: 'Do you sail?', options: [option] }];
  const put = (body: object) => inGuild('PUT', '/onboarding', body);
  const { body } = await put({ prompts, default_channel_ids: [general] });
  expect(body).toMatchObject({
    guild_id: guild,
    enabled: false,
    prompts: [{ title: 'Do you sail?', type: 0, options: [{ emoji: { name: '⛵' } }] }],
  });
  expect(await put({ enabled: true })).toMatchObject({ status: 400, code: 350_000 });
  const ids = ['a', 'b', 'c', 'd', 'e', 'f'].map(
    (name) => discord.operator.createChannel({ name }).id,
  );
  const whole = await put({ enabled: true, default_channel_ids: [general, ...ids] });
  expect(whole.body).toMatchObject({ enabled: true });
  expect((await inGuild('GET', '/onboarding')).body).toEqual(whole.body);
});

test('a welcome screen and a widget are shown to others once they are on', async () => {
  const { operator } = discord;
  const asGuest = async (path: string) => {
    operator.setBotPermissions({ permissions: ['ViewChannel'] });
    const response = await inGuild('GET', path);
    operator.setBotPermissions({ permissions: ['Administrator'] });
    return response;
  };
  expect(await asGuest('/welcome-screen')).toMatchObject({ status: 404, code: 10069 });
  const welcome_channels = [{ channel_id: general, description: 'Say hello' }];
  await inGuild('PATCH', '/welcome-screen', { enabled: true, welcome_channels });
  expect((await asGuest('/welcome-screen')).body).toMatchObject({ welcome_channels });

  expect(await asGuest('/widget')).toMatchObject({ status: 403, code: 50013 });
  const widget = () => askAt({ ...discord, token: '' }, 'GET', `/guilds/${guild}/widget.json`);
  expect(await widget()).toMatchObject({ status: 403, code: 50004 });
  const changed = await inGuild('PATCH', '/widget', { enabled: true, channel_id: general });
  expect(changed.body).toEqual({ enabled: true, channel_id: general });
  expect((await widget()).body).toMatchObject({ id: guild, name: 'Harbour' });
  expect((await inGuild('GET', '')).body).toMatchObject({ widget_channel_id: general });
});

test('the bot’s own application is among the integrations of its server', async () => {
  expect((await inGuild('GET', '/integrations')).body).toMatchObject([
    { type: 'discord', application: { id: discord.applicationId } },
  ]);
});
