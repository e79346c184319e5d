import { InteractionType, TextChannel } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import { memberSubject } from '../../src/community/block-subject.ts';
import { deleteBlock, writeBlock } from '../../src/community/blocks.ts';
import { openMemberLimits } from '../../src/community/member-limits.ts';
import { readArticleMessage } from '../../src/articles/messages/article-message.ts';
import { onMetric } from '../../src/runtime/metrics.ts';
import { listArticles } from '../../src/ranking/lists/ranked.ts';
import { recountArticlesInVoting } from '../../src/votes/recount/recount-guild.ts';
import { forgeCommand } from '../fixtures/forge-command.ts';
import { forgeComponent } from '../fixtures/forge-component.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { setSetting } from '../fixtures/set-setting.ts';

let scene: Scene;
let general: string;
let rust: string;
let admin: string;
let member: string;
let other: string;
let article: string;
let posted = 0;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  ({ admin } = sandbox);
  // English speakers, so that answers can be read here.
  [member = '', other = ''] = englishSpeakers(sandbox);
  await setSetting(sandbox, 'log', [rust]);
});
afterAll(() => scene.stop());
beforeEach(async () => {
  // One member posts more here than an hour allows.
  scene.bot.memberLimits = openMemberLimits();
  posted += 1;
  article = await scene.post(member, {
    title: `Story ${posted}`,
    link: `https://news.example/${posted}`,
  });
});

function message(id = article, channel = general) {
  return scene.sandbox
    .as(admin)
    .messages(channel)
    .find((one) => one.id === id);
}
async function idsOf(group?: string): Promise<string[]> {
  const where = group === undefined ? {} : { group };
  const guild = scene.sandbox.guildId;
  const list = { guild, ...where, order: 'time', page: 1, pageSize: 50 } as const;
  return (await listArticles(scene.bot.ranking, list)).articles.map(({ id }) => id);
}
const logged = () => scene.sandbox.as(admin).messages(rust).at(-1)?.embeds[0]?.description;
const up = (who: string, id = article) => scene.sandbox.as(who).react(general, id, '👍');
const ups = async (count: number, id = article) => {
  const found = await scene.eventually(
    () => scene.article(id),
    (now) => now?.up === count,
    `at ${count} up votes`,
  );
  expect(found?.up).toBe(count);
};

describe('a removal', () => {
  test('a removal leaves a tombstone without link and title, frees the link, and comes back with its votes', async () => {
    up(other);
    await ups(2);
    const reason = 'Spam. <@1> [x](https://evil.example)';
    const answer = await scene.moderate(admin, 'remove', article, reason);
    expect(answer.kind).toBe('update');
    expect(await scene.article(article)).toBeNull();
    expect(await idsOf()).not.toContain(article);
    expect(readArticleMessage(message())).toBeNull();
    expect(JSON.stringify(message())).not.toContain(`news.example/${posted}`);
    expect(message()?.content).toBe(
      '-# Removed by a moderator. Reason: Spam. \\<@1\\> \\[x\\](https\\://evil.example)',
    );

    const again = await scene.post(other, {
      title: 'Again',
      link: `https://news.example/${posted}`,
    });
    const refused = await scene.moderate(admin, 'restore', article);
    expect(refused.message?.content).toContain(`/${again}`);
    await scene.moderate(admin, 'remove', again);
    await scene.moderate(admin, 'restore', article);
    expect(await scene.article(article)).toMatchObject({ up: 2, title: `Story ${posted}` });
    await scene.eventually(
      () => readArticleMessage(message())?.title,
      (title) => title === `Story ${posted}`,
      'shown again',
    );
  });

  test('a restored article has the votes that came while it was removed', async () => {
    await scene.moderate(admin, 'remove', article);
    up(other);
    await scene.moderate(admin, 'restore', article);
    await expect.poll(() => scene.article(article)).toMatchObject({ up: 2 });
  });

  test('a removal is told in the log channel', async () => {
    await scene.moderate(admin, 'remove', article, 'Off topic');
    const told = scene.sandbox.as(admin).messages(rust).at(-1);
    expect(told?.embeds[0]?.description).toContain(`removed an article\n\`Story ${posted}\``);
    expect(told?.embeds[0]?.description).toContain('Off topic');
  });
});

