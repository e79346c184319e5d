import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { postLink } from '../../src/articles/posting/post-link.ts';
import { memberSubject, subjectKey } from '../../src/community/block-subject.ts';
import { deleteBlock, readBlock, writeBlock } from '../../src/community/blocks.ts';
import { UserError } from '../../src/discord/user-error.ts';
import { readRemoved } from '../../src/ranking/articles/removed.ts';
import { parseLink } from '../../src/ranking/links/parse.ts';
import { guildFiles } from '../../src/backup/guild-file/read.ts';
import { bytesOf, signed } from '../backup/guild-file/guild-files.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { changeOwn } from '../fixtures/change-own.ts';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { addRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { openPanel } from '../fixtures/open-panel.ts';

let scene: Scene;
let general: string;
let guild: string;
/** The owner; a moderator; a moderator with a lower role; a member. */
let [owner, above, below, member]: string[] = [];

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  guild = sandbox.guildId;
  general = sandbox.channels.general.id;
  owner = sandbox.admin;
  const english = (id: string) => sandbox.world.users.get(id)?.locale === 'en-US';
  [above, below, member] = sandbox.members.filter(english);
  const { operator } = sandbox;
  const permissions = ['ManageMessages', 'ManageGuild'] as const;
  operator.giveRole({ member: below!, permissions });
  operator.giveRole({ member: above!, permissions });
});
afterAll(() => scene.stop());
beforeEach(async () => {
  const { store, rules } = scene.bot;
  const block = { posting: true, voting: true, reason: 'r', by: owner!, sinceMs: 1, untilMs: null };
  await writeBlock(store, guild, { subject: memberSubject(below!), ...block });
  await rules.reload(guild);
});

const ask = async (who: string, words: string, given: Record<string, string> = {}) =>
  (await scene.sandbox.as(who).command(general, words, given)).message?.content ?? '';
const bot = () => scene.bot.client;
const blockOf = (who: string) => readBlock(scene.bot.store, guild, memberSubject(who));

describe('a member who may not send messages in a channel', () => {
  // Withstands (Attacks): A member posts where they may not write
  // → their own permission is asked
  test('a member who may not send messages in a channel posts there neither by the command nor by a form or a pasted link', async () => {
    const { sandbox, bot } = scene;
    const { id: channel } = sandbox.channels.rust;
    const deny = ['SendMessages', 'SendMessagesInThreads'] as const;
    const thread = sandbox.as(owner!).startThread(channel, 'A thread').id;
    sandbox.operator.setPermissions({ channel, who: 'everyone', deny });
    const link = { link: 'https://quiet.example/1' };
    for (const place of [channel, thread]) {
      const { message } = await sandbox.as(member!).command(place, 'post', link);
      expect(message?.content).toContain('Send Messages');
    }
    // The form and a pasted link take this way too.
    const cached = bot.client.guilds.cache.get(guild)!;
    const parsed = parseLink(link.link);
    if (parsed.status !== 'accepted') throw new Error('no link');
    const posting = {
      by: '1',
      poster: await cached.members.fetch(member!),
      home: cached.channels.cache.get(channel) as never,
      channel,
      link: parsed,
      title: 'Quiet',
      sendArticleMessage: () => Promise.reject(new Error('It was sent.')),
    };
    await expect(postLink(bot, posting)).rejects.toThrow(UserError);
    sandbox.operator.setPermissions({ channel, who: 'everyone' });
    const { message } = await sandbox.as(member!).command(channel, 'post', link);
    expect(message?.content).toContain('quiet.example');
  });
});

test.each([
  ['SendMessages', 'its threads'],
  ['SendMessagesInThreads', 'the channel itself'],
] as const)('a member who lacks the permission %s alone posts in %s', async (lacking, where) => {
  const { sandbox } = scene;
  const { operator, channels } = sandbox;
  const { id: channel } = channels.rust;
  const allow = ['SendMessages', 'SendMessagesInThreads'] as const;
  operator.setPermissions({ channel, who: 'bot', allow });
  const thread = sandbox.as(owner!).startThread(channel, 'Another thread').id;
  operator.setPermissions({ channel, who: 'everyone', deny: [lacking] });
  const posted: boolean[] = [];
  for (const place of [channel, thread]) {
    const link = { link: `https://partly.example/${lacking}/${place}` };
    posted.push(!(await sandbox.as(member!).command(place, 'post', link)).ephemeral);
  }
  expect(posted).toEqual([where !== 'its threads', where === 'its threads']);
  for (const who of ['everyone', 'bot']) operator.setPermissions({ channel, who });
});

