import { DiscordAPIError, PermissionFlagsBits as P, Routes } from 'discord.js';
import { AnsweredElsewhere } from '../../../src/discord/interactions/answer.ts';
import { readArticleMessage } from '../../../src/articles/messages/article-message.ts';
import { deleteArticle, postArticle } from '../../../src/ranking/articles/articles.ts';
import { postLink } from '../../../src/articles/posting/post-link.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setOverwrite } from '../../../discord-box/src/world/channels/change-channel.ts';
import { changeMember } from '../../../discord-box/src/world/guilds/change-member.ts';
import { addRole } from '../../../discord-box/src/world/guilds/change-guild.ts';
import { mayView } from '../../../src/discord/access/visibility.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { setSetting } from '../../fixtures/set-setting.ts';
import { listArticles } from '../../../src/ranking/lists/ranked.ts';
import { translate } from '../../../src/text/catalogue.ts';
import { reserveLink } from '../../../src/ranking/links/reservations.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
let ada: string;
let lin: string;
let wang: string;
let general: string;

beforeAll(async () => {
  scene = await startScene();
  const { sandbox } = scene;
  ada = sandbox.admin;
  lin = sandbox.moderator; // 简体中文
  [, wang = ''] = [sandbox.members[0], sandbox.members[1]];
  general = sandbox.channels.general.id;
});
afterAll(() => scene.stop());

let links = 0;
function freshLink(): string {
  links += 1;
  return `https://news.example/${links}`;
}

function post(member: string, channel: string, link: string, title?: string) {
  return scene.sandbox
    .as(member)
    .command(channel, 'post', { link, ...(title === undefined ? {} : { title }) });
}

async function total(): Promise<number> {
  const { ranking } = scene.bot;
  const list = await listArticles(ranking, {
    guild: scene.sandbox.guildId,
    order: 'time',
    page: 1,
    pageSize: 1,
  });
  return list.total;
}

describe('a posted link', () => {
  test('a posted link becomes an article in the channel, with both reactions under it unless it is its member’s first', async () => {
    const { sandbox } = scene;
    const shownUnder = (id = '') =>
      sandbox
        .as(ada)
        .messages(general)
        .find((message) => message.id === id)
        ?.reactions?.map(({ emoji }) => emoji.name)
        .join('');
    const { message: first } = await post(ada, general, freshLink());
    expect(first?.content).toMatch(/<t:\d+:R> · 👍$/);
    await expect.poll(() => shownUnder(first?.id)).toBe('👍');
    const link = `${freshLink()}?utm_source=x#top`;
    const answer = await post(ada, general, link, 'A  title\u202e here');
    expect(answer).toMatchObject({ kind: 'message', ephemeral: false });
    expect(answer.message?.embeds).toEqual([]);
    expect(answer.message?.content.split('\n')).toEqual([
      `**[A title here](${link})** · news.example`,
      expect.stringMatching(`^-# by <@${ada}> in <#${general}> · voting ends <t:\\d+:R>$`),
    ]);
    const id = answer.message?.id ?? '';
    await expect.poll(() => shownUnder(id)).toBe('👍👎');
    expect(shownUnder(first?.id)).toBe('👍');
    expect(await scene.article(id)).toMatchObject({
      title: 'A title here',
      link,
      poster: ada,
      home: general,
      channel: general,
      up: 1,
      down: 0,
      listed: true,
    });
  });

  test('a posted link is its member’s first once, also in a channel that not everybody views', async () => {
    const { operator, channels } = scene.sandbox;
    const channel = channels.moderators.id;
    const [newcomer = ''] = scene.crowd(1);
    operator.setPermissions({ channel, who: newcomer, allow: ['ViewChannel', 'SendMessages'] });
    const isFirst = async (link: string) => {
      const { message } = await post(newcomer, channel, link);
      const id = message?.id ?? '';
      await scene.eventually(() => scene.article(id), Boolean, 'committed');
      return message?.content.endsWith(' · 👍');
    };
    expect([await isFirst(freshLink()), await isFirst(freshLink())]).toEqual([true, false]);
    // Who comes back is new again.
    const { world, guild } = scene.sandbox;
    scene.clock.move(1000);
    changeMember(world, guild, guild.members.get(newcomer)!, { joinedAtMs: scene.clock.now() });
    expect([await isFirst(freshLink()), await isFirst(freshLink())]).toEqual([true, false]);
    operator.setPermissions({ channel, who: newcomer });
  });

  test('a posted link without a title has its host and path for one', async () => {
    const answer = await post(ada, general, 'https://news.example/a/%C3%A4?x=1');
    expect(answer.message?.content.split('\n').slice(0, 2)).toEqual([
      '**news.example/a/ä**',
      'https://news.example/a/%C3%A4?x=1',
    ]);
  });

  test('a posted link in a thread belongs to the parent channel, and its message is in the thread', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(ada).startThread(general, 'aside');
    const answer = await post(ada, thread.id, freshLink());
    expect(answer).toMatchObject({ kind: 'message', ephemeral: false });
    const article = await scene.eventually(
      () => scene.article(answer.message?.id ?? ''),
      (found) => found !== null,
      'committed',
    );
    expect(article).toMatchObject({ home: general, channel: thread.id, groups: [general] });
  });

  test('a posted link in a forum post belongs to the forum', async () => {
    const { sandbox } = scene;
    const forum = sandbox.channels.forum.id;
    const thread = sandbox.as(ada).post(forum, 'look', 'what I made');
    const answer = await post(ada, thread.id, freshLink());
    const article = await scene.eventually(
      () => scene.article(answer.message?.id ?? ''),
      (found) => found !== null,
      'committed',
    );
    expect(article).toMatchObject({ home: forum, channel: thread.id });
  });
});

