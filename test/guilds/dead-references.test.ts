import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRole, deleteRole } from '../../discord-box/src/index.ts';
import { changeGuild } from '../../discord-box/src/guilds/change-guild.ts';
import { notifyAdmins } from '../../src/community/admin-messages.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
});
afterAll(() => scene.stop());

test('admins are told once of a deleted role that a setting and a digest still name', async () => {
  const { sandbox } = scene;
  const { world, guildId, channels } = sandbox;
  const owner = sandbox.as(sandbox.admin);
  const told = () => owner.messages(owner.directMessages().id).map(({ content }) => content);
  const guild = world.guilds.get(guildId)!;
  const role = addRole(world, guild, { name: 'voters', permissions: 0n, mentionable: true });
  const knows = () => scene.bot.app.client.guilds.cache.get(guildId)?.roles.cache.has(role.id);
  await scene.eventually(knows, (has) => has === true, 'known to the bot');
  await setSetting(sandbox, 'vote-roles', [role.id]);
  const digest = { channel: channels.general.id, time: '18:00', timezone: 'UTC', role: role.id };
  await owner.command(channels.general.id, 'digest set', digest);
  await scene.minute();
  expect(told()).toEqual([]);
  deleteRole(world, guild, role);
  await scene.eventually(knows, (has) => has === false, 'gone for the bot');
  await scene.minute();
  await scene.minute();
  await expect
    .poll(told)
    .toEqual([expect.stringMatching(/^.*Roles.*, Daily digest: .* deleted.*Check-up/)]);
  await scene.restartBot();
  await scene.minute();
  expect(told()).toHaveLength(1);
});

test('where nobody can be told directly because of a fault, the server’s system channel is told', async () => {
  const { sandbox, bot } = scene;
  const { world, guildId, channels, faults } = sandbox;
  changeGuild(world, world.guilds.get(guildId)!, { systemChannelId: channels.general.id });
  const known = () => bot.app.client.guilds.cache.get(guildId)?.systemChannelId;
  await expect.poll(known).toBe(channels.general.id);
  const end = faults.add({ method: 'GET', route: /members/, status: 500 });
  await notifyAdmins(bot.app, { guild: guildId }, 'Something is wrong.', sandbox.admin);
  end();
  const said = sandbox.as(sandbox.admin).messages(channels.general.id);
  expect(said.map(({ content }) => content)).toContain('Something is wrong.');
});
