import { AuditLogEvent, ChannelType } from 'discord-api-types/v10';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../src/index.ts';
import { ask as askAt } from './ask.ts';
import { connectClient, recordEvents } from './client.ts';

let discord: Discord;
let guild: string;
let owner: string;
let member: string;
/** A role above the bot's own. */
let above: string;
/** A role below it. */
let below: string;

beforeAll(async () => {
  discord = await startDiscord({ rateLimits: false, botPermissions: 8n });
  const { operator } = discord;
  ({ guild, owner } = operator.createGuild({ name: 'Harbour' }));
  member = operator.addPerson({ username: 'grace' });
  above = operator.addRole({ name: 'captain', permissions: ['KickMembers'] });
  operator.moveRole({ role: above, position: 2 });
  below = operator.addRole({ name: 'guest' });
});
afterAll(() => discord.stop());

const ask = (method: string, path: string, body?: object) =>
  askAt(discord, method, `/guilds/${guild}${path}`, body);
const give = (roles: string[]) => ask('PATCH', `/members/${member}`, { roles });
const timeOut = (who: string, days: number) => {
  const until = new Date(discord.clock.now() + days * 86_400_000).toISOString();
  return ask('PATCH', `/members/${who}`, { communication_disabled_until: until });
};

test('nobody moderates the owner, nor who has a role as high as the bot’s (50013)', async () => {
  const officer = discord.operator.addPerson({ username: 'officer' });
  discord.operator.giveRole({ member: officer, role: above });
  for (const who of [owner, officer]) {
    const tries = [
      await timeOut(who, 1),
      await ask('DELETE', `/members/${who}`),
      await ask('PUT', `/bans/${who}`, {}),
      await ask('PATCH', `/members/${who}`, { nick: 'Nick' }),
    ];
    for (const one of tries) expect(one).toMatchObject({ status: 403, code: 50013 });
  }
});

test('an administrator is not timed out, and nobody for longer than 28 days', async () => {
  const admin = discord.operator.addPerson({ username: 'admin' });
  const role = discord.operator.addRole({ name: 'admin', permissions: ['Administrator'] });
  discord.operator.giveRole({ member: admin, role });
  expect(await timeOut(admin, 1)).toMatchObject({ status: 403, code: 50013 });
  expect(await timeOut(member, 29)).toMatchObject({ status: 400, code: 50035 });
  expect(await timeOut(member, 27)).toMatchObject({ status: 200 });
});

test('roles above the bot’s own are neither given nor taken with the list of a member’s roles', async () => {
  expect(await give([above])).toMatchObject({ status: 403, code: 50013 });
  expect(await give([below])).toMatchObject({ status: 200, body: { roles: [below] } });
});

test('a banned member is gone, and is listed until the ban is taken back', async () => {
  const banned = discord.operator.addPerson({ username: 'troll' });
  expect((await ask('PUT', `/bans/${banned}`, { delete_message_seconds: 60 })).status).toBe(204);
  expect(await ask('GET', `/members/${banned}`)).toMatchObject({ code: 10007 });
  expect((await ask('GET', `/bans/${banned}`)).body).toMatchObject({ user: { id: banned } });
  expect((await ask('GET', '/bans')).body).toHaveLength(1);
  expect((await ask('DELETE', `/bans/${banned}`)).status).toBe(204);
  expect(await ask('GET', `/bans/${banned}`)).toMatchObject({ status: 404, code: 10026 });
});

test('the audit log tells who did what and why, and a bot hears of each entry', async () => {
  const client = await connectClient(discord, { intents: ['Guilds', 'GuildModeration'] });
  const events = recordEvents(client);
  const { operator } = discord;
  const [thief, spammer] = ['thief', 'spammer'].map((username) => operator.addPerson({ username }));
  await client.guilds.cache.get(guild)?.members.kick(thief ?? '', 'stole a boat — twice');
  operator.ban({ member: spammer ?? '', by: member, reason: 'links' });
  await client.guilds.cache.get(guild)?.members.addRole({ user: member, role: below });

  const [general] = client.guilds.cache.get(guild)?.channels.cache.values() ?? [];
  if (general?.type !== ChannelType.GuildText) throw new Error('There is no channel.');
  await general.createInvite();
  await general.permissionOverwrites.create(below, { SendMessages: false });
  expect(await events.count('GUILD_AUDIT_LOG_ENTRY_CREATE', 5)).toMatchObject([
    {},
    {},
    {},
    { action_type: AuditLogEvent.InviteCreate, changes: [{}, { key: 'code' }, {}, {}, {}, {}] },
    { options: { id: below, type: '0', role_name: 'guest' } },
  ]);

  const logs = await client.guilds.cache.get(guild)?.fetchAuditLogs({ limit: 5 });
  const told = logs?.entries.map((one) => [one.action, one.executorId, one.targetId, one.reason]);
  expect(told?.slice(2)).toEqual([
    [AuditLogEvent.MemberRoleUpdate, discord.applicationId, member, null],
    [AuditLogEvent.MemberBanAdd, member, spammer, 'links'],
    [AuditLogEvent.MemberKick, discord.applicationId, thief, 'stole a boat — twice'],
  ]);
  const kicks = await ask('GET', `/audit-logs?action_type=${AuditLogEvent.MemberKick}`);
  expect(kicks.body).toMatchObject({ audit_log_entries: [{ target_id: thief }] });
  await client.destroy();
});

test('a rule of keywords holds back what members write, times them out, and tells the bot', async () => {
  const intents = ['Guilds', 'AutoModerationExecution', 'AutoModerationConfiguration'] as const;
  const client = await connectClient(discord, { intents });
  const events = recordEvents(client);
  const [channel] = discord.world.channels.values();
  const gambler = discord.operator.addPerson({ username: 'gambler' });
  const write = (content: string) => discord.as(gambler).send(channel?.id ?? '', content);
  const form = {
    name: 'words',
    event_type: 1,
    trigger_type: 1,
    trigger_metadata: { keyword_filter: ['casino*'], allow_list: ['casino royale'] },
    actions: [{ type: 1 }, { type: 3, metadata: { duration_seconds: 60 } }],
  };
  const made = await ask('POST', '/auto-moderation/rules', form);
  const path = `/auto-moderation/rules/${String(made.body['id'])}`;
  write('a casino');
  expect((await ask('PATCH', path, { enabled: true })).body).toMatchObject({ enabled: true });
  write('saw Casino Royale');
  expect(() => write('my Casinos')).toThrow('held this message back');
  expect(await events.count('AUTO_MODERATION_ACTION_EXECUTION', 2)).toMatchObject([
    { user_id: gambler, matched_keyword: 'casino*', action: { type: 1 } },
    { action: { type: 3 } },
  ]);
  expect(() => write('sorry')).toThrow('may not send');
  discord.clock.move(61_000);
  await ask('PATCH', path, { exempt_channels: [channel?.id] });
  write('a casino');
  expect((await ask('DELETE', path)).status).toBe(204);
  expect(await ask('GET', path)).toMatchObject({ status: 404, code: 10066 });
  await events.count('AUTO_MODERATION_RULE_UPDATE', 2);
  await client.destroy();
});
