import { PermissionFlagsBits } from 'discord.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addMember, removeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { setOverwrite } from '../../discord-box/src/world/channels/change-channel.ts';
import { deleteArticle } from '../../src/ranking/articles/articles.ts';
import { translate } from '../../src/text/catalogue.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { readDigest } from '../../src/digests/stored-digests.ts';
import { readSettings, writeSetting } from '../../src/community/settings.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { openPanel } from '../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let rust: string;
let admin: string;
let member: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  ({ admin } = sandbox);
  [member = ''] = sandbox.members;
});
afterAll(() => scene.stop());

const as = (who: string) => scene.sandbox.as(who);
const stored = () => readSettings(scene.bot.store, scene.sandbox.guildId);
const daily = async () =>
  (await readDigest(scene.bot.store, scene.sandbox.guildId, 'daily'))?.digest;
const check = async () => {
  const { message, ephemeral } = await openPanel(as(admin), general, 'check-up');
  expect(ephemeral).toBe(true);
  return JSON.stringify(message?.embeds[0]);
};

describe('the check-up of /frontpage panel', () => {
  test('the check-up of /frontpage panel looks at channels, digests and the record', async () => {
    const text = await check();
    expect(text).toMatch(/articles can be posted: \d+ of \d+/);
    expect(text).toContain(translate('en', 'check-up.digests.none'));
    expect(text).toContain(`✅ ${translate('en', 'check-up.record.ok')}`);
  });

  test('the check-up of /frontpage panel names a setting whose roles were deleted, which a refusal does not mention', async () => {
    const { store, rules } = scene.bot;
    const { guildId } = scene.sandbox;
    const gone = '123456789012345678';
    await writeSetting(store, guildId, 'post-roles', [gone, guildId]);
    await rules.reload(guildId);
    expect(await check()).toContain('names a deleted role');
    await writeSetting(store, guildId, 'post-roles', [gone]);
    await rules.reload(guildId);
    expect(await check()).toContain('so nobody can post');
    const values = { link: 'https://roles.example/' };
    const { message } = await as(admin).command(general, 'post', values);
    expect(message?.content).toContain('those roles were deleted');
    await writeSetting(store, guildId, 'post-roles', []);
    await rules.reload(guildId);
  });

  // Withstands (Damaged data): Settings and digests are gone with the rest
  // → the log and the check-up say so
  test('the check-up of /frontpage panel says that settings and digests are missing where articles were read again', async () => {
    const article = await scene.post(admin);
    expect(await check()).not.toContain('no settings, digests or blocks');
    const { store } = scene.bot;
    const { complete, digests } = storeKeys(store, scene.sandbox.guildId);
    const before = await store.redis.getset(complete, scene.clock.now() + 11 * MINUTE_MS);
    expect(await check()).toContain('no settings, digests or blocks');
    await store.redis.hset(digests, 'daily', '{}');
    expect(await check()).not.toContain('no settings, digests or blocks');
    await store.redis.del(digests);
    await store.redis.set(complete, before ?? '');
    await deleteArticle(scene.bot.ranking, scene.sandbox.guildId, article);
  });

  test('the check-up of /frontpage panel names what is missing in a configured channel, and the cure', async () => {
    await setSetting(scene.sandbox, 'log', [rust]);
    const { world, channels } = scene.sandbox;
    const deny = PermissionFlagsBits.SendMessages;
    const { botId } = world.application;
    setOverwrite(world, channels.rust, botId, { kind: 'member', allow: 0n, deny });
    await scene.eventually(check, (text) => text.includes('Send Messages'), 'found');
    expect(await check()).toMatch(
      /Log channel: Frontpage is missing permissions in <#\d+>: Send Messages\. Allow/,
    );
    setOverwrite(world, channels.rust, botId, null);
    await setSetting(scene.sandbox, 'log', []);
  });
});