test('the log channel tells no title of a channel that not everyone may see', async () => {
  const { moderators } = scene.sandbox.channels;
  const link = 'https://news.example/secret';
  const hidden = await scene.post(admin, { channel: moderators.id, title: 'Secret', link });
  await scene.moderate(admin, 'retitle', hidden, 'Sealed');
  await expect.poll(logged).toContain(`\`${hidden}\``);
  expect(logged()).not.toMatch(/Secret|Sealed/);
});

async function saying(action: Parameters<Scene['moderate']>[1], given = '') {
  return (await scene.moderate(admin, action, article, given)).message?.content;
}

describe('a lock, a move and a new title', () => {
  test('each answer names the article, so that several can be told apart', async () => {
    expect(await saying('lock')).toContain(`**Story ${posted}**`);
    expect(await saying('unlock')).toContain(`**Story ${posted}**`);
    expect(await saying('retitle', 'Better')).toContain('**Better**');
    expect(await saying('remove')).toMatch(/^\*\*Better\*\*\n/);
    expect(await saying('restore')).toContain('**Better**');
  });

  test('each is told in the log channel as what it is, with what was before and after', async () => {
    const acts = [
      ['lock', '', 'stopped voting on'],
      ['unlock', '', 'reopened voting on'],
      ['retitle', 'Better', `another title\n\`Story ${posted}\` → \`Better\``],
      ['move', rust, `\n<#${general}> → <#${rust}>`],
      ['remove', '', 'removed an article'],
      ['restore', '', 'restored the article'],
    ] as const;
    for (const [action, given, text] of acts) {
      await scene.moderate(admin, action, article, given);
      await expect.poll(logged).toContain(text);
      expect(logged()).toMatch(new RegExp(`^<@${admin}> .*`));
    }
  });

  test('an opened article has the votes that are shown then', async () => {
    up(other);
    await ups(2);
    await scene.moderate(admin, 'lock', article);
    scene.unreact(other, article, '👍');
    await scene.settled();
    expect(await scene.article(article)).toMatchObject({ up: 2 });
    await scene.moderate(admin, 'unlock', article);
    await expect.poll(() => scene.article(article)).toMatchObject({ up: 1 });
  });

  test('a locked article takes no votes until it is opened', async () => {
    await scene.moderate(admin, 'lock', article);
    up(other);
    await scene.settled();
    expect(await scene.article(article)).toMatchObject({ up: 1 });
    await scene.moderate(admin, 'unlock', article);
    await expect.poll(() => scene.article(article)).toMatchObject({ up: 2 });
  });

  test('a moved article is in its new home’s list alone, and its message says so', async () => {
    await scene.moderate(admin, 'move', article, rust);
    expect(await idsOf(rust)).toContain(article);
    expect(await idsOf(general)).not.toContain(article);
    await scene.eventually(
      () => readArticleMessage(message())?.groups,
      (groups) => groups?.[0] === rust,
      'shown as moved',
    );
    expect(logged()).toContain(`<#${general}> → <#${rust}>`);
    await scene.moderate(admin, 'move', article, general);
    expect(await scene.article(article)).toMatchObject({ home: general, groups: [general] });
  });

  test('a move to a category, which holds no articles, is refused', async () => {
    const category = scene.sandbox.channels.general.parentId ?? '';
    expect(await saying('move', category)).toContain('no such channel');
    expect((await scene.article(article))?.home).toBe(general);
  });

  test.each([
    ['New [title](https://evil.example) @everyone', 'New [title](https://evil.example) @everyone'],
    ['‮evil\u200b  name', 'evil name'],
  ])('a new title is cleaned: %j', async (title, clean) => {
    await scene.moderate(admin, 'retitle', article, title);
    expect((await scene.article(article))?.title).toBe(clean);
  });

  test('a title of nothing that can be seen is refused', async () => {
    for (const title of ['Seen', '||Hidden||']) {
      article = await scene.post(member, { title });
      const answer = await scene.moderate(admin, 'retitle', article, '\u200b\u200b');
      expect(answer.message?.content).toContain('one visible character');
      expect((await scene.article(article))?.title).toBe(title);
    }
  });

  test('what is so already is said to be so, and is not told in the log channel again', async () => {
    const views = [await moderate(admin), await moderate(admin)];
    const said: (string | undefined)[] = [];
    for (const view of views)
      said.push((await pressOn(admin, view, `moderate|lock|${article}`)).message?.content);
    await expect.poll(logged).toContain('stopped voting');
    const lines = () => scene.sandbox.as(admin).messages(rust, 100).length;
    const before = lines();
    expect(said[0]).not.toContain('already');
    expect(said[1]).toContain('It was already like that');
    expect(await saying('retitle', `Story ${posted}`)).toContain('It already has that title');
    expect(await saying('move', general)).toContain('It’s already in');
    expect(lines()).toBe(before);
  });

  test('an article whose voting has ended by now is not locked any more', async () => {
    const shown = await moderate(admin);
    scene.clock.move(7 * 86_400_000);
    const late = await pressOn(admin, shown, `moderate|lock|${article}`);
    expect(late.message?.content).toContain('has ended for good');
    expect((await scene.article(article))?.locked).toBe(false);
  });

  test('an article is moved to no channel that takes no articles', async () => {
    await setSetting(scene.sandbox, 'no-groups', [rust]);
    expect(await saying('move', rust)).toContain(`<#${rust}> doesn’t take articles`);
    expect((await scene.article(article))?.home).toBe(general);
    await setSetting(scene.sandbox, 'no-groups', []);
  });

  test.each([
    ['view', 'ViewChannel', 'no such channel'],
    ['moderate', 'ManageMessages', 'Manage Messages'],
  ] as const)(
    'an article is moved to no channel that its moderator may not %s',
    async (_, right, text) => {
      const { operator, moderator: who } = scene.sandbox;
      scene.sandbox.as(who).speak('en-US');
      operator.setPermissions({ channel: rust, who, deny: [right] });
      const known = () => JSON.stringify(scene.bot.client.channels.cache.get(rust));
      await expect.poll(known).toContain(who);
      const forged = { userId: who, sourceId: article };
      const move = (to: string) =>
        forgeComponent(scene.sandbox, forged, `moderate|move|${article}`, [to]);
      expect((await move(rust)).message?.content).toContain(text);
      expect((await scene.article(article))?.home).toBe(general);
      operator.setPermissions({ channel: rust, who });
      await expect.poll(known).not.toContain(who);
      await move(rust);
      expect((await scene.article(article))?.home).toBe(rust);
    },
  );
});