test('a link whose channel was closed to others since its form was open stands there alone, and its message says nothing else', async () => {
  const { sandbox, bot } = scene;
  const { lateNight, rust } = sandbox.channels;
  const found = bot.client.guilds.cache.get(sandbox.guildId)!;
  const link = freshLink();
  const { id: channel } = lateNight;
  const outcome = await postLink(bot, {
    by: sandbox.world.snowflake(),
    poster: await found.members.fetch(ada),
    home: found.channels.cache.get(channel) as never,
    channel,
    link: { href: link, canonical: link },
    title: 'Behind a door',
    groups: [rust.id],
    sendArticleMessage: async (content) => {
      const sent = await bot.client.rest.post(Routes.channelMessages(channel), {
        body: { content },
      });
      return (sent as { id: string }).id;
    },
  });
  const id = outcome.status === 'posted' ? outcome.article : '';
  expect((await scene.article(id))?.groups).toEqual([channel]);
  expect(readArticleMessage({ content: scene.message(id).content })?.groups).toEqual([channel]);
});

describe('a refusal', () => {
  const refused: [link: string, word: RegExp][] = [
    ['javascript:alert(1)', /http:\/\/ or https:\/\//],
    ['https://discord.com@evil.example/', /user name/],
    ['http://127.0.0.1/', /address/],
    ['localhost:3000/x?y', /public site name/],
    ['news', /not a link/],
    [`https://news.example/${'a'.repeat(1000)}`, /too long/],
  ];

  test.each(refused)('a refusal of %.40j is told to the member alone', async (link, word) => {
    const before = await total();
    const answer = await post(ada, general, link);
    expect(answer).toMatchObject({ kind: 'message', ephemeral: true });
    expect(answer.message?.content).toMatch(word);
    expect(await total()).toBe(before);
  });

  test('a refusal is in the language of the member', async () => {
    const answer = await post(lin, general, 'http://127.0.0.1/');
    expect(answer.message?.content).toContain('内网地址');
  });

  test.each([
    ['ViewChannel', 'channel'],
    ['SendMessages', 'channel'],
    ['EmbedLinks', 'channel'],
    ['ReadMessageHistory', 'channel'],
    ['AddReactions', 'channel'],
    ['SendMessagesInThreads', 'thread'],
  ] as const)(
    'a refusal names the permission %s that the bot lacks in a %s',
    async (name, where) => {
      const { sandbox } = scene;
      const { rust } = sandbox.channels;
      const me = sandbox.world.application.botId;
      const place =
        where === 'thread' ? sandbox.as(ada).startThread(rust.id, 'Lacking').id : rust.id;
      setOverwrite(sandbox.world, rust, me, { kind: 'member', allow: 0n, deny: P[name] });
      const answer = await post(ada, place, freshLink());
      expect(answer.ephemeral).toBe(true);
      expect(answer.message?.content).toContain(translate('en', `permission.${name}`));
      setOverwrite(sandbox.world, rust, me, null);
      await scene.settled();
    },
  );

  test('a refusal of blocked words is about what a member wrote, and not about the address', async () => {
    await scene.command(ada, 'mod block', { words: 'jackpot' });
    const link = 'https://news.example/jackpot';
    for (const more of [{ title: 'A jackpot' }, { comment: 'What a jackpot!' }]) {
      const refused = await scene.command(wang, 'post', { link: freshLink(), ...more });
      expect(refused).toMatchObject({ ephemeral: true });
    }
    const posted = await post(wang, general, link);
    expect(posted.message?.content).toContain('news.example/jackpot');
    expect(posted).toMatchObject({ ephemeral: false });
    const spoiler = await post(wang, general, '||https://news.example/another/jackpot||');
    expect(spoiler).toMatchObject({ ephemeral: false });
    await scene.command(ada, 'mod unblock', { words: 'jackpot' });
  });

  test('a refusal names the roles of which a member needs one, and who has one of them posts', async () => {
    const { world, guild } = scene.sandbox;
    const [writers, authors] = ['writers', 'authors'].map((name) =>
      addRole(world, guild, { name, permissions: 0n }),
    );
    const roles = [writers!.id, authors!.id];
    const known = () => scene.bot.client.guilds.cache.get(guild.id)?.roles.cache.has(roles[1]!);
    await expect.poll(known).toBe(true);
    await setSetting(scene.sandbox, 'post-roles', roles);
    const refused = await post(wang, general, freshLink());
    expect(refused).toMatchObject({ ephemeral: true });
    for (const id of roles) expect(refused.message?.content).toContain(`<@&${id}>`);
    const member = guild.members.get(wang)!;
    for (const id of roles) {
      member.roleIds.add(id);
      expect(await post(wang, general, freshLink())).toMatchObject({ ephemeral: false });
      member.roleIds.delete(id);
    }
    // Of a deleted role nobody is told.
    const { cache } = scene.bot.client.guilds.cache.get(guild.id)!.roles;
    for (const [gone, said] of [
      [writers!.id, `<@&${authors!.id}>`],
      [authors!.id, translate(world.users.get(wang)!.locale, 'post.refused.roles-gone')],
    ] as const) {
      scene.sandbox.operator.deleteRole({ role: gone });
      await expect.poll(() => cache.has(gone)).toBe(false);
      const { message } = await post(wang, general, freshLink());
      expect(message?.content).toContain(said);
      expect(message?.content).not.toContain(gone);
    }
    await setSetting(scene.sandbox, 'post-roles', []);
  });

  test('a refusal of a private thread posts nothing', async () => {
    const { sandbox } = scene;
    const thread = sandbox.as(ada).startThread(general, 'secret', { private: true });
    const answer = await post(ada, thread.id, freshLink());
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toContain('private thread');
  });
});

describe('the same link again', () => {
  test('the same link again shows the first article, privately', async () => {
    const link = freshLink();
    const first = await post(ada, general, link, 'The first');
    await scene.eventually(() => scene.article(first.message?.id ?? ''), Boolean, 'committed');
    const before = await total();
    const again = await post(wang, scene.sandbox.channels.rust.id, `${link}?utm_medium=y#z`);
    expect(again.ephemeral).toBe(true);
    expect(again.message?.content).toContain(
      `https://discord.com/channels/${scene.sandbox.guildId}/${general}/${first.message?.id}`,
    );
    expect(again.message?.content).toContain(`**[The first](<${link}>)** · news.example`);
    expect(await total()).toBe(before);
  });

  test('the same link again posted by ten members at the same instant makes one article', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const before = await total();
    const answers = await Promise.all(sandbox.members.map((member) => post(member, general, link)));
    expect(answers.filter(({ ephemeral }) => !ephemeral)).toHaveLength(1);
    const others = answers.filter(({ ephemeral }) => ephemeral);
    for (const { message } of others) expect(message?.content).toMatch(/already|right now|投稿/);
    await expect.poll(total).toBe(before + 1);
  });

  test('the same link again is neither blocked by nor told of an article that the member may not see', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const hidden = await post(lin, sandbox.channels.moderators.id, link, 'Hidden');
    expect(hidden.ephemeral).toBe(false);
    const open = await post(ada, general, link, 'Open');
    expect(open).toMatchObject({ kind: 'message', ephemeral: false });
    await scene.eventually(() => scene.article(open.message?.id ?? ''), Boolean, 'committed');
    const again = await post(wang, general, link);
    expect(again.message?.content).toContain('**[Open](<');
  });

  test('the same link again is neither blocked by nor told of an article whose channel was age-restricted since', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const { id: channel } = sandbox.operator.createChannel({ name: 'growing-up' });
    await expect.poll(() => scene.bot.client.channels.cache.has(channel)).toBe(true);
    const first = await post(ada, channel, link, 'Grown-up');
    await scene.eventually(() => scene.article(first.message?.id ?? ''), Boolean, 'committed');
    sandbox.operator.restrictChannel({ channel, ageRestricted: true });
    const article = () => scene.article(first.message?.id ?? '');
    await scene.eventually(article, (found) => found?.listed === false, 'hidden');
    expect((await post(wang, channel, link)).message?.content).toContain('Grown-up');
    const open = await post(wang, general, link, 'Open');
    expect(open).toMatchObject({ kind: 'message', ephemeral: false });
    await scene.eventually(() => scene.article(open.message?.id ?? ''), Boolean, 'committed');
  });

  test('the same link again in a hidden channel is neither blocked by nor told of an article that was hidden since', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const { id: channel } = sandbox.operator.createChannel({ name: 'grown-up' });
    await expect.poll(() => scene.bot.client.channels.cache.has(channel)).toBe(true);
    const first = await post(ada, channel, link, 'Hidden since');
    await scene.eventually(() => scene.article(first.message?.id ?? ''), Boolean, 'committed');
    sandbox.operator.restrictChannel({ channel, ageRestricted: true });
    const article = () => scene.article(first.message?.id ?? '');
    await scene.eventually(article, (found) => found?.listed === false, 'hidden');
    const again = await post(lin, sandbox.channels.moderators.id, link);
    expect(again).toMatchObject({ kind: 'message', ephemeral: false });
  });

  test('the same link again is neither blocked by nor told of an open article whose channel one member may not view', async () => {
    const { operator, channels, guildId } = scene.sandbox;
    const channel = channels.rust.id;
    const link = freshLink();
    const first = await post(ada, channel, link, 'Not for her');
    await scene.eventually(() => scene.article(first.message?.id ?? ''), Boolean, 'committed');
    operator.setPermissions({ channel, who: wang, deny: ['ViewChannel'] });
    const { cache } = scene.bot.client.guilds;
    const member = await cache.get(guildId)!.members.fetch(wang);
    await expect.poll(() => mayView(member, channel)).toBe(false);
    const told = await post(lin, general, link);
    expect(told.message?.content).toContain(first.message?.id);
    const again = await post(wang, general, link);
    expect(again.message?.content).not.toContain('Not for her');
    expect(again.message?.content).not.toContain(first.message?.id);
    operator.setPermissions({ channel, who: wang });
  });

  test('the same link again can be posted after the days that the server chose, in a hidden channel too', async () => {
    const { moderators } = scene.sandbox.channels;
    await setSetting(scene.sandbox, 'repost-days', '3');
    const link = freshLink();
    const open = await post(ada, general, link);
    await scene.eventually(() => scene.article(open.message?.id ?? ''), Boolean, 'committed');
    scene.clock.move(3 * DAY_MS - MINUTE_MS);
    for (const channel of [general, moderators.id]) {
      expect((await post(lin, channel, link)).message?.content).toContain(open.message?.id);
    }
    scene.clock.move(MINUTE_MS);
    for (const channel of [moderators.id, general]) {
      expect(await post(lin, channel, link)).toMatchObject({ ephemeral: false });
    }
    await setSetting(scene.sandbox, 'repost-days', null);
  });

  test('the same link again in a hidden channel shows the open article', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const open = await post(ada, general, link);
    await scene.eventually(() => scene.article(open.message?.id ?? ''), Boolean, 'committed');
    const again = await post(lin, sandbox.channels.moderators.id, link);
    expect(again.ephemeral).toBe(true);
    expect(again.message?.content).toContain(open.message?.id);
  });

  test('the same link again can be posted once the first article is deleted', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const first = await post(ada, general, link);
    const id = first.message?.id ?? '';
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    sandbox.as(lin).delete(general, id);
    await scene.eventually(
      () => scene.article(id),
      (article) => article === null,
      'removed',
    );
    expect(await post(ada, general, link)).toMatchObject({ ephemeral: false });
  });
});