test('nobody posts in a locked thread but those who manage it', async () => {
  const { sandbox } = scene;
  const { operator } = sandbox;
  const thread = sandbox.as(owner!).startThread(general, 'The rules').id;
  const said = sandbox.as(owner!).send(thread, 'https://quiet.example/said').id;
  operator.archiveThread({ channel: thread, archived: false, locked: true });
  const isLocked = () => {
    const channel = bot().channels.cache.get(thread);
    return channel?.isThread() === true && channel.locked;
  };
  await expect.poll(isLocked).toBe(true);
  const as = sandbox.as(member!);
  const link = { link: 'https://quiet.example/locked' };
  expect((await as.command(thread, 'post', link)).message?.content).toContain('is locked');
  const form = await as.messageCommand(thread, said, 'Post this link');
  const sent = await as.submit(form.interactionId, { title: 'Quiet' });
  expect(sent.message?.content).toContain('is locked');
  const { message } = await sandbox.as(owner!).command(thread, 'post', link);
  expect(message?.content).toContain('quiet.example');
});

test('nobody who is timed out posts by a form that was open before', async () => {
  const { sandbox } = scene;
  const said = sandbox.as(owner!).send(general, 'https://quiet.example/late').id;
  const as = sandbox.as(member!);
  const form = await as.messageCommand(general, said, 'Post this link');
  const inGuild = sandbox.world.guilds.get(guild)!.members.get(member!)!;
  inGuild.timedOutUntilMs = scene.clock.now() + 60_000;
  const sent = await as.submit(form.interactionId, { title: 'Late' });
  inGuild.timedOutUntilMs = null;
  expect(sent.message?.content).toContain('timed out until');
});

test('a member who is made an administrator while timed out may post, as Discord allows', async () => {
  const { world } = scene.sandbox;
  const inGuild = world.guilds.get(guild)!;
  const late = scene.crowd(1)[0]!;
  const untilMs = scene.clock.now() + 60_000;
  changeMember(world, inGuild, inGuild.members.get(late)!, { timedOutUntilMs: untilMs });
  const link = 'https://quiet.example/administrator';
  const role = addRole(world, inGuild, { name: 'Admins', permissions: 8n });
  const known = () => scene.bot.client.guilds.cache.get(guild)?.roles.cache.has(role.id);
  await expect.poll(known).toBe(true);
  changeMember(world, inGuild, inGuild.members.get(late)!, { roleIds: new Set([role.id]) });
  const { message } = await scene.sandbox.as(late).command(general, 'post', { link });
  expect(message?.content).toContain('quiet.example');
});

describe('a blocked member', () => {
  test('a member who is blocked from voting alone posts all the same', async () => {
    const { store, rules } = scene.bot;
    const subject = memberSubject(member!);
    const block = {
      posting: false,
      voting: true,
      reason: '',
      by: owner!,
      sinceMs: 1,
      untilMs: null,
    };
    await writeBlock(store, guild, { subject, ...block });
    await rules.reload(guild);
    const article = await scene.post(member!);
    expect((await scene.article(article))?.poster).toBe(member);
    await deleteBlock(store, guild, subject);
    await rules.reload(guild);
  });

  test('a blocked member retitles and comments no article', async () => {
    const { bot } = scene;
    const id = await scene.post(member!);
    await changeOwn(scene, member!, id, 'comment', 'Before');
    expect((await scene.article(id))?.comment).toBe('Before');
    const block = { posting: true, voting: false, reason: '', by: owner!, sinceMs: 1 };
    const subject = memberSubject(member!);
    await writeBlock(bot.store, guild, { ...block, subject, untilMs: null });
    await bot.rules.reload(guild);
    const said = await ask(member!, 'me retitle', { article: id, title: 'An advertisement' });
    expect(said).toContain('has blocked you');
    expect((await scene.article(id))?.title).not.toBe('An advertisement');
    const commented = await changeOwn(scene, member!, id, 'comment', 'An advertisement');
    expect(commented.message?.content).toContain('has blocked you');
    expect((await scene.article(id))?.comment).toBe('Before');
    await bot.store.redis.flushall();
  });

  test('a blocked moderator retitles no article', async () => {
    const id = await scene.post(owner!);
    const { message } = await scene.moderate(below!, 'retitle', id, 'An advertisement');
    expect(message?.content).toContain('has blocked you');
    expect((await scene.article(id))?.title).not.toBe('An advertisement');
  });

  test('a blocked moderator brings nothing back, and shows it in no other channel', async () => {
    const rust = scene.sandbox.channels.rust.id;
    const [shown, removed] = [await scene.post(owner!), await scene.post(owner!)];
    await scene.moderate(owner!, 'remove', removed);
    const { atMs } = (await readRemoved(scene.bot.ranking, guild, removed))!;
    const by = { userId: below!, sourceId: removed };
    const answers = [
      await scene.moderate(below!, 'restore', removed),
      await forgeComponent(scene.sandbox, by, `moderate|undo|${atMs}|-|-`),
      await scene.moderate(below!, 'move', shown, rust),
      await scene.command(below!, 'group add', { article: shown, channel: rust }),
    ];
    for (const { message } of answers) expect(message?.content).toContain('has blocked you');
    expect((await scene.article(shown))?.groups).toEqual([general]);
    expect(await scene.article(removed)).toBeNull();
  });

  test('a blocked moderator lifts and softens no block of their own', async () => {
    const before = await blockOf(below!);
    expect(before).not.toBeNull();
    expect(await ask(below!, 'mod unblock', { member: below! })).toContain('a block on yourself');
    expect(await ask(below!, 'mod block', { member: below!, what: 'vote' })).not.toContain(
      'is blo',
    );
    await restored(below!, below!, false);
    expect(await blockOf(below!)).toEqual(before);
  });
});