describe('/mod block', () => {
  test('a blocked member cannot post, open votes are retracted, and new ones do not count', async () => {
    up(other);
    await ups(2);
    await scene.command(admin, 'mod block', { member: other, reason: 'Flooding', days: 3 });
    await ups(1);
    const second = await scene.post(member, {
      title: 'Second',
      link: `https://second.example/${posted}`,
    });
    up(other, second);
    up(scene.sandbox.moderator, second);
    await ups(2, second);
    const refused = await scene.command(other, 'post', { link: 'https://mine.example/' });
    expect(refused.ephemeral).toBe(true);
    expect(refused.message?.content).toContain('Flooding');
    const listed = await scene.command(admin, 'mod blocks');
    expect(listed.message?.embeds[0]?.description).toContain(`<@${other}>`);

    await scene.command(admin, 'mod unblock', { member: other });
    // What is still shown counts from the next recount on.
    await recountArticlesInVoting(scene.bot, scene.sandbox.guildId, { full: true });
    await ups(2);
    await ups(3, second);
  });

  test('a second block of a member adds to the first, and the later end wins', async () => {
    await scene.command(admin, 'mod block', { member: other, what: 'post', reason: 'Flooding' });
    const both = await scene.command(admin, 'mod block', { member: other, what: 'vote', days: 3 });
    expect(both.message?.content).toContain('can’t post or vote here until further notice.');
    const said = `blocked <@${other}> until further notice: Posting and voting`;
    expect(logged()).toContain(said);
    const refused = await scene.command(other, 'post', { link: 'https://mine.example/' });
    expect(refused.message?.content).toContain('Flooding');
    await scene.command(admin, 'mod unblock', { member: other });

    const until = async (days: number) => {
      const { message } = await scene.command(admin, 'mod block', {
        member: other,
        what: 'post',
        days,
      });
      return /<t:\d+:f>/.exec(message?.content ?? '')?.[0];
    };
    const late = await until(7);
    expect(late).toBeDefined();
    expect(logged()).toContain(`until ${late}: Posting`);
    expect(await until(1)).toBe(late);
    scene.clock.move(7 * 86_400_000);
    expect(await until(1)).not.toBe(late);
    await scene.command(admin, 'mod unblock', { member: other });
  });

  test('a block ends by itself', async () => {
    await scene.command(admin, 'mod block', {
      site: 'https://www.Git.example/Someone/',
      days: 1,
    });
    const blocked = await scene.command(other, 'post', {
      link: 'https://git.example/someone/repo',
    });
    expect(blocked.message?.content).toContain('`git.example/someone`');
    await scene.post(other, { title: 'Else', link: `https://git.example/someoneelse/${posted}` });
    scene.clock.move(86_400_001);
    await scene.post(other, { title: 'Later', link: `https://git.example/someone/${posted}` });
  });

  test('the list of blocks has pages, so that each block is shown', async () => {
    // Earlier tests may have left a few.
    const sites = Array.from({ length: 11 }, (_, at) => `spam-${at}.example/${'s'.repeat(230)}`);
    const reason = 'r'.repeat(200);
    for (const site of sites) {
      scene.clock.move(1000);
      await scene.command(admin, 'mod block', { site, reason });
    }
    const channel = scene.sandbox.channels.general.id;
    const as = scene.sandbox.as(admin);
    const { message } = await scene.command(admin, 'mod blocks');
    const footer = (shown = message) => shown?.embeds[0]?.footer?.text;
    expect(footer()).toMatch(/^Page 1 of 2 · 1\d blocks$/);
    // The newest are the first.
    expect(message?.embeds[0]?.description).toContain('spam-10.example/');
    expect(message?.embeds[0]?.description).not.toContain('spam-0.example/');
    const next = await as.press(channel, message?.id ?? '', 'mod|blocks|next|2');
    expect(footer(next.message)).toMatch(/^Page 2 of 2 · 1\d blocks$/);
    const shown = [message, next.message].map((page) => page?.embeds[0]?.description).join('\n');
    expect(sites.filter((_, at) => !shown.includes(`spam-${at}.example/`))).toEqual([]);
    const [kept = '', ...rest] = sites;
    for (const site of rest) await scene.command(admin, 'mod unblock', { site });
    // What is left fits on one page, which is shown to who turns to one that is gone.
    const source = { userId: admin, sourceId: message?.id ?? '' };
    const gone = await forgeComponent(scene.sandbox, source, 'mod|blocks|next|2');
    expect(gone.message?.embeds[0]?.description).toContain('spam-0.example/');
    expect(footer(gone.message)).toBeUndefined();
    await scene.command(admin, 'mod unblock', { site: kept });
  });

  test('a block that was chosen in the list is lifted, by the name of its member, and once', async () => {
    const as = scene.sandbox.as(admin);
    const { id: channel } = scene.sandbox.channels.general;
    const [spammer = ''] = scene.crowd(1);
    await scene.command(admin, 'mod block', { member: spammer });
    await scene.command(admin, 'mod block', { words: 'miracle pills' });
    // Of an account that Discord does not know any more, the number is left.
    const deleted = memberSubject('1234567890123456');
    const by = { posting: true, voting: false, reason: '', by: admin, sinceMs: 0, untilMs: null };
    const { store, rules } = scene.bot;
    const { guildId } = scene.sandbox;
    await writeBlock(store, guildId, { subject: deleted, ...by });
    await rules.reload(guildId);
    const shown = await scene.command(admin, 'mod blocks');
    const options = JSON.stringify(shown.message?.components);
    expect(options).toContain(`"label":"@${scene.sandbox.world.users.get(spammer)!.username}"`);
    expect(options).toContain('"label":"@1234567890123456"');
    const lift = (value: string) =>
      as.choose(channel, shown.message?.id ?? '', 'mod|lift', [value]);
    const source = { userId: admin, sourceId: shown.message?.id ?? '' };
    const left = await lift(`member:${spammer}`);
    expect(left.kind).toBe('update');
    expect(left.message?.embeds[0]?.description).not.toContain(spammer);
    expect(left.message?.embeds[0]?.description).toContain('miracle pills');
    await scene.post(spammer);
    const again = await forgeComponent(scene.sandbox, source, 'mod|lift', [`member:${spammer}`]);
    expect(again.message?.content).toContain('There’s no such block');
    await deleteBlock(store, guildId, deleted);
    await rules.reload(guildId);
    const forged = await forgeComponent(scene.sandbox, source, 'mod|lift', ['nobody']);
    expect(forged.message?.content).toContain('out of date');
    const unread = await forgeComponent(scene.sandbox, source, 'mod|sweep|nobody');
    expect(unread.message?.content).toContain('out of date');
    await scene.command(admin, 'mod unblock', { words: 'miracle pills' });
  });

  test('a block of a path with a colon holds, is listed and can be lifted', async () => {
    const block = 'wiki.example/user:spam';
    await scene.command(admin, 'mod block', { site: `https://${block}` });
    const link = `https://${block}/${posted}`;
    const refused = await scene.command(other, 'post', { link });
    expect(refused.message?.content).toContain(`\`${block}\``);
    const listed = await scene.command(admin, 'mod blocks');
    expect(listed.message?.embeds[0]?.description).toContain(block);
    const { message } = await scene.command(admin, 'mod unblock', { site: block });
    expect(message?.content).toContain('is no longer blocked');
    await scene.post(other, { title: 'Later', link });
  });

  test('a block of a long path holds, is shown in its own letters and can be lifted, and says without a button what is still here', async () => {
    const path = '标题很长的一页纸'.repeat(5);
    await scene.post(other, { link: `https://wiki.example/${path}/here` });
    const blocked = await scene.command(admin, 'mod block', { site: `wiki.example/${path}` });
    expect(blocked.message?.content).toContain('1 link that this would refuse is still here.');
    expect(blocked.message?.components).toEqual([]);
    const link = `https://wiki.example/${path}/${posted}`;
    const refused = await scene.command(other, 'post', { link });
    expect(refused.message?.content).toContain(`\`wiki.example/${path}\``);
    const { message } = await scene.command(admin, 'mod unblock', { site: `wiki.example/${path}` });
    expect(message?.content).toContain('is no longer blocked');
    await scene.post(other, { title: 'Later', link });
  });

  test('who blocks very many at once is told of no number of links that are still here, and the block holds', async () => {
    const site = 'many.example';
    await scene.post(other, { link: `https://${site}/here` });
    const { memberLimits } = scene.bot;
    while (memberLimits.count('walk', scene.sandbox.guildId, admin) === 0);
    const block = async () =>
      (await scene.command(admin, 'mod block', { site })).message?.content ?? '';
    expect(await block()).not.toContain('still here');
    const refused = await scene.command(other, 'post', { link: `https://${site}/2` });
    expect(refused.message?.content).toContain(site);
    scene.bot.memberLimits = openMemberLimits();
    expect(await block()).toContain('still here');
    await scene.command(admin, 'mod unblock', { site });
  });

  test('a block of a site with several hosts is named by its own host', async () => {
    const answer = await scene.command(admin, 'mod block', {
      site: 'https://twitter.com/spammer',
    });
    expect(answer.message?.content).toContain('Links to `x.com/spammer` are blocked');
    expect(answer.message?.content).toContain('`https://twitter.com/spammer` belongs to this site');
    const own = await scene.command(admin, 'mod block', { site: 'https://www.x.com/spammer' });
    expect(own.message?.content).not.toContain('belongs to this site');
    const link = `https://fxtwitter.com/spammer/status/${posted}`;
    expect((await scene.command(other, 'post', { link })).message?.content).toContain(
      '`x.com/spammer`',
    );
    const lifted = await scene.command(admin, 'mod unblock', { site: 'twitter.com/spammer' });
    expect(lifted.message?.content).toContain('is no longer blocked');
  });

  test.each(['isn’t a domain', 'https://', '127.0.0.1:x', '', 'a'.repeat(200)])(
    '/mod block refuses %j as an origin',
    async (origin) => {
      const answer = await forgeCommand(scene.sandbox, admin, 'mod block', { site: origin });
      expect(answer.message?.content).toMatch(/isn’t a domain/);
    },
  );

  test.each([
    'co.uk',
    'https://www.com.cn/',
    'GitHub.io',
    's3.amazonaws.com',
    'co.uk/news',
    '公司.cn',
  ])('/mod block refuses %j, under which anybody can have a site', async (origin) => {
    const answer = await scene.command(admin, 'mod block', { site: origin });
    expect(answer.message?.content).toContain('an ending that many sites share');
  });

  test.each(['someone.github.io', 's3.amazonaws.com/someone', 'example.co.uk'])(
    '/mod block takes %j, a site under a shared ending',
    async (origin) => {
      const answer = await scene.command(admin, 'mod block', { site: origin });
      expect(answer.message?.content).toContain(`Links to \`${origin}\` are blocked`);
      await scene.command(admin, 'mod unblock', { site: origin });
    },
  );

  test('/mod block refuses neither and both, oneself and bots', async () => {
    expect((await forgeCommand(scene.sandbox, admin, 'mod block', {})).message?.content).toContain(
      'Choose a member, or enter a site',
    );
    const [bot = ''] = scene.crowd(1, true);
    for (const target of [admin, bot]) {
      const refused = await scene.command(admin, 'mod block', { member: target });
      expect(refused.message?.content).toContain('You can’t block yourself or a bot');
    }
  });

  test('/mod refuses who may not manage messages where the command is given, whatever their roles allow', async () => {
    const { operator, moderator } = scene.sandbox;
    scene.sandbox.as(moderator).speak('en-US');
    const block = () =>
      forgeCommand(scene.sandbox, moderator, 'mod block', { site: 'denied.example' });
    operator.setPermissions({ channel: general, who: moderator, deny: ['ManageMessages'] });
    const refused = await block();
    operator.setPermissions({ channel: general, who: moderator });
    expect(refused.message?.content).toContain('for the whole server');
    expect((await block()).message?.content).toContain('`denied.example` are blocked');
    await scene.command(admin, 'mod unblock', { site: 'denied.example' });
  });

  test('what is not blocked is not unblocked, and the log channel tells what was alone', async () => {
    const none = await scene.command(admin, 'mod blocks');
    expect(none.message?.embeds[0]?.description).toBe('There are no blocks here.');
    expect(none.message?.components).toEqual([]);
    await scene.command(admin, 'mod block', { words: 'lottery' });
    const { message } = await scene.command(admin, 'mod blocks');
    const unblock = async (words: string) =>
      (await scene.command(admin, 'mod unblock', { words })).message?.content;
    expect(await unblock('raffle')).toContain('There’s no such block');
    expect(logged()).toContain('blocked `lottery`');
    await unblock('lottery, raffle');
    await expect.poll(logged).toContain('unblocked `lottery`');
    expect(logged()).not.toContain('raffle');
    // An older list still offers it.
    const lift = ['mod|lift', ['words:lottery']] as const;
    const late = await scene.sandbox
      .as(admin)
      .choose(general, message?.id ?? '', lift[0], [...lift[1]]);
    expect(late.message?.content).toContain('There’s no such block');
  });

  test('/mod refuses who moderates one channel alone', async () => {
    const { operator } = scene.sandbox;
    operator.setPermissions({ channel: general, who: member, allow: ['ManageMessages'] });
    const answer = await scene.command(member, 'mod block', { member: other });
    operator.setPermissions({ channel: general, who: member });
    expect(answer.message?.content).toContain('for the whole server');
  });
});