function reserve(link: string, by: string) {
  const { ranking, clock } = scene.bot;
  return reserveLink(ranking, { guild: scene.sandbox.guildId, linkName: link, by }, clock.now());
}

describe('a reservation', () => {
  test('a reservation of another posting under way answers that it is being posted', async () => {
    const link = freshLink();
    await reserve(link, scene.sandbox.world.snowflake());
    const answer = await post(ada, general, link);
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toContain('right now');
  });

  test('a reservation that expired without a message is taken over', async () => {
    const link = freshLink();
    await reserve(link, scene.sandbox.world.snowflake());
    scene.clock.move(61_000);
    expect(await post(ada, general, link)).toMatchObject({ ephemeral: false });
  });

  test('a reservation that expired with a message makes that message the article', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const first = await post(ada, general, link, 'Survivor');
    const id = first.message?.id ?? '';
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
    // As if the bot had died between the message and its commit.
    await deleteArticle(scene.bot.ranking, sandbox.guildId, id);
    const posted = sandbox
      .as(ada)
      .messages(general)
      .find((message) => message.id === id);
    await reserve(link, posted?.interaction_metadata?.id ?? '');
    scene.clock.move(61_000);
    const again = await post(wang, general, link);
    expect(again.ephemeral).toBe(true);
    expect(again.message?.content).toContain(id);
    expect(await scene.article(id)).toMatchObject({ title: 'Survivor', poster: ada, up: 1 });
  });
});

