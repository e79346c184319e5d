import { PermissionFlagsBits as P, Routes } from 'discord.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import { REFUSED_IN_GUILD } from '../../../src/discord/requests/refusals.ts';
import { finishErasing } from '../../../src/privacy/member-data.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { writeToLogChannel } from '../../../src/community/admin-messages.ts';
import { noteErasing } from '../../../src/community/erasures.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});
afterEach(() => scene.sandbox.faults.clear());
afterAll(() => scene.stop());

const asked = () => scene.sandbox.requests.count(undefined, /messages/);
const read = (guild: string, channel: string) =>
  scene.bot.requests
    .get({ guild, channel }, Routes.channelMessages(channel))
    .then(() => 'read')
    .catch((error: Error) => error.name);

describe('a place that answered 403', () => {
  test('a place that answered 403 is not asked again, even after a restart, until the bot’s permissions change', async () => {
    const { sandbox } = scene;
    const { guildId: guild, channels, world } = sandbox;
    const { general, rust } = channels;
    const me = world.application.botId;
    sandbox.faults.add({ path: new RegExp(`${rust.id}/messages`), status: 403 });
    expect(await read(guild, rust.id)).toBe('ChannelRefused');
    await scene.restartBot();
    const before = asked();
    expect(await read(guild, rust.id)).toBe('ChannelRefused');
    expect(asked()).toBe(before);
    expect(await read(guild, general.id)).toBe('read');

    await scene.bot.stop();
    setOverwrite(world, rust, me, { kind: 'member', allow: P.ManageMessages, deny: 0n });
    sandbox.faults.clear();
    await scene.restartBot();
    expect(await read(guild, rust.id)).toBe('read');
    setOverwrite(world, rust, me, null);
  });

  test('a place that answered 403 is asked again when the guild has removed the bot and invites it again', async () => {
    const { sandbox } = scene;
    const { guildId: guild, channels, operator } = sandbox;
    sandbox.faults.add({ path: new RegExp(`${channels.ai.id}/messages`), status: 403 });
    expect(await read(guild, channels.ai.id)).toBe('ChannelRefused');
    sandbox.faults.clear();
    const isHere = () => scene.bot.client.guilds.cache.has(guild);
    operator.kickBot({});
    await expect.poll(isHere).toBe(false);
    operator.inviteBot({});
    await expect.poll(isHere).toBe(true);
    // What is stored of the refusals is deleted a moment later.
    await expect.poll(() => read(guild, channels.ai.id)).toBe('read');
  });

  test('a place that answered 403 is asked again in a new session, before which permissions may have changed unseen', async () => {
    const { sandbox } = scene;
    const { guildId: guild, channels, gateway } = sandbox;
    sandbox.faults.add({ path: new RegExp(`${channels.ai.id}/messages`), status: 403 });
    expect(await read(guild, channels.ai.id)).toBe('ChannelRefused');
    sandbox.faults.clear();
    gateway.drop({ resumable: false });
    await expect.poll(() => read(guild, channels.ai.id)).toBe('read');
  });

  // Withstands (Requests to Discord): A channel is refused (403) and allowed later
  // → it is asked again
  test('a place that answered 403 is asked again after a minute, and after four more minutes where it still refuses', async () => {
    const { sandbox, clock } = scene;
    const { guildId: guild, channels } = sandbox;
    const { id } = channels.ai;
    const before = asked();
    sandbox.faults.add({ path: new RegExp(`${id}/messages`), status: 403 });
    for (const [afterMs, times] of [
      [0, 1],
      [59_000, 1],
      [2000, 2],
      [238_000, 2],
    ] as const) {
      clock.move(afterMs);
      expect(await read(guild, id)).toBe('ChannelRefused');
      expect(asked() - before).toBe(times);
    }
    sandbox.faults.clear();
    clock.move(3000);
    expect(await read(guild, id)).toBe('read');
  });

  test('a place that answered 403 costs one request, however many erased messages are to be deleted there', async () => {
    const { sandbox, bot, clock } = scene;
    const { guildId: guild, channels } = sandbox;
    const channel = channels.rust.id;
    for (let n = 0; n < 50; n += 1) {
      await noteErasing(bot.store, guild, { id: snowflakeAt(clock.now() - n), channel });
    }
    const path = new RegExp(`${channel}/messages`);
    sandbox.faults.add({ path, status: 403, code: 50013 });
    const before = asked();
    await finishErasing(bot, guild);
    await finishErasing(bot, guild);
    expect(asked()).toBe(before + 1);
  });
});

