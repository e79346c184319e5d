import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Discord, startDiscord } from '../src/index.ts';
import { ask as askAt } from './ask.ts';

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
