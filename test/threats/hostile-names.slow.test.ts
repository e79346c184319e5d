import { type APIMessage, ChannelType } from 'discord-api-types/v10';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addRole } from '../../discord-box/src/world/guilds/change-guild.ts';
import { changeChannel } from '../../discord-box/src/world/channels/change-channel.ts';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import { announceInteresting } from '../../src/digests/announcements.ts';
import { openDigestContext } from '../../src/digests/posting/posting-context.ts';
import { offersOf, SCREENS } from '../../src/panel/settings-screens.ts';
import { siteSubject } from '../../src/community/block-subject.ts';
import { writeBlock } from '../../src/community/blocks.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { hostileLinks, hostileTitles } from './hostile-texts.ts';
import { faultsIn, faultsOf, faultsOfChoices } from './message-faults.ts';
import { chooseForDigest } from '../fixtures/choose-for-digest.ts';
import { sample } from '../fixtures/sample.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';
import { openPanel } from '../fixtures/open-panel.ts';

/**
 * What moderators, admins and everybody else write and are called, in the views of those who run the
 * server. See text.test.ts for the views of members.
 */
let scene: Scene;
let general: string;
let rust: string;
let ada: string;
let grace: string;
const articles: string[] = [];

const titles = Object.entries(hostileTitles);
const links = Object.entries(hostileLinks);
const typed = titles.map(([name, title]) => [name, title.slice(0, 200)] as const);
const typedVisible = sample(
  typed.filter(([, title]) => title.trim() !== ''),
  4,
);

beforeAll(async () => {
  scene = await startScene();
  // Nobody uses a bot as often as this test does.
  const { memberLimits } = scene.bot;
  const count = memberLimits.count.bind(memberLimits);
  memberLimits.count = (what, ...more) => (what === 'use' ? 0 : count(what, ...more));
  const { sandbox, bot } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  ada = sandbox.admin;
  grace = sandbox.members.find((id) => sandbox.world.users.get(id)?.locale.startsWith('en')) ?? '';
  for (const [i, [, title]] of titles.entries()) {
    const given = title.trim() === '' ? {} : { title: title.slice(0, 256) };
    articles.push(await scene.post(grace, { link: `https://evil.example/${i}`, ...given }));
  }
  // Texts that an earlier version let through, or that a restore brought.
  for (const [name, title] of titles) {
    const { id } = sandbox.operator.createChannel({ name });
    changeChannel(sandbox.world, sandbox.world.channels.get(id)!, { name: title.slice(0, 100) });
    addRole(sandbox.world, sandbox.guild, { name: title.slice(0, 100), permissions: 0n });
  }
  const member = sandbox.guild.members.get(grace)!;
  changeMember(sandbox.world, sandbox.guild, member, { nick: hostileTitles['masked link']! });
  await scene.eventually(
    () => bot.client.guilds.cache.get(sandbox.guildId)?.channels.cache.size ?? 0,
    (size) => size > titles.length,
    'known',
  );
});
afterAll(() => scene.stop());

async function expectWell(words: string, values: Record<string, string | number | boolean> = {}) {
  const answer = await scene.command(ada, words, values);
  expect(answer.kind).toBe('message');
  expect(faultsOf(answer.message)).toEqual([]);
  return answer;
}
async function expectModerated(
  action: Parameters<Scene['moderate']>[1],
  article: string,
  given = '',
) {
  const { message } = await scene.moderate(ada, action, article, given);
  expect(faultsOf(message)).toEqual([]);
}
async function expectPanelWell(section: Parameters<typeof openPanel>[2]) {
  const answer = await openPanel(scene.sandbox.as(ada), general, section);
  expect(answer.kind).toBe('message');
  expect(faultsOf(answer.message)).toEqual([]);
  return answer;
}
function posted(channel: string): APIMessage[] {
  const { botId } = scene.sandbox.world.application;
  const all = scene.sandbox.as(ada).messages(channel, 200);
  return all.filter(({ author, flags }) => author.id === botId && ((flags ?? 0) & 64) === 0);
}

