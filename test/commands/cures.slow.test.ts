import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Answer, OptionValues } from '../../discord-box/src/index.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { type Key, translate } from '../../src/text/catalogue.ts';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { openPanel } from '../fixtures/open-panel.ts';
import { isWhole } from '../fixtures/sample.ts';
import { setSetting } from '../fixtures/set-setting.ts';

/**
 * What a refusal says to do is done, as a member would, and helps. The refusals are known by their keys;
 * no test here quotes a word of them.
 */
let scene: Scene;
let general: string;
let rust: string;
let ai: string;
let admin: string;
let moderator: string;
let ada: string;
let tom: string;
let posted = 0;

beforeAll(async () => {
  scene = await startScene({ webAddress: 'http://127.0.0.1:1' });
  const { channels } = scene.sandbox;
  [general, rust, ai] = [channels.general.id, channels.rust.id, channels.ai.id];
  ({ admin, moderator } = scene.sandbox);
  [ada = '', tom = ''] = scene.sandbox.members;
  for (const member of [moderator, ada, tom]) scene.sandbox.as(member).speak('en-US');
});
afterAll(() => scene.stop());

/** The settings that a test has changed are the usual ones again. */
const changed: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const undo of changed.splice(0)) await undo();
});
async function set(...[name, value]: [Parameters<typeof setSetting>[1], string | string[]]) {
  await setSetting(scene.sandbox, name, value);
  changed.push(() => setSetting(scene.sandbox, name, Array.isArray(value) ? [] : null));
}

const fresh = (): string => `https://cures.example/${++posted}`;
const as = (member: string) => scene.sandbox.as(member);
const give = (who: string, channel: string, words: string, values: OptionValues = {}) =>
  as(who).command(channel, words, values);
const mod = (who: string, words: string, values: OptionValues = {}) =>
  give(who, general, `mod ${words}`, values);
const digestNamed = (words: 'set' | 'delete', name: string) =>
  give(admin, general, `digest ${words}`, {
    name,
    ...(words === 'set' ? { time: '09:00', timezone: 'Europe/Berlin' } : {}),
  });
const post = (who: string, values: OptionValues = {}, channel = general) =>
  give(who, channel, 'post', { link: fresh(), ...values });

function expectRefused({ message }: Answer, key: Key, values: Record<string, string> = {}): void {
  expect(message?.content).toBe(translate('en', key, values));
}
/** The command put an article into the channel. */
function expectPosted({ message }: Answer, channel = general): string {
  expect(message).toMatchObject({ flags: 0 });
  expect(
    as(admin)
      .messages(channel)
      .map(({ id }) => id),
  ).toContain(message?.id);
  return message?.id ?? '';
}

test.each<[Key, string, string]>([
  ['post.refused.scheme', 'ftp://cures.example/scheme', 'https://cures.example/scheme'],
  ['post.refused.userinfo', 'https://me:secret@cures.example/user', 'https://cures.example/user'],
  ['post.refused.address', 'http://127.0.0.1/address', 'http://address.cures.example/'],
  ['post.refused.host', 'https://intranet/host', 'https://host.cures.example/'],
  ['post.refused.malformed', 'cures', 'https://cures.example/malformed'],
  [
    'post.refused.long',
    `https://cures.example/${'long'.repeat(300)}`,
    'https://cures.example/long',
  ],
  ['post.refused.space', 'https://cures.example/a space', 'https://cures.example/a%20space'],
])('a member who is told %s posts the link as it says', async (key, link, better) => {
  expectRefused(await post(ada, { link }), key);
  expectPosted(await post(ada, { link: better }));
});

test('a member who may not list a private channel in another leaves the others out', async () => {
  const { id: place } = scene.sandbox.channels.moderators;
  expectRefused(await post(moderator, { channel: rust }, place), 'post.refused.hidden');
  expectPosted(await post(moderator, {}, place), place);
});

