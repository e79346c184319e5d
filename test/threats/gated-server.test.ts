import { afterEach, beforeEach, expect, test } from 'vitest';
import { addRole, deleteRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { served } from '../../src/served.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { readDigest, saveDigest } from '../../src/digests/stored-digests.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { readSettings } from '../../src/community/settings.ts';
import { listEditions } from '../../src/editions/stored-editions.ts';
import { isPlanned } from '../../src/due/kind.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
beforeEach(async () => {
  scene = await startScene({ follows: true });
});
afterEach(() => scene.stop());

const text = (answer: { message?: unknown }) => JSON.stringify(answer.message);
const listedAs = (article: string, listed: boolean) =>
  scene.eventually(
    () => scene.article(article),
    (one) => one?.listed === listed,
    `listed: ${listed}`,
  );

/** By its row: readers ask again whether it is. */
const storedAs = (article: string, listed: boolean) =>
  expect
    .poll(() => {
      const { ranking } = scene.bot;
      return ranking.redis.hget(guildKeys(ranking, scene.sandbox.guildId).articles, article);
    })
    .toContain(listed ? ' ol ' : ' oh ');

/** @everyone sees nothing, and who is verified what @everyone saw. Returns the role. */
async function close(): Promise<string> {
  const { world, guild, operator, members, admin } = scene.sandbox;
  const everyone = guild.roles.get(guild.id)!;
  const verified = addRole(world, guild, { name: 'Verified', permissions: everyone.permissions });
  for (const member of [...members, admin]) guild.members.get(member)!.roleIds.add(verified.id);
  operator.setRolePermissions({ role: guild.id, permissions: ['UseApplicationCommands'] });
  const { client } = scene.bot;
  await expect
    .poll(() => client.guilds.cache.get(guild.id)?.roles.cache.has(verified.id))
    .toBe(true);
  return verified.id;
}

const panel = (section: 'setup' | 'check-up') => {
  const { admin, channels } = scene.sandbox;
  return openPanel(scene.sandbox.as(admin), channels.general.id, section);
};

/** A daily digest, and a second one, which is asked about. */
async function setDigests(): Promise<void> {
  const { admin, channels } = scene.sandbox;
  const daily = { time: '18:00', timezone: 'UTC' };
  await scene.command(admin, 'digest set', daily);
  const { message, interactionId } = await scene.command(admin, 'digest set', {
    ...daily,
    name: 'all',
  });
  const press = `digest|set|${interactionId}`;
  await scene.sandbox.as(admin).press(channels.general.id, message!.id, press);
}

/** What a visitor of the web page sees of the guild: its list, its channels, and whether it says a way to an article. */
async function onWeb(): Promise<{ articles: string[]; channels: string[]; isListed: boolean }> {
  const { sandbox, bot } = scene;
  const { guildId: guild, channels } = sandbox;
  const clock = { ...scene.clock, offSeconds: () => 0 };
  const config = { backupDir: undefined, redisUrl: undefined, dataDir: '/tmp' };
  const web = served({ ...bot, ...config, clock });
  const { articles } = await web.lists.page({ guild, order: 'score', page: 1, pageSize: 10 });
  return {
    articles: articles.map(({ id }) => id),
    channels: web.community(guild)?.groups.map(({ id }) => id) ?? [],
    isListed: web.ranking.isListed(guild, channels.general.id),
  };
}

// Withstands (Attacks): @everyone may view no channel of a server, or all are age-restricted
// → each empty list says so, the set-up proposes who counts as everybody, and the web page stays with @everyone
test('a server whose @everyone sees nothing is told so, and lives when a role counts as everybody', async () => {
  const { sandbox, bot } = scene;
  const { members, guildId, admin, channels } = sandbox;
  const [ada = '', , grace = ''] = members;
  const role = await close();
  const article = await scene.post(ada, { title: 'Behind the gate' });
  await scene.vote(grace, article);
  expect(await scene.article(article)).toMatchObject({ listed: false });

  const top = await scene.command(grace, 'top');
  expect(text(top)).toContain('Nothing yet in the channels that everyone here can see');
  expect(text(top)).toContain('#general');
  expect(text(await scene.command(ada, 'me articles'))).toContain('Behind the gate');
  expect(text(await scene.command(ada, 'stats members'))).toContain('that everyone here can see');
  expect(text(await panel('check-up'))).toContain('No channel with articles is open to everyone');
  await setDigests();
  expect(await readDigest(bot.store, guildId, 'all')).toMatchObject({ digest: { groups: [] } });
  const canHoldNothing = 'none of its channels is open to everyone';
  expect(text(await panel('check-up'))).toContain(canHoldNothing);

  const setUp = await panel('setup');
  expect(text(setUp)).toContain('No channel with articles is open to `@everyone`');
  expect(text(setUp)).toContain('Everyone is Verified');
  const press = (action: string) => {
    const shown = JSON.stringify(at.message?.components);
    const [id = ''] = new RegExp(`frontpage\\|setup\\|${action}\\b[^"]*`).exec(shown) ?? [];
    return sandbox.as(admin).press(channels.general.id, at.message!.id, id);
  };
  let at = setUp;
  for (const action of ['board', 'leave']) at = await press(action);
  const chosen = await press(`everybody\\|${role}`);
  expect(text(chosen)).toContain('➖ **Board**');
  expect(text(chosen)).not.toContain('No channel with articles is open');
  expect(await readSettings(bot.store, guildId)).toMatchObject({ everybody: role });
  await listedAs(article, true);
  expect(text(await scene.command(grace, 'top'))).toContain('Behind the gate');
  expect(text(await scene.command(ada, 'stats members'))).toContain(`<@${ada}>`);
  expect(text(await panel('check-up'))).toContain('1 article for the next edition so far');
  expect(text(await panel('check-up'))).not.toContain(canHoldNothing);
  await scene.command(admin, 'digest now', { name: 'all' });
  const [posted] = await listEditions(bot.store, guildId);
  expect(posted?.edition).toMatchObject({ channel: channels.general.id, isPublic: false });
  expect(await onWeb()).toEqual({ articles: [], channels: [], isListed: false });

  // Another process, or a restart, goes by it too; and it ends when it is taken back.
  await scene.restartBot();
  await scene.whole();
  expect(text(await scene.command(grace, 'top'))).toContain('Behind the gate');
  // What the role may view changes, or the role goes.
  const permissions = ['UseApplicationCommands', 'SendMessages', 'ReadMessageHistory'] as const;
  sandbox.operator.setRolePermissions({ role, permissions: [...permissions] });
  await storedAs(article, false);
  sandbox.operator.setRolePermissions({ role, permissions: [...permissions, 'ViewChannel'] });
  await storedAs(article, true);
  deleteRole(sandbox.world, sandbox.guild, sandbox.guild.roles.get(role)!);
  await storedAs(article, false);
  await setSetting(sandbox, 'everybody', null);
  expect(await scene.article(article)).toMatchObject({ listed: false });
});

// Withstands (Attacks): A member of a server whose @everyone sees nothing asks for lists, figures, a search or a digest
// → each empty answer says which channels it looked at, and where there is more
test('each empty answer of a server whose @everyone sees nothing says which channels it looked at', async () => {
  const { sandbox } = scene;
  const { members, admin, channels } = sandbox;
  const [ada = '', , grace = ''] = members;
  await close();
  const article = await scene.post(ada, { title: 'Behind the gate' });
  await scene.vote(grace, article);
  const byEverybody = 'in the channels that everyone here can see';
  for (const [words, values] of [
    ['top', {}],
    ['top', { show: 'unjudged' }],
    ['search', { words: 'gate' }],
    ['stats server', {}],
    ['me new', {}],
  ] as const) {
    const answer = text(await scene.command(grace, words, values));
    expect(`${words}: ${answer}`).toContain(byEverybody);
    expect(answer).not.toContain('Behind the gate');
  }
  // Who asks for one channel by its board is told nothing of others.
  const source = { userId: grace, sourceId: article };
  const ofOne = `top|open|score|${channels.rust.id}|1|ever|unvoted`;
  const inOne = text(await forgeComponent(sandbox, source, ofOne));
  expect(inOne).toContain('Nothing new since');
  expect(inOne).not.toContain(byEverybody);
  // The wider view is there.
  const wider = await scene.command(grace, 'stats server', { channel: channels.general.id });
  expect(text(wider)).toContain('1 article');
  const { id: channel } = channels.general;
  const search = text(await scene.command(grace, 'search', { words: 'nowhere', channel }));
  const { id: empty } = channels.rust;
  const stats = text(await scene.command(grace, 'stats server', { channel: empty }));
  expect(search).toContain('Nothing found.');
  expect(stats).toContain('0 articles');
  for (const answer of [search, stats]) expect(answer).not.toContain(byEverybody);
  await setDigests();
  for (const words of ['digest preview', 'digest now']) {
    const answer = text(await scene.command(admin, words, { name: 'all' }));
    expect(answer).toContain('none of its channels is open to everyone');
  }
});

test('a server with age-restricted channels alone has lists when an admin includes these', async () => {
  const { sandbox } = scene;
  const { operator, members, admin, channels, world, guildId } = sandbox;
  const all = [...world.channels.values()].filter(
    (one) => one.guildId === guildId && one.thread === null,
  );
  for (const { id } of all) operator.restrictChannel({ channel: id, ageRestricted: true });
  const article = await scene.post(members[0]!, { title: 'For adults' });
  expect(await scene.article(article)).toMatchObject({ listed: false });
  const setUp = await panel('setup');
  expect(text(setUp)).toContain('Every open channel is age-restricted');
  await sandbox
    .as(admin)
    .press(channels.general.id, setUp.message!.id, 'frontpage|setup|age-restricted|||');
  await listedAs(article, true);
  expect(text(await scene.command(members[2]!, 'top'))).toContain('For adults');
  expect((await onWeb()).articles).toEqual([]);
});

test('a digest in a channel that not everyone sees is of that channel, unless its manager says otherwise', async () => {
  const { sandbox, bot } = scene;
  const { admin, guildId, channels } = sandbox;
  const { moderators } = channels;
  const set = await scene.command(admin, 'digest set', {
    channel: moderators.id,
    time: '18:00',
    timezone: 'UTC',
  });
  expect(text(set)).toContain('this digest holds that channel’s own articles');
  const stored = async () => (await readDigest(bot.store, guildId, 'daily'))?.digest.groups;
  expect(await stored()).toEqual([moderators.id]);
  const inSetUp = async () => text(await panel('setup'));
  expect(await inSetUp()).toContain('this digest holds that channel’s own articles');
  const { digest } = (await readDigest(bot.store, guildId, 'daily'))!;
  await saveDigest(bot.store, guildId, 'daily', { ...digest, groups: [channels.ai.id] });
  expect(await inSetUp()).not.toContain('own articles');
  await saveDigest(bot.store, guildId, 'daily', digest);
  await sandbox
    .as(admin)
    .press(channels.general.id, set.message!.id, `digest|set|${set.interactionId}`);
  expect(await stored()).toEqual([]);
  // In a channel that everyone sees, it is of the whole server, as ever.
  await scene.command(admin, 'digest set', { name: 'open', time: '18:00', timezone: 'UTC' });
  expect((await readDigest(bot.store, guildId, 'open'))?.digest.groups).toEqual([]);
});

// Withstands (Attacks): A digest or the board stands in a channel that @everyone may view, in a server where a role counts as everybody
// → it shows nothing that only the role may view
test('a channel that anybody may view shows nothing that only the role of everybody may', async () => {
  const { sandbox, bot } = scene;
  const { members, admin, channels, operator, guildId } = sandbox;
  const [ada = '', , grace = ''] = members;
  const role = await close();
  const { rust } = channels;
  operator.setPermissions({
    channel: rust.id,
    who: 'everyone',
    allow: ['ViewChannel', 'SendMessages'],
  });
  const gated = await scene.post(ada, { title: 'Behind the gate' });
  const open = await scene.post(ada, { title: 'Before the gate', channel: rust.id });
  for (const article of [gated, open]) await scene.vote(grace, article);
  await setSetting(sandbox, 'everybody', [role]);
  await listedAs(gated, true);
  await scene.command(admin, 'digest set', { channel: rust.id, time: '18:00', timezone: 'UTC' });
  const inRust = await scene.command(admin, 'digest preview');
  expect(text(inRust)).toContain('Before the gate');
  expect(text(inRust)).not.toContain('Behind the gate');
  await scene.command(admin, 'digest set', { name: 'all', time: '18:00', timezone: 'UTC' });
  expect(text(await scene.command(admin, 'digest preview', { name: 'all' }))).toContain(
    'Behind the gate',
  );
  await bot.board.put(guildId, rust.id, admin);
  const board = () => JSON.stringify([...rust.messages.values()].at(-1)?.embeds);
  await expect.poll(board).toContain('Before the gate');
  expect(board()).not.toContain('Behind the gate');

  await setScale(bot.ranking, guildId, { mark: 3 });
  await setSetting(sandbox, 'announcements', [rust.id]);
  const isAnnouncing = () => isPlanned(bot.store, guildId, 'announce');
  await expect.poll(isAnnouncing).toBe(false);
  for (const article of [gated, open]) await scene.vote(members[3]!, article);
  const announced = () => [...rust.messages.values()].map(({ content }) => content).join('\n');
  await expect.poll(announced).toContain('★ [Before the gate]');
  await expect.poll(isAnnouncing).toBe(false);
  expect(announced()).not.toContain('★ [Behind the gate]');
  operator.setPermissions({
    channel: channels.general.id,
    who: 'everyone',
    allow: ['ViewChannel'],
  });
  await expect.poll(announced).toContain('★ [Behind the gate]');
});
