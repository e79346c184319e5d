import { afterAll, beforeAll, expect, test } from 'vitest';
import { addRole, deleteRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { changeGuild } from '../../discord-box/src/world/guilds/change-guild.ts';
import { notifyAdmins } from '../../src/community/admin-messages.ts';
import { readDigest, saveDigest } from '../../src/digests/stored-digests.ts';
import { isGone } from '../../src/discord/requests/is-gone.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { HOUR_MS } from '../../src/runtime/clock.ts';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { setSetting, showSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ follows: true });
});
afterAll(() => scene.stop());

function told(): string[] {
  const owner = scene.sandbox.as(scene.sandbox.admin);
  return owner.messages(owner.directMessages().id).map(({ content }) => content);
}

async function newRole(name: string) {
  const { world, guildId } = scene.sandbox;
  const guild = world.guilds.get(guildId)!;
  const role = addRole(world, guild, { name, permissions: 0n, mentionable: true });
  const knows = () => scene.bot.client.guilds.cache.get(guildId)?.roles.cache.has(role.id);
  await scene.eventually(knows, (has) => has === true, 'known to the bot');
  const remove = async () => {
    deleteRole(world, guild, role);
    await scene.eventually(knows, (has) => has === false, 'gone for the bot');
  };
  return { id: role.id, remove };
}

const checkUp = () => {
  const { admin, channels } = scene.sandbox;
  return openPanel(scene.sandbox.as(admin), channels.general.id, 'check-up');
};

/** A minute's work an hour later: Discord knows no nonce from so long ago. */
async function hourLater(): Promise<void> {
  await scene.pass(HOUR_MS);
  await scene.settled();
}

test('admins are told once of a deleted role that a setting and a digest still name', async () => {
  const { sandbox } = scene;
  const { general } = sandbox.channels;
  await scene.vote(sandbox.members[0]!, await scene.post(sandbox.admin));
  const role = await newRole('voters');
  await setSetting(sandbox, 'vote-roles', [role.id]);
  const digest = { channel: general.id, time: '18:00', timezone: 'UTC' };
  await sandbox.as(sandbox.admin).command(general.id, 'digest set', digest);
  await chooseForDigest(sandbox, 'role', [role.id]);
  await hourLater();
  expect(told()).toEqual([]);
  await role.remove();
  await scene.minute();
  await expect
    .poll(told)
    .toEqual([expect.stringMatching(/^.*Roles.*, Daily digest: .* deleted.*Check-up/)]);
  const said = 'Daily digest: A role or channel of this digest was deleted';
  const { store } = scene.bot;
  const { digest: given } = (await readDigest(store, sandbox.guildId, 'daily'))!;
  for (const [dead, of] of [
    [true, given],
    [true, { ...given, role: null, groups: ['1', general.id] }],
    [false, { ...given, role: null, groups: [general.id] }],
  ] as const) {
    await saveDigest(store, sandbox.guildId, 'daily', { ...of, groups: [...of.groups] });
    const shown = JSON.stringify((await checkUp()).message?.embeds);
    expect([of.role, of.groups, shown.includes(said)]).toEqual([of.role, of.groups, dead]);
  }
  await saveDigest(store, sandbox.guildId, 'daily', given);
  for (const words of ['digest show', 'digest preview']) {
    const { message } = await sandbox.as(sandbox.admin).command(general.id, words);
    const said = JSON.stringify(message);
    expect({ words, said }).toEqual({ words, said: expect.not.stringContaining(role.id) });
  }
  await hourLater();
  await hourLater();
  await scene.restartBot();
  await hourLater();
  expect(told()).toHaveLength(1);
  await setSetting(sandbox, 'vote-roles', []);
  await sandbox.as(sandbox.admin).command(general.id, 'digest delete');
});

test('admins are told at once of a deleted channel that a setting names', async () => {
  const { sandbox, bot } = scene;
  const { id } = sandbox.operator.createChannel({ guild: sandbox.guildId, name: 'news' });
  await scene.eventually(() => bot.client.channels.cache.has(id), Boolean, 'known to the bot');
  await setSetting(sandbox, 'announcements', [id]);
  await hourLater();
  const before = told().length;
  sandbox.operator.deleteChannel({ channel: id });
  await scene.settled();
  await bot.due.look();
  await expect.poll(() => told().slice(before)).toEqual([expect.stringContaining('Announcements')]);
  await setSetting(sandbox, 'announcements', []);
});

