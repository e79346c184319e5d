import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Community, startCommunity } from './community.ts';
import { connectClient, recordEvents } from './client.ts';

let discord: Community;
let client: Awaited<ReturnType<typeof connectClient>>;
let events: ReturnType<typeof recordEvents>;

beforeEach(async () => {
  discord = await startCommunity({ rateLimits: false });
  client = await connectClient(discord);
  events = recordEvents(client);
});
afterEach(async () => {
  await client.destroy();
  await discord.stop();
});

test('a bot that was removed hears nothing until it is invited again', async () => {
  discord.operator.kickBot({});
  await events.first('GUILD_DELETE');
  const ada = discord.as(discord.admin);
  ada.send(discord.channels.general.id, 'unheard');
  await expect(client.guilds.fetch(discord.guildId)).rejects.toMatchObject({ code: 10004 });
  discord.operator.inviteBot({});
  await events.first('GUILD_CREATE');
  ada.send(discord.channels.general.id, 'heard');
  await events.first('MESSAGE_CREATE');
  expect(events.of('MESSAGE_CREATE')).toHaveLength(1);
});

test('a second guild is apart from the first', async () => {
  const made = discord.operator.createGuild({ name: 'Lighthouse', owner: discord.admin });
  expect(await events.first('GUILD_CREATE')).toMatchObject({ id: made.guild, name: 'Lighthouse' });
  discord.as(discord.admin).send(made.general, 'hello');
  expect(await events.first('MESSAGE_CREATE')).toMatchObject({ guild_id: made.guild });
  const grace = discord.as(discord.members[0] ?? '');
  expect(() => grace.send(made.general, 'hello')).toThrow('cannot see');
});

test('a channel that is made, renamed and deleted is told each time', async () => {
  const { id } = discord.operator.createChannel({ name: 'news' });
  discord.operator.renameChannel({ channel: id, name: 'old-news' });
  discord.operator.deleteChannel({ channel: id });
  expect(await events.first('CHANNEL_CREATE')).toMatchObject({ id, name: 'news' });
  expect(await events.first('CHANNEL_UPDATE')).toMatchObject({ id, name: 'old-news' });
  expect(await events.first('CHANNEL_DELETE')).toMatchObject({ id });
});

test('the permissions of the bot change as told, and it hears of its role', async () => {
  discord.operator.setBotPermissions({ permissions: ['ViewChannel', 'ManageMessages'] });
  await events.first('GUILD_ROLE_UPDATE');
  const me = client.guilds.cache.get(discord.guildId)?.members.me;
  expect(me?.permissions.has('ManageMessages')).toBe(true);
});

test('what a test waits for in vain is named within the time that it allows', async () => {
  const other = await startCommunity({ untilMs: 30 });
  await expect(other.until(() => undefined, 'a ship')).rejects.toThrow('Waited 30 ms for a ship.');
  await other.stop();
});

test('two Discords beside each other hear nothing of each other', async () => {
  const other = await startCommunity({ rateLimits: false });
  const otherClient = await connectClient(other);
  const otherEvents = recordEvents(otherClient);
  discord.operator.blockWords({ words: ['casino'] });
  discord.clock.move(60_000);
  discord.faults.add({ status: 503 });
  const { general } = other.channels;
  discord.as(discord.admin).send(discord.channels.general.id, 'here');
  await events.first('MESSAGE_CREATE');
  const sent = await otherClient.channels.fetch(general.id, { force: true });
  expect(sent?.id).toBe(general.id);
  other.as(other.admin).send(general.id, 'casino');
  await otherEvents.first('MESSAGE_CREATE');
  expect(otherEvents.of('MESSAGE_CREATE')).toMatchObject([{ channel_id: general.id }]);
  expect(other.clock.now()).toBeLessThan(discord.clock.now() - 50_000);
  await otherClient.destroy();
  await other.stop();
});
