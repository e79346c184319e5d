import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Community, startCommunity } from './community.ts';
import { connectClient, recordEvents } from './client.ts';

let sandbox: Community;
let client: Awaited<ReturnType<typeof connectClient>>;
let events: ReturnType<typeof recordEvents>;

beforeEach(async () => {
  sandbox = await startCommunity({ rateLimits: false });
  client = await connectClient(sandbox);
  events = recordEvents(client);
});
afterEach(async () => {
  await client.destroy();
  await sandbox.stop();
});

test('a bot that was removed hears nothing until it is invited again', async () => {
  sandbox.operator.kickBot({});
  await events.first('GUILD_DELETE');
  const ada = sandbox.as(sandbox.admin);
  ada.send(sandbox.channels.general.id, 'unheard');
  await expect(client.guilds.fetch(sandbox.guildId)).rejects.toMatchObject({ code: 10004 });
  sandbox.operator.inviteBot({});
  await events.first('GUILD_CREATE');
  ada.send(sandbox.channels.general.id, 'heard');
  await events.first('MESSAGE_CREATE');
  expect(events.of('MESSAGE_CREATE')).toHaveLength(1);
});

test('a second guild is apart from the first', async () => {
  const made = sandbox.operator.createGuild({ name: 'Lighthouse', owner: sandbox.admin });
  expect(await events.first('GUILD_CREATE')).toMatchObject({ id: made.guild, name: 'Lighthouse' });
  sandbox.as(sandbox.admin).send(made.general, 'hello');
  expect(await events.first('MESSAGE_CREATE')).toMatchObject({ guild_id: made.guild });
  const grace = sandbox.as(sandbox.members[0] ?? '');
  expect(() => grace.send(made.general, 'hello')).toThrow('cannot see');
});

test('a channel that is made, renamed and deleted is told each time', async () => {
  const { id } = sandbox.operator.createChannel({ name: 'news' });
  sandbox.operator.renameChannel({ channel: id, name: 'old-news' });
  sandbox.operator.deleteChannel({ channel: id });
  expect(await events.first('CHANNEL_CREATE')).toMatchObject({ id, name: 'news' });
  expect(await events.first('CHANNEL_UPDATE')).toMatchObject({ id, name: 'old-news' });
  expect(await events.first('CHANNEL_DELETE')).toMatchObject({ id });
});

test('the permissions of the bot change as told, and it hears of its role', async () => {
  sandbox.operator.setBotPermissions({ permissions: ['ViewChannel', 'ManageMessages'] });
  await events.first('GUILD_ROLE_UPDATE');
  const me = client.guilds.cache.get(sandbox.guildId)?.members.me;
  expect(me?.permissions.has('ManageMessages')).toBe(true);
});