describe('what a client can send', () => {
  test.each(['1234567890123456', 'Story', '', '0'])(
    'there is no article %j, nor one of another guild',
    async (id) => {
      for (const subcommand of ['add', 'remove']) {
        const answer = await forgeCommand(scene.sandbox, admin, `group ${subcommand}`, {
          article: id,
          channel: rust,
        });
        expect(answer.message?.content).toMatch(/There’s no such article/);
      }
    },
  );

  test.each([
    ['tells members nothing', () => other, { type: 3, value: '' }],
    ['of another type than the option is empty', () => admin, { type: 4, value: 1 }],
  ])('completion answers whatever a client can send: %s', async (_, who, option) => {
    const { world } = scene.sandbox;
    const outcomes: string[] = [];
    const end = onMetric('interaction', ({ outcome }) => outcomes.push(outcome));
    const forged = openInteraction(world, {
      type: InteractionType.ApplicationCommandAutocomplete,
      userId: who(),
      channel: scene.sandbox.channels.general,
      name: 'group remove',
      data: {
        id: '1',
        name: 'group',
        type: 1,
        options: [
          {
            name: 'remove',
            type: 1,
            options: [{ name: 'article', ...option, focused: true }],
          },
        ],
      },
    });
    const choices = await scene.eventually(
      () => forged.choices,
      (found) => found !== null && found !== undefined,
      'answered',
    );
    end();
    expect(choices).toEqual([]);
    expect(outcomes).not.toContain('fault');
  });
});