// Withstands (Attacks): A moderator lifts their own block, or blocks those above
// → both are refused
test('nobody blocks the owner, or a member above them, by a command or a file', async () => {
  expect(await ask(below!, 'mod block', { member: owner! })).toContain('higher role');
  expect(await ask(below!, 'mod block', { member: above! })).toContain('higher role');
  await restored(below!, owner!, true);
  await restored(below!, above!, true);
  expect(await blockOf(above!)).toBeNull();
  await restored(null, owner!, true);
  expect(await blockOf(owner!)).toBeNull();
  // The host answers for all others.
  await restored(null, above!, true);
  expect(await blockOf(above!)).not.toBeNull();
  await scene.bot.store.redis.del(blocks());
  await scene.bot.rules.reload(guild);
  expect(await ask(above!, 'mod block', { member: member! })).toContain('can’t post or vote');
});

test('a moderator blocks who has the same highest role as they', async () => {
  const { world, guild: server } = scene.sandbox;
  const [first = '', second = ''] = scene.crowd(2);
  const { id } = addRole(world, server, { name: 'Helpers', permissions: 1n << 13n });
  await expect.poll(() => bot().guilds.cache.get(guild)!.roles.cache.has(id)).toBe(true);
  for (const who of [first, second])
    changeMember(world, server, server.members.get(who)!, { roleIds: new Set([id]) });
  expect(await ask(first, 'mod block', { member: second })).toContain('can’t post or vote');
  await scene.bot.store.redis.del(blocks());
  await scene.bot.rules.reload(guild);
});

test('who has left is blocked also by a moderator who has others above them', async () => {
  const [gone = ''] = scene.crowd(1);
  scene.sandbox.operator.removeMember({ member: gone });
  const isMember = () => bot().guilds.cache.get(guild)!.members.cache.has(gone);
  await expect.poll(isMember).toBe(false);
  expect(await ask(below!, 'mod block', { member: gone })).toContain('can’t post or vote');
  expect(await blockOf(gone)).toMatchObject({ by: below });
});

test('a block of a restored file is by the member who restored it', async () => {
  await ask(owner!, 'mod block', { member: member! });
  const before = await blockOf(member!);
  expect(before).not.toBeNull();
  await scene.bot.store.redis.del(blocks());
  await restored(above!, member!, true, { ...before!, by: owner! });
  expect(await blockOf(member!)).toEqual({ ...before!, by: above! });
});

test('nobody sets a digest that mentions a role which they may not mention', async () => {
  const { operator, world, guild: server } = scene.sandbox;
  operator.giveRole({ member: bot().user!.id, permissions: ['MentionEveryone'] });
  const crowd = addRole(world, server, { name: 'crowd', permissions: 0n });
  const open = addRole(world, server, { name: 'open', permissions: 0n, mentionable: true });
  await expect.poll(() => bot().guilds.cache.get(guild)!.roles.cache.has(open.id)).toBe(true);
  await ask(below!, 'digest set', { time: '09:00', timezone: 'UTC' });
  const mention = async (member: string, role: string) =>
    (await chooseForDigest(scene.sandbox, 'role', [role], { member })).message?.content;
  expect(await mention(below!, crowd.id)).toContain('Mention @everyone, @here, and All Roles');
  expect(await mention(owner!, crowd.id)).toContain('Saved.');
  expect(await ask(below!, 'digest now')).toContain('Mention @everyone, @here, and All Roles');
  expect(await mention(below!, open.id)).toContain('Saved.');
});

// Withstands (Attacks): An export tells of hidden channels and voters
// → it is for administrators
test('a file of the server, out or in, is for administrators', async () => {
  const file = { filename: 'f.ndjson', data: Buffer.from('{}') };
  const out = await openPanel(scene.sandbox.as(above!), general, 'export');
  const put = await scene.sandbox.as(above!).command(general, 'frontpage restore', { file });
  for (const { message } of [out, put]) {
    expect(message?.content).toContain('for administrators');
    expect(message?.attachments ?? []).toEqual([]);
  }
});

const blocks = () => storeKeys(scene.sandbox, guild).blocks;

/** A file with a later block of somebody, as a member of the guild or the host, null, restores it. */
async function restored(
  by: string | null,
  who: string,
  posting: boolean,
  more: object = {},
): Promise<void> {
  const { bot } = scene;
  const subject = subjectKey(memberSubject(who));
  const written = { posting, voting: false, by: by ?? member, sinceMs: Date.now(), ...more };
  const line = { kind: 'block', ...written, subject };
  const text = signed([line], { guild, application: scene.sandbox.applicationId });
  for await (const file of guildFiles(bytesOf(text))) {
    const cached = bot.client.guilds.cache.get(guild)!;
    await bot.backup.restore(cached, { ...file, ...(by === null ? {} : { by }) });
  }
}