test('a channel that refuses reactions is not asked for them under each new article', async () => {
  const { sandbox } = scene;
  const asked = () => sandbox.requests.count('PUT', /reactions/);
  const before = asked();
  const end = sandbox.faults.add({
    method: 'PUT',
    route: /reactions/,
    status: 403,
    code: 50013,
  });
  for (const n of [1, 2, 3]) {
    const link = `https://refused.example/${n}`;
    await sandbox.as(sandbox.admin).command(sandbox.channels.gameDev.id, 'post', { link });
    // The reactions follow the answer.
    await expect.poll(asked).toBe(before + 1);
  }
  end();
  await scene.post(sandbox.admin);
  expect(asked()).toBe(before + 3);
});

test('a log channel that refuses messages is not asked again, even after a restart', async () => {
  const { sandbox } = scene;
  const { guildId: guild, channels } = sandbox;
  await writeSetting(scene.bot.store, guild, 'log', channels.rust.id);
  await scene.bot.rules.reload(guild);
  const sent = () => sandbox.requests.count('POST', /messages/);
  const before = sent();
  sandbox.faults.add({
    method: 'POST',
    path: new RegExp(`${channels.rust.id}/messages`),
    status: 403,
  });
  const write = () => writeToLogChannel(scene.bot, guild, () => ({ content: 'A line.' }));
  for (let n = 0; n < 3; n += 1) await write();
  await scene.restartBot();
  await write();
  expect(sent()).toBe(before + 1);
});

test('a request that is answered with 429 and no time is not repeated at once', async () => {
  const { sandbox, bot } = scene;
  const end = sandbox.faults.add({ route: /users/, status: 429 });
  const asked = () => sandbox.requests.count('GET', /users/);
  const before = asked();
  // It waits for a minute; this test does not.
  bot.client.rest.get('/users/@me').catch(() => {});
  await expect.poll(asked).toBe(before + 1);
  // A repetition at once would come before this.
  for (let n = 0; n < 5; n += 1) await bot.client.rest.get('/gateway');
  expect(asked()).toBe(before + 1);
  end();
});

test.each([
  ['shared', 'goes on'],
  ['user', 'stops'],
] as const)(
  'after a hundred answers of 429 with the scope %s, what can wait in a guild %s',
  async (scope, what) => {
    const { sandbox, bot } = scene;
    const { operator, admin } = sandbox;
    const { guild, general: channel } = operator.createGuild({ name: scope, owner: admin });
    await expect.poll(() => bot.client.channels.cache.has(channel)).toBe(true);
    sandbox.faults.add({
      path: new RegExp(`${channel}/messages`),
      status: 429,
      times: REFUSED_IN_GUILD,
      scope,
      retryAfterSeconds: 0,
    });
    // The client repeats it until it is answered.
    await bot.client.rest.get(Routes.channelMessages(channel));
    const allowed = bot.requests.requireAllowed({ guild, channel });
    expect(
      await allowed.then(
        () => 'goes on',
        () => 'stops',
      ),
    ).toBe(what);
  },
);

// Withstands (Attacks): A server makes Discord ban the bot
// → its requests stop after 100 refusals
test('what can wait stops in a guild that Discord refuses a hundred times, and only there', async () => {
  const { sandbox, bot } = scene;
  const { guildId: guild, operator, admin } = sandbox;
  const other = operator.createGuild({ name: 'Elsewhere', owner: admin });
  await expect.poll(() => bot.client.guilds.cache.has(other.guild)).toBe(true);
  const channels = Array.from({ length: REFUSED_IN_GUILD + 20 }, (_, n) => {
    return operator.createChannel({ name: `refused-${n}` }).id;
  });
  const last = channels.at(-1) ?? '';
  await expect.poll(() => bot.client.channels.cache.has(last)).toBe(true);
  sandbox.faults.add({ path: /messages/, status: 403, code: 50013 });
  // What the tests before left to be tried again is not counted.
  const made = new Set(channels);
  const asked = () =>
    sandbox.requests.recent.filter(({ channelId }) => made.has(channelId ?? '')).length;
  for (const channel of channels) expect(await read(guild, channel)).toBe('ChannelRefused');
  // They took some of the hundred.
  expect(asked()).toBeGreaterThan(REFUSED_IN_GUILD - 10);
  expect(asked()).toBeLessThanOrEqual(REFUSED_IN_GUILD);
  sandbox.faults.clear();
  const stopped = asked();
  const place = { guild, channel: last, article: snowflakeAt(scene.clock.now()) };
  bot.ownReactions.repair(place, {}, null);
  expect(await read(guild, sandbox.channels.general.id)).toBe('ChannelRefused');
  expect(asked()).toBe(stopped);
  expect(await read(other.guild, other.general)).toBe('read');
  const { message } = await sandbox
    .as(admin)
    .command(sandbox.channels.general.id, 'post', { link: 'https://still.example/1' });
  expect(message?.content).toContain('still.example');
});