test('a member posts in another channel, or leaves one out, where it takes no articles', async () => {
  await set('no-groups', [rust]);
  const values = { channel: `<#${rust}>` };
  expectRefused(await post(ada, {}, rust), 'post.refused.group', values);
  expectPosted(await post(ada, {}, ai), ai);
  expectRefused(await post(ada, { channel: rust }), 'post.refused.further', values);
  expectPosted(await post(ada, { channel: ai }));
});

test('an admin gives a member the role that the refusal names, or chooses others when it is gone', async () => {
  const { operator, guild } = scene.sandbox;
  operator.giveRole({ member: tom, permissions: [] });
  const role = [...guild.members.get(tom)!.roleIds].at(-1) ?? '';
  await set('post-roles', [role]);
  expectRefused(await post(ada), 'post.refused.role', { roles: `<@&${role}>` });
  expectPosted(await post(tom));
  operator.deleteRole({ role });
  expectRefused(await post(tom), 'post.refused.roles-gone');
  await setSetting(scene.sandbox, 'post-roles', []);
  expectPosted(await post(tom));
});

test('a blocked member posts again when a moderator lifts the block, and a blocked site gives way to another', async () => {
  await give(moderator, general, 'mod block', { member: ada, what: 'post', reason: 'Spam' });
  const { message } = await post(ada);
  expect(message?.content).toContain('Spam');
  await give(moderator, general, 'mod unblock', { member: ada });
  expectPosted(await post(ada));
  await give(moderator, general, 'mod block', { site: 'blocked.example', reason: 'Ads' });
  const link = 'https://blocked.example/1';
  expect((await post(ada, { link })).message?.content).toContain('Ads');
  expectPosted(await post(ada));
});

test('a member who has opted out opts back in with the command that the refusal names', async () => {
  const member = scene.crowd(1)[0] ?? '';
  const press = async (...whats: string[]): Promise<void> => {
    const { message } = await give(member, general, 'me data');
    for (const what of whats) await as(member).press(general, message?.id ?? '', `me|${what}`);
  };
  await press('out', 'leave');
  expectRefused(await post(member), 'privacy.out.posting');
  await press('in');
  expectPosted(await post(member));
});

test('a member posts in a public thread in place of a private or a locked one', async () => {
  const { operator } = scene.sandbox;
  const hidden = as(admin).startThread(general, 'hidden', { private: true });
  expectRefused(await post(admin, {}, hidden.id), 'post.refused.thread');
  const thread = as(admin).startThread(general, 'open');
  operator.archiveThread({ channel: thread.id, archived: false, locked: true });
  const locked = { thread: `<#${thread.id}>` };
  expectRefused(await post(ada, {}, thread.id), 'post.refused.locked', locked);
  const other = as(admin).startThread(general, 'other');
  expectPosted(await post(ada, {}, other.id), other.id);
});

test('a message command works on a message that holds what its refusal asks for', async () => {
  const bare = as(ada).send(general, 'No link here');
  const linked = as(ada).send(general, fresh());
  const on = (id: string, name: string) => as(tom).messageCommand(general, id, name);
  expectRefused(await on(bare.id, 'Post this link'), 'post-this.none');
  const form = await on(linked.id, 'Post this link');
  expect(form.message).toBeUndefined();
  expectRefused(await on(bare.id, 'Why this rank?'), 'article.unknown.here');
  const article = await scene.post(ada);
  expect((await on(article, 'Why this rank?')).message?.embeds).toHaveLength(1);
});

test('an article leaves its channel after its home channel was changed, as the refusal says', async () => {
  const article = await scene.post(ada);
  const group = (change: 'add' | 'remove', channel: string) =>
    give(admin, general, `group ${change}`, { article, channel });
  expectRefused(await group('remove', general), 'group.home');
  await scene.moderate(admin, 'move', article, rust);
  expectRefused(await group('add', rust), 'group.unchanged.add', { channel: `<#${rust}>` });
  await group('add', ai);
  expectRefused(await group('remove', general), 'group.unchanged.remove', {
    channel: `<#${general}>`,
  });
  const { message } = await group('remove', ai);
  expect(message?.content).not.toContain('isn’t');
});