describe('a message that Discord does not confirm', () => {
  test('a message that Discord made but did not confirm is found, and becomes the article', async () => {
    const { sandbox } = scene;
    const link = freshLink();
    const stop = sandbox.faults.add({
      route: /\/callback/,
      status: 502,
      afterTheWork: true,
      times: 1,
    });
    await post(ada, general, link, 'Sent all the same');
    stop();
    await scene.eventually(total, (count) => count > 0, 'committed');
    const messages = sandbox.as(ada).messages(general);
    const sent = messages.filter(({ content }) => content.includes(`](${link})`));
    expect(sent).toHaveLength(1);
    const id = sent[0]?.id ?? '';
    await scene.eventually(() => scene.article(id), Boolean, 'committed');
  });
});

test('a posting whose commit is not confirmed counts toward the limit of its poster, and is taken in', async () => {
  const { bot } = scene;
  const { guildId: guild, world } = scene.sandbox;
  const { client, memberLimits } = bot;
  const found = client.guilds.cache.get(guild)!;
  const [poster = ''] = scene.crowd(1);
  let sent = '';
  const takenIn: string[] = [];
  const needs = {
    ...bot,
    // As ioredis says it.
    listing: { ...bot.listing, write: () => Promise.reject(new Error('Command timed out')) },
    takeInSoon: (of: string) => void takenIn.push(of),
  };
  const link = freshLink();
  const outcome = await postLink(needs, {
    by: world.snowflake(),
    poster: await found.members.fetch(poster),
    home: found.channels.cache.get(general) as never,
    channel: general,
    link: { href: link, canonical: link },
    title: 'Not confirmed',
    sendArticleMessage: async (content) => {
      const body = { content, allowed_mentions: { parse: [] } };
      sent = ((await client.rest.post(Routes.channelMessages(general), { body })) as { id: string })
        .id;
      return sent;
    },
  });
  expect(outcome).toEqual({ status: 'unconfirmed' });
  expect(memberLimits.count('post', guild, poster, 1)).toBeGreaterThan(0);
  expect(takenIn).toEqual([guild]);
  await bot.takeIn(found);
  expect(await scene.article(sent)).toMatchObject({ link, poster });
});