describe('/me', () => {
  test('the poster retitles and removes; a moderator brings it back', async () => {
    const offered = await scene.sandbox
      .as(member)
      .complete(general, 'me remove', 'article', { article: '' });
    expect(offered.map(({ value }) => value)).toContain(article);
    await scene.command(member, 'me retitle', { article, title: 'Better words' });
    expect((await scene.article(article))?.title).toBe('Better words');
    await scene.command(member, 'me remove', { article });
    await expect.poll(() => message()?.content).toBe('-# Removed by the poster.');
    await scene.moderate(admin, 'restore', article);
    expect((await scene.article(article))?.title).toBe('Better words');
  });

  test('a removal shows, also while an edit from before is under way', async () => {
    const { faults, requests } = scene.sandbox;
    const path = new RegExp(`/messages/${article}$`);
    requests.reset();
    faults.add({ method: 'GET', path, delayMs: 500, times: 1 });
    await scene.command(member, 'me retitle', { article, title: 'Too late' });
    await scene.command(member, 'me remove', { article });
    await expect.poll(() => requests.count('PATCH', /messages\/:message$/)).toBeGreaterThan(0);
    await expect.poll(() => message()?.content).toBe('-# Removed by the poster.');
  });

  test('/me knows no article of another member', async () => {
    for (const [words, values] of [
      ['me remove', { article }],
      ['me retitle', { article, title: 'Mine now' }],
    ] as const) {
      const answer = await scene.command(other, words, values);
      expect(answer.message?.content).toContain('no such article');
    }
    const offered = await scene.sandbox
      .as(other)
      .complete(general, 'me remove', 'article', { article: `story ${posted}` });
    expect(offered).toEqual([]);
  });
});