test('a private article can be listed in another channel after its home channel was changed', async () => {
  const { id: place } = scene.sandbox.channels.moderators;
  const article = await scene.post(admin, { channel: place });
  const add = () => give(admin, place, 'group add', { article, channel: ai });
  expectRefused(await add(), 'group.hidden');
  await scene.moderate(admin, 'move', article, rust);
  expect((await add()).message?.content).toContain(`<#${ai}>`);
});

test.runIf(isWhole)(
  'an article that is in as many channels as it can be takes a channel after it left one',
  async () => {
    const { operator } = scene.sandbox;
    const article = await scene.post(ada);
    const group = async (change: 'add' | 'remove', channel: string) =>
      (await give(admin, general, `group ${change}`, { article, channel })).message?.content;
    const names = Array.from({ length: 40 }, (_, i) => `full-${i}`);
    const full = translate('en', 'group.full');
    const taken: string[] = [];
    let last = '';
    for (const name of names) {
      last = operator.createChannel({ name }).id;
      if ((await group('add', last)) === full) break;
      taken.push(last);
    }
    expect(await group('add', last)).toBe(full);
    await group('remove', taken[0] ?? '');
    expect(await group('add', last)).not.toBe(full);
  },
);

test('a manager who is told what a digest lacks enters it, and the digest is saved', async () => {
  const digest = (values: OptionValues) => give(admin, general, 'digest set', values);
  const saved = translate('en', 'digest.saved');
  expect((await give(admin, general, 'digest now')).message?.content).toBe(
    translate('en', 'digest.unknown', { name: 'daily', shown: '' }),
  );
  expectRefused(await digest({}), 'digest.incomplete');
  const bad = { time: '25:99', timezone: 'Europe/Berlin' };
  expectRefused(await digest(bad), 'digest.invalid.time', { input: '`25:99`' });
  const zone = { time: '09:00', timezone: 'Atlantis' };
  expectRefused(await digest(zone), 'digest.invalid.timezone', { input: '`Atlantis`' });
  const [choice] = await as(admin).complete(general, 'digest set', 'timezone', {
    timezone: 'Berlin',
  });
  const good = { time: '09:00', timezone: String(choice?.value) };
  expect((await digest(good)).message?.content).toContain(saved);
  expectRefused(await digest({ days: 'mon' }), 'digest.invalid.days', {
    week: translate('en', 'digest.every.week'),
    month: translate('en', 'digest.every.month'),
  });
  expect((await digest({ every: 'week', days: 'mon, thu' })).message?.content).toContain(saved);
  const { id: hidden } = scene.sandbox.channels.moderators;
  const choose = () => chooseForDigest(scene.sandbox, 'source', [hidden], { member: admin });
  expectRefused(await choose(), 'digest.invalid.private', { source: `<#${hidden}>` });
  expect((await digest({ channel: hidden })).message?.content).toContain(saved);
  expect((await choose()).message?.content).toContain(saved);
});

test.runIf(isWhole)(
  'a manager deletes a digest as the refusal says, and makes another',
  async () => {
    let made = 0;
    let answer = await digestNamed('set', 'crowd-0');
    while (answer.message?.embeds?.length === 1 && made < 100) {
      made += 1;
      answer = await digestNamed('set', `crowd-${made}`);
    }
    await digestNamed('delete', 'crowd-0');
    expect((await digestNamed('set', `crowd-${made}`)).message?.content).toContain(
      translate('en', 'digest.saved'),
    );
  },
);

