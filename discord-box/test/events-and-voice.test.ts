import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../src/index.ts';
import { ask as askAt } from './ask.ts';
import { connectClient, recordEvents } from './client.ts';

/** What bots ask for besides text: calls, stages, scheduled events, stickers. */
let discord: Discord;
let guild: string;
let general: string;
let owner: string;
let member: string;

beforeAll(async () => {
  discord = await startDiscord({ rateLimits: false, botPermissions: P.Administrator });
  ({ guild, general, owner } = discord.operator.createGuild({ name: 'Harbour' }));
  member = discord.operator.addPerson({ username: 'grace' });
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) => askAt(discord, method, path, body);
const inGuild = (method: string, path: string, body?: object) =>
  ask(method, `/guilds/${guild}${path}`, body);
const inHours = (hours: number) => new Date(discord.clock.now() + hours * 3_600_000).toISOString();

test('a member who is in a call is moved, muted and taken out, and who is in none is not (40032)', async () => {
  const call = discord.operator.createChannel({ name: 'call', kind: 'voice' }).id;
  const other = discord.operator.createChannel({ name: 'other', kind: 'voice' }).id;
  const change = (body: object) => inGuild('PATCH', `/members/${member}`, body);
  const seen = async () =>
    (await inGuild('GET', `/voice-states/${member}`)).body as { channel_id?: string; mute?: true };
  expect(await change({ mute: true })).toMatchObject({ status: 400, code: 40032 });
  discord.as(member).joinVoice(call);
  expect(await seen()).toMatchObject({ channel_id: call, mute: false });
  await change({ channel_id: other, mute: true });
  expect(await seen()).toMatchObject({ channel_id: other, mute: true });
  await change({ channel_id: null });
  expect(await inGuild('GET', `/voice-states/${member}`)).toMatchObject({ code: 10065 });
  expect(await change({ channel_id: call })).toMatchObject({ code: 40032 });
});

test('the audience of a stage is silent until a moderator lets it speak', async () => {
  const channel = discord.operator.createChannel({ name: 'talks', kind: 'stage' }).id;
  const opened = await ask('POST', '/stage-instances', { channel_id: channel, topic: 'Boats' });
  expect(opened.body).toMatchObject({ channel_id: channel, topic: 'Boats' });
  const again = await ask('POST', '/stage-instances', { channel_id: channel, topic: 'Boats' });
  expect(again.code).toBe(150_006);
  discord.as(member).joinVoice(channel);
  const path = `/voice-states/${member}`;
  expect((await inGuild('GET', path)).body).toMatchObject({ suppress: true });
  await inGuild('PATCH', path, { channel_id: channel, suppress: false });
  expect((await inGuild('GET', path)).body).toMatchObject({ suppress: false });
  discord.as(member).leaveVoice(channel);
});

test('an event elsewhere begins and ends by its times, and its bot hears of who is interested', async () => {
  const client = await connectClient(discord, { intents: ['Guilds', 'GuildScheduledEvents'] });
  const events = recordEvents(client);
  const form = {
    name: 'Meeting',
    privacy_level: 2,
    entity_type: 3,
    scheduled_start_time: inHours(1),
    scheduled_end_time: inHours(2),
  };
  expect(await inGuild('POST', '/scheduled-events', form)).toMatchObject({ code: 50035 });
  const whole = { ...form, entity_metadata: { location: 'The pier' } };
  const past = await inGuild('POST', '/scheduled-events', {
    ...whole,
    scheduled_start_time: inHours(-1),
  });
  expect(JSON.stringify(past.body)).toContain('GUILD_SCHEDULED_EVENT_SCHEDULE_PAST');
  const { body } = await inGuild('POST', '/scheduled-events', whole);
  const id = String(body['id']);
  discord.as(member).follow(id);
  expect(await events.first('GUILD_SCHEDULED_EVENT_USER_ADD')).toMatchObject({ user_id: member });
  const counted = await inGuild('GET', `/scheduled-events/${id}?with_user_count=true`);
  expect(counted.body).toMatchObject({ status: 1, user_count: 2 });
  discord.clock.move(3_700_000);
  await events.count('GUILD_SCHEDULED_EVENT_UPDATE', 1);
  discord.clock.move(3_700_000);
  const changes = await events.count('GUILD_SCHEDULED_EVENT_UPDATE', 2);
  expect(changes.map(({ status }) => status)).toEqual([2, 3]);
  expect(await inGuild('GET', `/scheduled-events/${id}`)).toMatchObject({ code: 10070 });
  await client.destroy();
});

const sendStickers = (ids: string[]) =>
  ask('POST', `/channels/${general}/messages`, { sticker_ids: ids });

test('a sticker is sent where it is known', async () => {
  const id = discord.operator.addSticker({ name: 'wave' });
  expect((await sendStickers([id])).body).toMatchObject({ sticker_items: [{ id, name: 'wave' }] });
  expect(await sendStickers(['123456789012345678'])).toMatchObject({ code: 50081 });
  expect((await inGuild('GET', '/stickers')).body).toMatchObject([{ name: 'wave' }]);
  expect((await inGuild('DELETE', `/stickers/${id}`)).status).toBe(204);
});

test('a ban takes the messages of the last hour along, and a bulk ban names who stays', async () => {
  const [spammer, other] = ['spam', 'more'].map((username) =>
    discord.operator.addPerson({ username }),
  ) as [string, string];
  const id = discord.operator.say({ channel: general, author: spammer, content: 'buy' });
  await inGuild('PUT', `/bans/${spammer}`, { delete_message_seconds: 3600 });
  expect(await ask('GET', `/channels/${general}/messages/${id}`)).toMatchObject({ code: 10008 });
  const bulk = await inGuild('POST', '/bulk-ban', { user_ids: [other, owner] });
  expect(bulk.body).toEqual({ banned_users: [other], failed_users: [owner] });
  const nobody = await inGuild('POST', '/bulk-ban', { user_ids: [owner] });
  expect(nobody.code).toBe(500_000);
});

test('pruning takes out who has neither written for days nor has a role', async () => {
  const [idle, writer, keeper] = ['idle', 'writer', 'keeper'].map((username) =>
    discord.operator.addPerson({ username }),
  ) as [string, string, string];
  const role = discord.operator.addRole({ name: 'keeper' });
  for (const who of [keeper, member]) discord.operator.giveRole({ member: who, role });
  discord.clock.move(8 * 86_400_000);
  discord.operator.say({ channel: general, author: writer, content: 'still here' });
  expect((await inGuild('GET', '/prune?days=7')).body).toEqual({ pruned: 1 });
  const withRole = await inGuild('GET', `/prune?days=7&include_roles=${role}`);
  expect(withRole.body).toEqual({ pruned: 3 });
  expect((await inGuild('POST', '/prune', { days: 7 })).body).toEqual({ pruned: 1 });
  expect(await inGuild('GET', `/members/${idle}`)).toMatchObject({ code: 10007 });
  expect((await inGuild('GET', `/members/${writer}`)).status).toBe(200);
});