describe('the set-up of /frontpage panel', () => {
  test('the set-up of /frontpage panel chooses zone, digest, link channels and discussion, each at once', async () => {
    const { message } = await openPanel(as(admin), general, 'setup');
    expect(message?.embeds[0]?.description).toContain(
      'Permissions needed in that channel: View Channel',
    );
    const id = message?.id ?? '';
    const choose = (customId: string, value: string) =>
      as(admin).choose(general, id, customId, [value]);
    await choose('frontpage|setup|zone', 'Europe/Berlin');
    expect(await daily()).toBeUndefined();
    await choose('frontpage|setup|digest|Europe/Berlin', rust);
    expect(await daily()).toMatchObject({
      channel: rust,
      schedule: { every: 'day', time: '09:00', zone: 'Europe/Berlin' },
    });
    await choose('frontpage|setup|links|Europe/Berlin', general);
    await choose('frontpage|setup|zone', 'Asia/Tokyo');
    expect((await daily())?.schedule.zone).toBe('Asia/Tokyo');
    await as(admin).command(rust, 'digest set', { time: '18:30' });
    const shown = await as(admin).press(general, id, 'frontpage|setup|discussion|Asia/Tokyo');
    expect(await stored()).toMatchObject({
      'link-channels': [general],
      discussion: true,
    });
    const text = shown.message?.embeds[0]?.description ?? '';
    expect(text).toContain(`Daily digest at 18:30 in: <#${rust}>`);
    expect(text).toContain('Needs Message Content Intent');
    expect(text).toContain('✓ Allowed: View Channel');
    expect(text).toContain('✓ Allowed: Create Public Threads.');
    const done = await as(admin).press(general, id, 'frontpage|setup|done');
    expect(done.message?.content).toContain('/post');
    expect(done.message?.components).toEqual([]);
  });

  test('the set-up of /frontpage panel keeps an hour that was chosen first for the digest, and changes it later', async () => {
    await as(admin).command(rust, 'digest off');
    const { message } = await openPanel(as(admin), general, 'setup');
    const id = message?.id ?? '';
    const choose = (customId: string, value: string) =>
      as(admin).choose(general, id, customId, [value]);
    await choose('frontpage|setup|time|', '18:00');
    expect(await daily()).toBeUndefined();
    await choose('frontpage|setup|zone||18:00', 'Asia/Tokyo');
    await choose('frontpage|setup|digest|Asia/Tokyo|18:00', rust);
    expect(await daily()).toMatchObject({
      channel: rust,
      schedule: { every: 'day', time: '18:00', zone: 'Asia/Tokyo' },
    });
    const shown = await choose('frontpage|setup|time|Asia/Tokyo', '07:00');
    expect((await daily())?.schedule).toMatchObject({ time: '07:00', zone: 'Asia/Tokyo' });
    expect(shown.message?.embeds[0]?.description).toContain(`Daily digest at 07:00 in: <#${rust}>`);
  });

  test('the set-up of /frontpage panel greets a guild that adds the bot, once, with a button that begins it', async () => {
    const { world, guild } = scene.sandbox;
    removeMember(world, guild, world.application.botId);
    await scene.eventually(
      () => scene.bot.client.guilds.cache.has(guild.id),
      (has) => !has,
      'removed',
    );
    const roleIds = [...guild.roles.values()]
      .filter(({ name }) => name === world.application.name)
      .map(({ id }) => id);
    addMember(world, guild, world.application.botId, { roleIds });
    const greeting = await scene.eventually(
      () =>
        as(member)
          .messages(general)
          .find(({ embeds }) => embeds[0]?.title?.startsWith('Hello')),
      Boolean,
      'greeted',
    );
    const id = greeting?.id ?? '';
    const refused = await as(member).press(general, id, 'frontpage|setup|start');
    expect(refused.ephemeral).toBe(true);
    expect(refused.message?.embeds).toEqual([]);
    const begun = await as(admin).press(general, id, 'frontpage|setup|start');
    expect(begun).toMatchObject({ kind: 'message', ephemeral: true });
    expect(begun.message?.embeds).toHaveLength(1);
  });
});