function pressOn(who: string, shown: { message?: { id: string } | null }, what: string) {
  return scene.sandbox.as(who).press(general, shown.message?.id ?? '', what);
}
function moderate(who: string) {
  return scene.sandbox.as(who).messageCommand(general, article, 'Moderate');
}

describe('*Moderate*, the command on a message', () => {
  test('*Moderate* removes an article, and brings it back from what stands in its place', async () => {
    const shown = await moderate(admin);
    expect(shown.ephemeral).toBe(true);
    const form = await pressOn(admin, shown, `moderate|remove|${article}`);
    await scene.sandbox.as(admin).submit(form.interactionId, { text: '' });
    expect(await scene.article(article)).toBeNull();
    const again = await moderate(admin);
    expect(JSON.stringify(again.message?.components)).not.toContain('moderate|remove');
    await pressOn(admin, again, `moderate|restore|${article}`);
    expect((await scene.article(article))?.title).toBe(`Story ${posted}`);
  });

  test('*Moderate* offers the way back at once', async () => {
    const removed = await scene.moderate(admin, 'remove', article);
    expect(await scene.article(article)).toBeNull();
    const restored = await pressOn(admin, removed, `moderate|restore|${article}`);
    expect(restored.message?.content).toContain('Back with its votes');
    expect((await scene.article(article))?.title).toBe(`Story ${posted}`);
  });

  test('*Moderate* stops and reopens the voting, and changes the title by a form', async () => {
    await pressOn(admin, await moderate(admin), `moderate|lock|${article}`);
    expect((await scene.article(article))?.locked).toBe(true);
    const unlocked = await pressOn(admin, await moderate(admin), `moderate|unlock|${article}`);
    // In the place of the buttons, which no longer fit.
    expect(unlocked.kind).toBe('update');
    expect(unlocked.message?.components).toEqual([]);
    expect((await scene.article(article))?.locked).toBe(false);
    const form = await pressOn(admin, await moderate(admin), `moderate|retitle|${article}`);
    await scene.sandbox.as(admin).submit(form.interactionId, { text: 'By a form' });
    expect((await scene.article(article))?.title).toBe('By a form');
  });

  test.each(['lock', 'remove', 'retitle', 'restore'] as const)(
    '*Moderate* refuses who has lost the right to it since, by an older button to %s',
    async (action) => {
      const { operator } = scene.sandbox;
      const { cache } = scene.bot.client.channels;
      const isNamed = () => {
        const channel = cache.get(general);
        return channel instanceof TextChannel && channel.permissionOverwrites.cache.has(other);
      };
      if (action === 'restore') await scene.moderate(admin, 'remove', article);
      operator.setPermissions({ channel: general, who: other, allow: ['ManageMessages'] });
      const shown = await moderate(other);
      operator.setPermissions({ channel: general, who: other });
      await expect.poll(isNamed).toBe(false);
      const refused = await pressOn(other, shown, `moderate|${action}|${article}`);
      expect(refused.message?.content).toContain('Manage Messages');
      expect((await scene.article(article))?.locked).toBe(action === 'restore' ? undefined : false);
    },
  );

  test('*Moderate* knows no article whose channel the moderator may not view', async () => {
    const { operator, moderator } = scene.sandbox;
    const { id: secret } = operator.createChannel({ name: 'secret' });
    operator.setPermissions({ channel: secret, who: moderator, deny: ['ViewChannel'] });
    await expect.poll(() => scene.bot.client.channels.cache.has(secret)).toBe(true);
    scene.sandbox.as(moderator).speak('en-US');
    await scene.moderate(admin, 'move', article, secret);
    await scene.moderate(admin, 'remove', article);
    const answer = await moderate(moderator);
    expect(answer.message?.content).toContain('no such article');
  });

  test('*Moderate* brings nothing back for a moderator who is blocked from posting', async () => {
    const { moderator } = scene.sandbox;
    scene.sandbox.as(moderator).speak('en-US');
    await scene.command(admin, 'mod block', { member: moderator });
    await scene.moderate(admin, 'remove', article);
    const refused = await pressOn(
      moderator,
      await moderate(moderator),
      `moderate|restore|${article}`,
    );
    await scene.command(admin, 'mod unblock', { member: moderator });
    expect(refused.message?.content).toContain('blocked');
    expect(await scene.article(article)).toBeNull();
  });

  test('*Moderate* says of what is back already where it is, and of what was posted again nothing that one may not see', async () => {
    const { operator, moderator } = scene.sandbox;
    scene.sandbox.as(moderator).speak('en-US');
    await scene.moderate(admin, 'remove', article);
    const restore = `moderate|restore|${article}`;
    const views = [await moderate(moderator), await moderate(moderator), await moderate(moderator)];
    await pressOn(admin, await moderate(admin), restore);
    const late = await pressOn(moderator, views[0]!, restore);
    expect(late.message?.content).toContain('already there: https://');
    expect(late.message?.content).toContain(article);
    await scene.moderate(admin, 'remove', article);
    const link = `https://news.example/${posted}`;
    const again = await scene.post(other, { link, channel: rust });
    operator.setPermissions({ channel: rust, who: moderator, deny: ['ViewChannel'] });
    const hidden = await scene.eventually(
      () => pressOn(moderator, views[1]!, restore),
      ({ message }) => message?.content.includes('a channel that you can’t see') === true,
      'hidden from the moderator',
    );
    expect(hidden.message?.content).not.toContain(again);
    // Nor where it is, of what stands there.
    const source = { userId: moderator, sourceId: article };
    const forged = await forgeComponent(scene.sandbox, source, `moderate|restore|${again}`);
    expect(forged.message?.content).toContain('no such article');
    operator.setPermissions({ channel: rust, who: moderator });
    await scene.moderate(admin, 'remove', again);
    scene.sandbox.as(admin).delete(general, article);
    await scene.settled();
    const gone = await pressOn(moderator, views[2]!, restore);
    expect(gone.message?.content).toContain('no such article');
  });

  test('what was removed in a channel that is gone comes back by who moderates the whole server, and by no other', async () => {
    const { sandbox, bot } = scene;
    const { operator } = sandbox;
    const { id: doomed } = operator.createChannel({ name: 'doomed' });
    const has = () => bot.client.channels.cache.has(doomed);
    await expect.poll(has).toBe(true);
    const inside = await scene.post(member, { channel: doomed });
    await scene.moderate(admin, 'remove', inside);
    operator.deleteChannel({ channel: doomed });
    await expect.poll(has).toBe(false);
    operator.setPermissions({ channel: general, who: other, allow: ['ManageMessages'] });
    const restore = (userId: string) =>
      forgeComponent(sandbox, { userId, sourceId: article }, `moderate|restore|${inside}`);
    expect((await restore(other)).message?.content).toContain('for the whole server');
    expect((await restore(admin)).message?.content).toContain('Back with its votes');
    operator.setPermissions({ channel: general, who: other });
  });

  test('*Moderate* is not there for members', async () => {
    await expect(moderate(member)).rejects.toThrow('no command');
  });
});

describe('an article is found', () => {
  test.each<[string, () => string]>([
    [
      'by the address of its message',
      () => `https://discord.com/channels/${scene.sandbox.guildId}/${general}/${article}`,
    ],
    ['by the link of its page', () => `https://news.example/${posted}?utm_source=x`],
    ['by its exact title', () => `story ${posted}`],
  ])('an article is found by what a moderator types: %s', async (_, typed) => {
    const given = { article: typed(), channel: rust };
    const answer = await scene.command(admin, 'group add', given);
    expect(answer.message?.content).toContain(article);
    expect((await scene.article(article))?.groups).toEqual([general, rust]);
  });

  test('an article is not found by the address of a message in another server', async () => {
    const typed = `https://discord.com/channels/1/${general}/${article}`;
    const answer = await scene.command(admin, 'group add', { article: typed, channel: rust });
    expect(answer.message?.content).toContain('no such article');
  });
});
