import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { REFUSED_IN_GUILD } from '../../../src/discord/requests/refusals.ts';
import { finishErasing } from '../../../src/privacy/member-data.ts';
import { snowflakeAt } from '../../../src/runtime/snowflake.ts';
import { noteErasing } from '../../../src/community/erasures.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';
import { askedOf, readIn } from './read-messages.ts';

let scene: Scene;

beforeAll(async () => {
  scene = await startScene();
});
afterEach(() => scene.sandbox.faults.clear());
afterAll(() => scene.stop());

const asked = () => askedOf(scene);
const read = (guild: string, channel: string) => readIn(scene, guild, channel);

describe('a place that answered 403', () => {
  test('a place that answered 403 is asked again in a new session, before which permissions may have changed unseen', async () => {
    const { sandbox } = scene;
    const { guildId: guild, channels, gateway } = sandbox;
    sandbox.faults.add({ path: new RegExp(`${channels.ai.id}/messages`), status: 403 });
    expect(await read(guild, channels.ai.id)).toBe('ChannelRefused');
    sandbox.faults.clear();
    gateway.drop({ resumable: false });
    await expect.poll(() => read(guild, channels.ai.id)).toBe('read');
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