test('channels that went while the bot was off are named by the check-up, and told once', async () => {
  const { sandbox } = scene;
  const { operator, admin, guildId } = sandbox;
  const { client } = scene.bot;
  const names = ['log', 'announcements', 'link-channels', 'board'] as const;
  const channels = new Map<string, string>();
  for (const name of names) {
    const { id } = operator.createChannel({ guild: guildId, name });
    await scene.eventually(() => client.channels.cache.has(id), Boolean, 'known to the bot');
    channels.set(name, id);
  }
  for (const name of ['log', 'announcements', 'link-channels'] as const) {
    await setSetting(sandbox, name, [channels.get(name)!]);
  }
  await scene.bot.board.put(guildId, channels.get('board')!, admin);
  const before = told().length;
  await scene.bot.stop();
  for (const channel of channels.values()) operator.deleteChannel({ channel });
  await scene.restartBot();
  await hourLater();
  await expect.poll(() => told().length).toBe(before + 1);
  for (const name of ['log', 'Announcements', 'Board', 'link']) {
    expect(told().at(-1)?.toLowerCase()).toContain(name.toLowerCase());
  }
  await hourLater();
  expect(told()).toHaveLength(before + 1);
  const shown = JSON.stringify((await checkUp()).message?.embeds);
  expect(shown).toContain(
    'Board: The channel was deleted. Choose another with /frontpage panel → Digest and board → Board',
  );
  expect(shown).toContain(
    'Announcements: The channel was deleted. Choose another with /frontpage panel → Digest and board.',
  );
  expect(shown).toContain('Link channels: A channel chosen here was deleted');
  const screens = [shown];
  for (const section of ['settings|posts', 'settings|more', 'setup', 'board'] as const) {
    const { message } = await openPanel(sandbox.as(admin), sandbox.channels.general.id, section);
    screens.push(JSON.stringify(message));
  }
  // What is chosen again in a select is what is there.
  screens.push(JSON.stringify((await showSetting(sandbox, 'link-channels')).message));
  // The log says what was chosen before.
  const log = operator.createChannel({ guild: guildId, name: 'log' }).id;
  await scene.eventually(() => scene.bot.client.channels.cache.has(log), Boolean, 'known');
  await setSetting(sandbox, 'log', [log]);
  const logged = () => JSON.stringify(sandbox.as(admin).messages(log));
  await expect.poll(logged).toContain('a deleted channel');
  screens.push(logged());
  for (const screen of screens) {
    for (const id of channels.values()) expect(screen).not.toContain(id);
  }
  for (const name of ['log', 'announcements', 'link-channels'] as const) {
    await setSetting(sandbox, name, []);
  }
});

// Withstands (Damaged data): All roles that may vote are deleted
// → new votes wait, and count when others are chosen
test('while all roles that may vote are deleted new votes wait, and count when others are chosen', async () => {
  const { sandbox } = scene;
  const [early = '', late = ''] = sandbox.members;
  const { operator, channels } = sandbox;
  const own = { channel: channels.general.id, who: 'bot' } as const;
  operator.setPermissions({ ...own, allow: ['ManageMessages'] });
  const role = await newRole('electors');
  const article = await scene.post(sandbox.admin);
  await scene.vote(early, article);
  await setSetting(sandbox, 'vote-roles', [role.id]);
  await role.remove();
  scene.react(late, article, '👍');
  // No role lets a bot vote.
  const [bot = ''] = scene.crowd(1, true);
  scene.react(bot, article, '👍');
  await expect.poll(() => scene.whoShows(article, '👍')).not.toContain(bot);
  await scene.settled();
  await scene.recount({ full: true });
  await scene.settled();
  // What counts stays, and nothing is taken away.
  expect(await scene.tally(article)).toEqual([2, 0]);
  expect(scene.whoShows(article, '👍')).toContain(late);
  const shown = JSON.stringify((await checkUp()).message?.embeds);
  expect(shown).toContain('votes wait');
  await setSetting(sandbox, 'vote-roles', []);
  // The hourly look, which reads no lists of what is as expected.
  await scene.recount();
  expect(await scene.tally(article)).toEqual([3, 0]);
  operator.setPermissions(own);
});

test('while all roles that may post are deleted a member is told so, and no dead role is mentioned', async () => {
  const { sandbox } = scene;
  const [member = ''] = sandbox.members;
  const role = await newRole('writers');
  await setSetting(sandbox, 'post-roles', [role.id]);
  const chosen = async () =>
    JSON.stringify((await showSetting(sandbox, 'post-roles')).message?.components);
  expect(await chosen()).toContain(role.id);
  await role.remove();
  // What was deleted would be chosen again.
  expect(await chosen()).not.toContain(role.id);
  const { message } = await scene.command(member, 'post', { link: 'https://roles.example/1' });
  expect(message?.content).toContain('those roles were deleted');
  expect(message?.content).not.toContain(role.id);
  const shown = JSON.stringify((await checkUp()).message?.embeds);
  expect(shown).toContain('nobody can post');
  await setSetting(sandbox, 'post-roles', []);
});