test('a moderator blocks, and undoes, in the way that each refusal names', async () => {
  expectRefused(await mod(moderator, 'block'), 'mod.block.nothing');
  expectRefused(await mod(moderator, 'block', { member: moderator }), 'mod.block.self');
  expectRefused(await mod(moderator, 'block', { member: admin }), 'mod.block.above');
  expectRefused(await mod(moderator, 'block', { site: 'co.uk' }), 'mod.block.ending', {
    input: '`co.uk`',
  });
  expectRefused(await mod(moderator, 'block', { site: '???' }), 'mod.block.origin', {
    input: '`???`',
  });
  await mod(moderator, 'block', { site: 'example.co.uk' });
  const blocks = await mod(moderator, 'blocks');
  expect(blocks.message?.embeds?.[0]?.description).toContain('example.co.uk');
  expectRefused(await mod(moderator, 'unblock', { site: 'other.example' }), 'mod.block.unknown');
  await mod(admin, 'block', { member: moderator, what: 'vote' });
  expectRefused(await mod(moderator, 'unblock', { member: moderator }), 'mod.block.own');
  const lifted = await mod(admin, 'unblock', { member: moderator });
  expect(lifted.message?.content).toContain(`<@${moderator}>`);
});

test('a removed article comes back by Moderate, after the other one with its link is removed', async () => {
  const link = fresh();
  const article = await scene.post(ada, { link });
  await scene.moderate(moderator, 'remove', article);
  const other = await scene.post(tom, { link });
  const refused = await scene.moderate(moderator, 'restore', article);
  expect(refused.message?.content).toContain(other);
  await scene.moderate(moderator, 'remove', other);
  const restored = await scene.moderate(moderator, 'restore', article);
  expect(restored.message?.content).toContain(article);
  expect(await scene.article(article)).toMatchObject({ id: article });
});

test('an admin allows what Frontpage lacks in a channel, and the member posts there', async () => {
  const { operator } = scene.sandbox;
  operator.setPermissions({ channel: ai, who: 'bot', deny: ['AddReactions'] });
  expectRefused(await post(ada, {}, ai), 'permission.missing', {
    channel: `<#${ai}>`,
    permissions: translate('en', 'permission.AddReactions'),
  });
  operator.setPermissions({ channel: ai, who: 'bot', allow: ['AddReactions'] });
  expectPosted(await post(ada, {}, ai), ai);
});

test('a member who is new can post from the time on that the refusal names', async () => {
  await set('member-days', '2');
  const [newcomer = ''] = scene.crowd(1);
  const { message } = await post(newcomer);
  const named = Number(/<t:(\d+):f>/.exec(message?.content ?? '')?.[1]);
  expect(named * 1000 - scene.clock.now()).toBeLessThanOrEqual(2 * DAY_MS);
  scene.clock.move(named * 1000 - scene.clock.now() + 1000);
  expectPosted(await post(newcomer));
});

test('a reader who is told that a search or a page holds nothing gets on as it says', async () => {
  const search = (values: OptionValues) => give(ada, general, 'search', values);
  expectRefused(await search({}), 'search.nothing');
  await scene.post(ada, { title: 'A title to be found' });
  expect((await search({ words: 'found' })).message?.embeds?.[0]?.description).toContain('found');
  const { message } = await give(ada, general, 'top', { page: 9999 });
  const pages = Number(/(\d+) pages?\./.exec(JSON.stringify(message))?.[1]);
  const last = await give(ada, general, 'top', { page: pages });
  expect(last.message?.embeds?.[0]?.description).toContain('](');
});

test('an admin enters a number or an invite as the refusal says', async () => {
  const { message } = await setSetting(scene.sandbox, 'repost-days', '-3');
  const most = Number(/up to ([\d,]+)/.exec(message?.content ?? '')?.[1]?.replace(',', ''));
  const kept = await setSetting(scene.sandbox, 'repost-days', String(most));
  expect(JSON.stringify(kept.message?.embeds)).toContain(most.toLocaleString('en'));
  await setSetting(scene.sandbox, 'repost-days', null);
  const web = await openPanel(as(admin), general, 'web');
  const panel = web.message?.id ?? '';
  const enter = async (invite: string) => {
    const form = await as(admin).press(general, panel, 'frontpage|web|invite');
    return as(admin).submit(form.interactionId, { invite });
  };
  const refused = await enter('not an invite');
  expect(refused.message?.content).toBe(
    translate('en', 'web.invite.invalid', { input: '`not an invite`' }),
  );
  const set = await enter('https://discord.gg/abc');
  expect(JSON.stringify(set.message)).toContain('discord.gg/abc');
});