describe('what moderators write and read', () => {
  test.each(typed.map(([name, title], i) => [name, title, i] as const))(
    'moderators write (%s) as a title and as reasons without harm',
    async (_, text, i) => {
      const [article = '', reason] = [articles[i], text];
      if (text.trim() !== '') {
        await expectModerated('retitle', article, text);
        await expectModerated('retitle', article, `Other ${i}`);
        await expectModerated('retitle', article, text);
      }
      await expectModerated('remove', article, reason);
      await expectModerated('restore', article, reason);
      await expectModerated('lock', article, reason);
      await expectModerated('unlock', article, reason);
      const member = scene.sandbox.members[1]!;
      await expectWell('mod block', { member, reason });
      const { message } = await scene.sandbox.as(member).command(general, 'post', {
        link: 'https://news.example/',
      });
      expect(faultsOf(message)).toEqual([]);
    },
  );

  test.each(links)(
    '(%s) is taken or refused as the origin of a block, which is lifted again',
    async (_, link) => {
      const origin = link.slice(0, 90);
      await expectWell('mod block', {
        site: origin,
        reason: hostileTitles['code fence']!.slice(0, 200),
      });
      await expectWell('mod unblock', { site: origin });
    },
  );

  test('an origin as long as it can be is blocked and lifted', async () => {
    const origin = `evil.example/${'a/'.repeat(6)}${'b'.repeat(65)}`;
    await expectWell('mod block', { site: origin });
    const answer = await expectWell('mod unblock', { site: origin });
    expect(answer.message?.content).toContain('no longer blocked');
  });

  test('what moderators write is in the list of blocks and in the log channel without harm', async () => {
    await setSetting(scene.sandbox, 'log', [rust]);
    const { bot, sandbox, clock } = scene;
    for (const [i, [, reason]] of typed.entries()) {
      const id = sandbox.members[i % sandbox.members.length]!;
      const block = { posting: true, voting: false, by: ada, sinceMs: clock.now(), untilMs: null };
      const subject = siteSubject(`evil${i}.example/${'a'.repeat(70)}`)!;
      await writeBlock(bot.store, sandbox.guildId, { ...block, subject, reason });
      await expectWell('mod block', { member: id, reason, what: 'vote' });
      await setVote(
        bot.ranking,
        { guild: sandbox.guildId, article: articles[i]!, member: id, vote: 'up' },
        clock.now(),
      );
      await expectModerated('lock', articles[i]!);
      await expectModerated('unlock', articles[i]!);
    }
    await expectWell('mod blocks');
    await expect.poll(() => posted(rust).length).toBeGreaterThan(2 * typed.length);
    for (const message of posted(rust)) expect(faultsOf(message)).toEqual([]);
  });
});