test('where nobody can be told directly because of a fault, the server’s system channel is told', async () => {
  const { sandbox, bot } = scene;
  const { world, guildId, channels, faults } = sandbox;
  changeGuild(world, world.guilds.get(guildId)!, { systemChannelId: channels.general.id });
  const known = () => bot.client.guilds.cache.get(guildId)?.systemChannelId;
  await expect.poll(known).toBe(channels.general.id);
  const end = faults.add({ method: 'GET', route: /members/, status: 500 });
  await notifyAdmins(bot, { guild: guildId }, 'Something is wrong.', sandbox.admin);
  end();
  const said = sandbox.as(sandbox.admin).messages(channels.general.id);
  expect(said.map(({ content }) => content)).toContain('Something is wrong.');
});

test('admins are told in the channel for their community’s updates before all others, and where it refuses directly', async () => {
  const { sandbox, bot } = scene;
  const { world, guildId, channels, faults } = sandbox;
  const updates = channels.moderators.id;
  const of = world.guilds.get(guildId)!;
  changeGuild(world, of, { publicUpdatesChannelId: updates, systemChannelId: channels.general.id });
  const known = () => bot.client.guilds.cache.get(guildId)?.publicUpdatesChannelId;
  await expect.poll(known).toBe(updates);
  const tell = (text: string) => notifyAdmins(bot, { guild: guildId }, text, sandbox.admin);
  const saidIn = (text: string) => [
    ...[updates, channels.general.id].map((channel) =>
      sandbox
        .as(sandbox.admin)
        .messages(channel)
        .some(({ content }) => content === text),
    ),
    told().includes(text),
  ];
  await tell('Said in private.');
  expect(saidIn('Said in private.')).toEqual([true, false, false]);
  const path = new RegExp(`/channels/${updates}/messages`);
  const end = faults.add({ method: 'POST', path, status: 403, code: 50_013 });
  await tell('Said directly.');
  expect(saidIn('Said directly.')).toEqual([false, false, true]);
  end();
  changeGuild(world, of, { publicUpdatesChannelId: null });
  await expect.poll(known).toBeNull();
});

test('admins are told once of a fault, also where Discord takes the message and says that it failed', async () => {
  const { sandbox, bot } = scene;
  const text = 'Told once.';
  const route = /messages$/;
  sandbox.faults.add({ method: 'POST', route, status: 500, afterTheWork: true, times: 1 });
  await notifyAdmins(bot, { guild: sandbox.guildId }, text, sandbox.admin);
  expect(told().filter((one) => one === text)).toHaveLength(1);
});

test('a channel that the bot may not look at is not told as deleted, nor is one of an outage', async () => {
  const { sandbox, bot } = scene;
  const { guildId, faults, operator } = sandbox;
  const { id } = operator.createChannel({ guild: guildId, name: 'soon hidden' });
  await scene.eventually(() => bot.client.channels.cache.has(id), Boolean, 'known to the bot');
  await setSetting(sandbox, 'link-channels', [id]);
  const before = told().length;
  const path = new RegExp(`/channels/${id}$`);
  const end = faults.add({ method: 'GET', path, status: 403, code: 50001 });
  scene.secretly(() => operator.deleteChannel({ channel: id }));
  bot.client.guilds.cache.get(guildId)?.channels.cache.delete(id);
  bot.client.channels.cache.delete(id);
  const look = () => bot.due.now(guildId, 'references');
  await look();
  expect(told()).toHaveLength(before);
  end();
  operator.setOutage({ outage: true });
  const isAvailable = () => bot.client.guilds.cache.get(guildId)?.available;
  await expect.poll(isAvailable).toBe(false);
  // A channel of which nobody asked before.
  expect(await isGone(bot, guildId, sandbox.admin)).toBe(false);
  operator.setOutage({ outage: false });
  await expect.poll(isAvailable).toBe(true);
  expect(await isGone(bot, guildId, sandbox.admin)).toBe(true);
  await hourLater();
  await look();
  await expect.poll(() => told().length).toBe(before + 1);
  const { references, board } = storeKeys(bot.store, guildId);
  const isNoted = async () => (await bot.store.redis.get(references))?.split(' ').includes(id);
  expect(await isNoted()).toBe(true);
  // An earlier test's board is gone as well, and is not told again.
  expect(told().at(-1)?.toLowerCase()).toContain('link');
  expect(told().at(-1)).not.toContain('Board');
  // What was told once is not told again after a while in which nobody could tell.
  const endAgain = faults.add({ method: 'GET', path, status: 403, code: 50001 });
  await look();
  endAgain();
  await hourLater();
  await look();
  expect(await isNoted()).toBe(true);
  expect(told()).toHaveLength(before + 1);
  await setSetting(sandbox, 'link-channels', []);
  // An earlier test's channel, too.
  await bot.store.redis.del(board);
  await look();
  expect(await bot.store.redis.exists(references)).toBe(0);
});
