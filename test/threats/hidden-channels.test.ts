import { PermissionFlagsBits as P } from 'discord-api-types/v10';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  createChannel,
  deleteChannel,
} from '../../discord-box/src/world/channels/change-channel.ts';
import { addRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { readSettings, writeSetting } from '../../src/community/settings.ts';
import { changeGroup } from '../../src/ranking/articles/groups.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { offerOf, screenOf } from '../../src/panel/settings-screens.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ follows: true });
});
afterEach(() => scene.stop());

const hide = (channel: string): void =>
  scene.sandbox.operator.setPermissions({ channel, who: 'bot', deny: ['ViewChannel'] });
const guildOf = () => scene.bot.client.guilds.cache.get(scene.sandbox.guildId)!;

/** As if a list of Discord's lacked the channel. */
function forget(channel: string): void {
  guildOf().channels.cache.delete(channel);
  scene.bot.client.channels.cache.delete(channel);
}

/** Has Manage Server, and is no administrator. */
function manager(): string {
  const { world, guild, members } = scene.sandbox;
  const [member = ''] = members;
  const role = addRole(world, guild, { name: 'Managers', permissions: P.ManageGuild });
  guild.members.get(member)!.roleIds.add(role.id);
  return member;
}

function told(): string[] {
  const owner = scene.sandbox.as(scene.sandbox.admin);
  return owner.messages(owner.directMessages().id).map(({ content }) => content);
}

// Withstands (Requests to Discord): A list lacks a channel that a setting names and an article is in
// → Discord is asked about the channel, and only what it knows no more is taken for deleted
test('a channel that no list names is gone only if Discord says so of its id', async () => {
  const { sandbox, bot } = scene;
  const { admin, channels, guildId: guild, world } = sandbox;
  const secret = createChannel(world, { guildId: guild, name: 'secret' });
  const deleted = createChannel(world, { guildId: guild, name: 'deleted' });
  await expect.poll(() => guildOf().channels.cache.has(deleted.id)).toBe(true);
  const article = await scene.post(admin);
  for (const group of [secret.id, deleted.id]) {
    await changeGroup(bot.ranking, { guild, article, group }, 'add');
  }
  await writeSetting(bot.store, guild, 'no-groups', [secret.id]);
  await writeSetting(bot.store, guild, 'log', channels.moderators.id);
  await writeSetting(bot.store, guild, 'announcements', deleted.id);
  await bot.rules.reload(guild);
  for (const channel of [secret, channels.moderators]) {
    hide(channel.id);
    await expect.poll(() => guildOf().channels.cache.get(channel.id)?.name).toBe('___hidden___');
    forget(channel.id);
  }
  // Its event is lost.
  scene.secretly(() => deleteChannel(world, deleted));
  forget(deleted.id);

  await bot.listing.compare(guildOf());
  // The night looks for what no event told.
  await scene.pass(DAY_MS);
  await scene.settled();
  await expect.poll(told).toHaveLength(1);
  expect(told()[0]).toContain('Announcements');
  expect(told()[0]).not.toContain('Log');
  expect(told()[0]).not.toContain('Excluded');
  expect((await scene.article(article))?.groups).toEqual([channels.general.id, secret.id]);
});

test('a manager changes a list of channels with a hidden one in it, and is told why another cannot be added', async () => {
  const { sandbox, bot } = scene;
  const { channels, guildId: guild } = sandbox;
  const { general, ai, rust, gameDev } = channels;
  const as = sandbox.as(manager());
  await writeSetting(bot.store, guild, 'no-groups', [ai.id]);
  await bot.rules.reload(guild);
  hide(ai.id);
  hide(gameDev.id);
  const choose = async (ids: string[]) => {
    const { message } = await openPanel(as, general.id, 'settings|more');
    await as.choose(general.id, message!.id, 'frontpage|settings|pick', ['channels']);
    const value = 'frontpage|settings|channels|except';
    return (await as.choose(general.id, message!.id, value, ids)).message?.content;
  };
  await choose([ai.id, rust.id]);
  expect((await readSettings(bot.store, guild))['no-groups']).toEqual([ai.id, rust.id]);
  expect(await choose([ai.id, gameDev.id])).toContain(
    `missing permissions in <#${gameDev.id}>: View Channel`,
  );
  expect((await readSettings(bot.store, guild))['no-groups']).toEqual([ai.id, rust.id]);
});

test('a manager names no channel in a setting that they may not view', async () => {
  const { sandbox, bot } = scene;
  const { channels, guildId: guild, operator } = sandbox;
  const as = sandbox.as(manager());
  const { id: closed } = channels.rust;
  operator.setPermissions({ channel: closed, who: 'everyone', deny: ['ViewChannel'] });
  operator.setPermissions({ channel: closed, who: 'bot', allow: ['ViewChannel'] });
  const of = () => guildOf().channels.cache.get(closed);
  await expect.poll(() => of()?.permissionsFor(guild)?.has('ViewChannel')).toBe(false);
  const place = channels.general.id;
  const choose = async (name: 'log' | 'link-channels', channel: string) => {
    const { message } = await openPanel(as, place, `settings|${screenOf(offerOf(name))}`);
    await as.choose(place, message!.id, 'frontpage|settings|pick', [name]);
    await as.choose(place, message!.id, `frontpage|settings|value|${name}`, [channel]);
  };
  await choose('log', closed);
  await choose('link-channels', closed);
  expect(await readSettings(bot.store, guild)).toMatchObject({ log: null, 'link-channels': [] });
  await choose('log', channels.ai.id);
  await choose('link-channels', channels.ai.id);
  const taken = { log: channels.ai.id, 'link-channels': [channels.ai.id] };
  expect(await readSettings(bot.store, guild)).toMatchObject(taken);
});

test('who posts in a hidden channel is told what Frontpage lacks, and no name of Discord’s own is shown', async () => {
  const { sandbox } = scene;
  const { channels, members, admin } = sandbox;
  await scene.post(admin, { channel: channels.ai.id });
  hide(channels.ai.id);
  await expect.poll(() => guildOf().channels.cache.get(channels.ai.id)?.name).toBe('___hidden___');
  const link = 'https://posted.example/hidden';
  const posted = await sandbox.as(members[0]!).command(channels.ai.id, 'post', { link });
  expect(posted.message?.content).toContain('Frontpage is missing permissions');
  const top = await scene.command(admin, 'top', { channel: channels.ai.id });
  expect(JSON.stringify(top.message)).not.toContain('___hidden___');
});