describe('what admins write and read', () => {
  test('the settings show channels and roles with any name', async () => {
    for (const screen of SCREENS) {
      const { message } = await expectPanelWell(`settings|${screen}`);
      for (const offer of offersOf(screen)) {
        const as = scene.sandbox.as(ada);
        const pick = 'frontpage|settings|pick';
        const shown = await as.choose(general, message?.id ?? '', pick, [offer]);
        expect(faultsOf(shown.message)).toEqual([]);
      }
    }
  });

  test.each(typedVisible)('the settings refuse (%s) as a number', async (_, text) => {
    const typed = text.slice(0, 20).replaceAll('\n', ' ');
    const { message } = await setSetting(scene.sandbox, 'repost-days', typed);
    expect(faultsOf(message)).toEqual([]);
  });

  test.each([
    ['frontpage panel', {}],
    ['help', {}],
    ['stats members', {}],
    ['stats server', {}],
  ] as const)(
    'the answer to /%s %j has no fault with hostile names in it',
    async (words, values) => {
      await expectWell(words, values);
    },
  );

  test.each(['check-up', 'setup', 'web'] as const)(
    'the %s of the panel has no fault with hostile names in it',
    async (section) => {
      await expectPanelWell(section);
    },
  );

  test('/top and /stats of a group with any name', async () => {
    const { world, guildId } = scene.sandbox;
    for (const { id, type, guildId: of } of world.channels.values()) {
      if (type !== ChannelType.GuildText || of !== guildId) continue;
      for (const words of ['top', 'stats server']) await expectWell(words, { channel: id });
    }
  });

  test.each(typedVisible)(
    '/digest takes or refuses (%s) as any of its options',
    async (_, text) => {
      const when = { time: '09:00', timezone: 'UTC' };
      await expectWell('digest set', { ...when, name: text.slice(0, 32) });
      await expectWell('digest set', { ...when, timezone: text });
      await expectWell('digest set', { ...when, time: text.slice(0, 10) });
      await expectWell('digest set', { ...when, every: 'month', days: text.slice(0, 100) });
      for (const words of ['show', 'now', 'preview', 'delete']) {
        await expectWell(`digest ${words}`, { name: text.slice(0, 32) });
      }
      for (const option of ['name', 'timezone']) {
        const choices = await scene.sandbox
          .as(ada)
          .complete(general, 'digest set', option, { [option]: text });
        expect(faultsOfChoices(choices)).toEqual([]);
      }
    },
  );

  test('a digest’s name can be seen', async () => {
    const when = { time: '09:00', timezone: 'UTC' };
    for (const name of ['\u3164', 'a\u1160b', `z${'\u0300'.repeat(20)}`]) {
      const answer = await expectWell('digest set', { ...when, name });
      expect(answer.message?.content).toContain('1 to 32 letters');
    }
  });

  test('a digest and announcements hold titles and names of groups', async () => {
    const { bot, sandbox } = scene;
    const channel = sandbox.operator.createChannel({ name: 'digests' }).id;
    await scene.eventually(
      () => bot.client.channels.cache.has(channel),
      (has) => has,
      'known',
    );
    await setSetting(sandbox, 'announcements', [channel]);
    await setSetting(sandbox, 'mark', '2');
    await announceInteresting(openDigestContext(bot), sandbox.guildId);
    // A digest asks Discord for the votes, and has nothing without them.
    const [voter = ''] = scene.crowd(1);
    for (const article of articles) {
      scene.react(voter, article, '👍');
      await scene.eventually(
        () => scene.article(article),
        (found) => found?.interesting === true,
        'interesting',
      );
    }
    await announceInteresting(openDigestContext(bot), sandbox.guildId);
    const announced = posted(channel);
    expect(announced.some(({ content }) => content.startsWith('★'))).toBe(true);
    expect(announced.length).toBeGreaterThan(3);
    for (const name of ['Überblick', '每日精选', 'e\u0301a\u0300']) {
      const count = { time: '09:00', timezone: 'UTC' };
      const set = await expectWell('digest set', { name, channel, ...count });
      // The last has a letter in two parts, and is refused.
      if (set.message?.embeds.length === 1)
        await chooseForDigest(sandbox, 'count', ['25'], { name });
      await expectWell('digest preview', { name });
      await expectWell('digest now', { name });
    }
    await expectWell('digest show');
    const editions = posted(channel).filter(({ content }) => content.startsWith('## '));
    expect(editions).toHaveLength(2);
    for (const edition of editions) expect(JSON.stringify(edition)).toContain('**20.**');
    for (const message of [...announced, ...editions]) {
      expect(faultsOf(message)).toEqual([]);
    }
    for (const told of [announced, editions]) expect(JSON.stringify(told)).toContain('nitro');
  });

  test('the file of /me data is JSON, with every text in it', async () => {
    const shown = await scene.sandbox.as(grace).command(general, 'me data');
    const as = scene.sandbox.as(grace);
    const { message } = await as.press(general, shown.message?.id ?? '', 'me|export');
    const response = await fetch(message?.attachments[0]?.url ?? '');
    const text = await response.text();
    expect(text).not.toMatch(/\p{Cs}/u);
    const { servers } = JSON.parse(text) as { servers: { posts: { title: string }[] }[] };
    expect(servers[0]?.posts).toHaveLength(titles.length);
    for (const { title } of servers[0]?.posts ?? []) expect(faultsIn(title)).toEqual([]);
  });
});