const saidByDiscord = (status: number, code: number) =>
  new DiscordAPIError({ code, message: '' }, code, status, 'POST', '', {});

test.each<[string, Error, boolean, boolean]>([
  ['Discord says nothing', new Error('socket hang up'), true, false],
  ['Discord has forgotten the interaction', saidByDiscord(404, 10_062), true, true],
  ['Discord refuses the message', saidByDiscord(403, 50_013), false, true],
  ['another process answers', new AnsweredElsewhere(), false, true],
])(
  'where %s, a message that may be there is looked for, and else the link is free again',
  async (_, error, isLookedFor, isFree) => {
    const { bot } = scene;
    const { guildId: guild, world } = scene.sandbox;
    const found = bot.client.guilds.cache.get(guild)!;
    const takenIn: string[] = [];
    const needs = { ...bot, takeInSoon: (of: string) => void takenIn.push(of) };
    const link = freshLink();
    const posted = postLink(needs, {
      by: world.snowflake(),
      poster: await found.members.fetch(wang),
      home: found.channels.cache.get(general) as never,
      channel: general,
      link: { href: link, canonical: link },
      title: 'Not sent',
      sendArticleMessage: () => Promise.reject(error),
    });
    expect(await posted.catch((thrown: unknown) => thrown)).toEqual(
      isFree ? error : { status: 'unsent' },
    );
    expect(takenIn).toEqual(isLookedFor ? [guild] : []);
    const again = await reserve(link, world.snowflake());
    expect(again.status).toBe(isFree ? 'reserved' : 'posting');
  },
);

test('a link is posted only once the messages are taken in of which Redis may have lost the articles', async () => {
  const { bot } = scene;
  const { guildId: guild, world } = scene.sandbox;
  const found = bot.client.guilds.cache.get(guild)!;
  const link = freshLink();
  const lost = world.snowflake();
  let isSent = false;
  const takenIn = async () => {
    const article = { guild, id: lost, title: 'Lost', link, linkName: link, poster: ada };
    await postArticle(bot.ranking, { ...article, home: general, listed: true });
  };
  const outcome = await postLink(
    { ...bot, takenIn },
    {
      by: world.snowflake(),
      poster: await found.members.fetch(wang),
      home: found.channels.cache.get(general) as never,
      channel: general,
      link: { href: link, canonical: link },
      title: 'Again',
      sendArticleMessage: async () => {
        isSent = true;
        return world.snowflake();
      },
    },
  );
  expect(outcome).toMatchObject({ status: 'duplicate', article: { id: lost } });
  expect(isSent).toBe(false);
});

test.each(['a channel', 'a thread'])(
  'a posting in %s so slow that it lost its reservation deletes its message, and the other article counts',
  async (where) => {
    const { sandbox, bot } = scene;
    const isThread = where === 'a thread';
    const at = isThread ? sandbox.as(ada).startThread(general, 'Aside').id : general;
    await expect.poll(() => bot.client.channels.cache.has(at)).toBe(true);
    const { guildId: guild } = sandbox;
    const { id: home } = sandbox.channels.rust;
    const link = freshLink();
    const { client, ranking, clock } = bot;
    const found = client.guilds.cache.get(guild)!;
    const by = sandbox.world.snowflake();
    const first = sandbox.world.snowflake();
    let message = '';
    const outcome = await postLink(bot, {
      by,
      poster: await found.members.fetch(wang),
      home: found.channels.cache.get(general) as never,
      channel: at,
      link: { href: link, canonical: link },
      title: 'Slow',
      sendArticleMessage: async (content) => {
        // Another process takes the reservation over and commits its own article.
        const other = { guild, linkName: link, by: first };
        const later = clock.now() + 61_000;
        expect(await reserveLink(ranking, { ...other, from: by }, later)).toMatchObject({
          status: 'reserved',
        });
        const article = { guild, id: first, title: 'First', link, linkName: link, poster: ada };
        await postArticle(ranking, { ...article, home, listed: true });
        const sent = await client.rest.post(Routes.channelMessages(at), { body: { content } });
        message = (sent as { id: string }).id;
        return message;
      },
    });
    expect(outcome).toMatchObject({ status: 'duplicate', article: { id: first } });
    expect(message).not.toBe('');
    expect(sandbox.world.channels.get(at)?.messages.has(message)).toBe(false);
    expect(await scene.article(message)).toBeNull();
  },
);
