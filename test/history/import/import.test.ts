import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type APIMessage, Routes } from 'discord.js';
import { groupOf } from '../../../src/discord/access/visibility.ts';
import { importMessage } from '../../../src/history/import/import-message.ts';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { LINK_RULES_VERSION } from '../../../src/ranking/links/canonical.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { setResult } from '../../../src/ranking/articles/closing.ts';
import { moveArticle } from '../../../src/ranking/articles/edit.ts';
import { removeArticle } from '../../../src/ranking/articles/removed.ts';
import { importVotesKind } from '../../../src/history/import/run-import.ts';
import { setPhase, wantVotes } from '../../../src/history/import/stored-imports.ts';
import type { Held } from '../../../src/due/kind.ts';
import { writeSetting } from '../../../src/community/settings.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { snowflakeTimeMs } from '../../../src/runtime/snowflake.ts';
import { type ImportScene, startImportScene } from './import-scene.ts';
import { startScene } from '../../fixtures/scene.ts';
import { translate } from '../../../src/text/catalogue.ts';

/** The line of a report about one message that was left out. */
const leftOut = (fate: 'known' | 'duplicate' | 'bot' | 'linkless' | 'refused' | 'removed') =>
  `- ${translate('en', `import.fate.${fate}`, { count: 1 })}`;
const [noneWasNew = ''] = translate('en', 'import.finished', { articles: 0, messages: 0 }).split(
  '\n',
);

let history: ImportScene;
let general: string;
let rust: string;
let grace: string;
let linus: string;
let ada: string;
let articles: (order?: string) => Promise<string[]>;

beforeAll(async () => {
  history = await startImportScene();
  const { sandbox } = history;
  general = sandbox.channels.general.id;
  rust = sandbox.channels.rust.id;
  [grace = '', linus = '', ada = ''] = sandbox.members;
  articles = async () => {
    const { redis, applicationId } = history.bot.ranking;
    const tag = `frontpage:${applicationId}:{${sandbox.guildId}}:`;
    return (await redis.zrange(`${tag}time`, '0', '-1')).sort();
  };
});
afterAll(() => history.stop());
/** Nothing was ever posted, imported or set. */
beforeEach(async () => {
  const { bot, sandbox, redis } = history;
  await bot.due.look();
  const { complete } = storeKeys(bot.store, sandbox.guildId);
  const { linkRules } = guildKeys(bot.store, sandbox.guildId);
  await redis.redis.flushall();
  await redis.redis.mset({ [complete]: history.clock.now(), [linkRules]: LINK_RULES_VERSION });
  await bot.rules.reload(sandbox.guildId);
  for (const channel of sandbox.world.channels.values()) {
    if (channel.guildId !== sandbox.guildId) continue;
    if (channel.thread) sandbox.world.channels.delete(channel.id);
    channel.messages.clear();
  }
});

test('what was posted in the last week is read before archived threads are looked for, and old threads last', async () => {
  const { sandbox, clock } = history;
  const posted = (channel: string, name: string, daysAgo: number) => {
    const said = { content: `https://${name}.example/`, daysAgo, by: grace, up: [linus] };
    return history.say(channel, said);
  };
  /** A thread whose last message is a link, archived a day later. */
  const archived = (name: string, daysAgo: number) => {
    const { id } = sandbox.as(sandbox.admin).startThread(rust, name);
    const link = posted(id, name, daysAgo);
    sandbox.as(sandbox.admin).archive(id, true);
    const { thread } = sandbox.world.channels.get(id)!;
    thread!.archiveChangedAtMs = clock.now() - (daysAgo - 1) * DAY_MS;
    return { id, link };
  };
  const old = archived('old', 100);
  const late = archived('late', 5);
  // Discord's own notices of them would name them, where a busy machine makes them part of the range.
  sandbox.channels.rust.messages.clear();
  const links = [posted(rust, 'new', 1), posted(rust, 'older', 200), old.link, late.link];
  await history.settled();
  sandbox.requests.reset();
  await history.importAll(rust);
  await history.counted();
  expect(await articles()).toEqual(links.sort());
  const asked = sandbox.requests.recent.filter(({ method }) => method === 'GET');
  const first = (route: RegExp, channel: string) =>
    asked.findIndex((one) => route.test(one.route) && one.channelId === channel);
  const order = [
    first(/messages$/, rust),
    first(/threads.archived/, rust),
    first(/messages$/, late.id),
    first(/messages$/, old.id),
  ];
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((a, b) => a - b));
});

test('an article whose process died before its lists were to be read has them read by the next one', async () => {
  const both = { up: [linus], down: [linus, ada] };
  const id = history.say(rust, { content: 'https://news.example/left', by: grace, ...both });
  await history.importAll(rust);
  await history.counted();
  expect(await history.tally(id)).toEqual([1, 1]);
  const { bot } = history;
  const guild = bot.client.guilds.cache.get(history.sandbox.guildId)!;
  // The article is there with the counts of its message, and nothing else of it was done.
  await setResult(bot.ranking, { guild: guild.id, article: id, up: 2, down: 2 });
  const message = (await bot.client.rest.get(Routes.channelMessage(rust, id))) as APIMessage;
  const needs = { ...bot, isComplete: () => Promise.resolve(true) };
  const group = groupOf(guild.channels.cache.get(rust)!)!;
  const watch = bot.seen.watch(id);
  expect(await importMessage(needs, group, message, watch)).toBe('linked');
  watch.end();
  expect(await history.waiting()).toBe(1);
  await bot.due.arrive(guild.id);
  await history.counted();
  expect(await history.tally(id)).toEqual([1, 1]);
  // A page that is read once more says what has become of an article since.
  await removeArticle(bot.ranking, guild.id, id, bot.clock.now());
  expect(await importMessage(needs, group, message, bot.seen.watch(id))).toBe('removed');
  expect(await history.waiting()).toBe(0);
});

// Withstands (Processes that die): It dies after an import has read its last list, or Discord then does not answer
// → whoever goes on shows what that list changed
test('a report shows what the last list changed, also where the try that read it failed after that', async () => {
  const { bot } = history;
  const { guildId, faults, requests } = history.sandbox;
  const id = history.say(rust, { content: 'https://news.example/a', by: grace, up: [linus] });
  await history.importAll(rust);
  await history.counted();
  expect(history.told().list).toContain('▲ 2');
  history.secretly(() => history.react(ada, id, '👍'));
  const end = faults.add({ method: 'PATCH', route: /messages/, status: 503 });
  requests.reset();
  await wantVotes(bot.store, guildId, id, 1);
  await bot.due.plan(guildId, 'import-votes', 0);
  const edits = () => requests.count('PATCH', /messages/);
  await history.eventually(edits, (count) => count > 0, 'tried');
  await bot.due.look();
  expect([await history.waiting(), history.told().list]).toEqual([
    0,
    expect.stringContaining('▲ 2'),
  ]);
  end();
  history.clock.move(MINUTE_MS);
  await bot.due.look();
  expect(history.told().list).toContain('▲ 3');
  // Nor does one that was stopped wait for votes for ever.
  await setPhase(bot.store, guildId, ['finished'], 'stopped');
  history.secretly(() => history.unreact(ada, id, '👍'));
  await wantVotes(bot.store, guildId, id, 1);
  await bot.due.plan(guildId, 'import-votes', 0);
  await bot.due.look();
  expect(history.told().list).toContain('▲ 2');
});

test('an import that is undone while its corrected report is on its way is shown as undone in the end', async () => {
  const { bot } = history;
  const { guildId } = history.sandbox;
  history.say(rust, { content: 'https://news.example/undone', by: grace, up: [linus] });
  await history.importAll(rust);
  await history.counted();
  // The report is written in the language of the server, which is asked for when it is decided what it says.
  const rules: typeof bot.rules = {
    ...bot.rules,
    async read(guild) {
      await setPhase(bot.store, guild, ['finished'], 'undone');
      return bot.rules.read(guild);
    },
  };
  const kind = importVotesKind({ ...bot, rules, isComplete: () => Promise.resolve(true) });
  const notes = new Map([['corrected', '1']]);
  const { signal } = new AbortController();
  await kind.run({
    guild: guildId,
    notes,
    signal,
    write: () => Promise.resolve(),
  } as unknown as Held);
  expect(history.told()).toMatchObject({ content: translate('en', 'import.undone'), buttons: [] });
});

describe('an import', () => {
  test('an import asks before it begins, and changes nothing when it is left', async () => {
    history.say(rust, { content: 'https://news.example/one' });
    const answer = await history.ask(rust);
    expect(answer.ephemeral).toBe(true);
    expect(history.shown(answer).content).toContain('Begin with the links that are already here');
    await history.press(answer, 'leave');
    const { content, buttons } = history.shown(answer);
    expect(content).toMatch(/^Nothing was changed/);
    expect(buttons).toEqual([]);
    expect(await articles()).toEqual([]);
  });

  test.each<[string, (channel: string) => RegExp]>([
    ['messages are read', (channel) => new RegExp(`${channel}/messages$`)],
    ['links are counted', () => /messages\/search$/],
  ])('an import that was left while %s is not asked about again by that', async (_, path) => {
    history.say(rust, { content: 'https://news.example/one' });
    // What is older is not read: the preview ends with its first page.
    history.say(rust, { content: 'https://old.example/one', daysAgo: 400 });
    const { faults, requests } = history.sandbox;
    // They were counted before.
    const known = vi.spyOn(history.bot.imports.counts, 'known').mockReturnValueOnce(null);
    const page = faults.hold({ method: 'GET', path: path(rust) });
    const answer = await history.ask(rust, { after: '100d' });
    await history.eventually(() => page.isHeld(), Boolean, 'looking');
    await history.press(answer, 'leave');
    page.letGo();
    known.mockRestore();
    // Another import, for which nobody asked here, takes longer than the preview.
    const { bot, sandbox, clock } = history;
    const untilMs = clock.now();
    const plan = { channels: [rust], fromMs: untilMs - 90 * DAY_MS, untilMs };
    const by = sandbox.admin;
    const guild = bot.client.guilds.cache.get(sandbox.guildId)!;
    const begin = () => bot.imports.begin(guild, { plan, by, channel: rust });
    await expect.poll(begin).toEqual({ status: 'begun' });
    await history.phase('finished');
    await bot.due.look();
    await history.eventually(() => requests.isIdle(), Boolean, 'idle');
    expect(history.shown(answer)).toEqual({
      content: translate('en', 'import.left-alone'),
      buttons: [],
    });
  });

  test('an import that was begun before its preview was there is not asked about again by that', async () => {
    history.say(rust, { content: 'https://news.example/one' });
    // What is older is not read: the preview ends with its first page.
    history.say(rust, { content: 'https://old.example/one', daysAgo: 400 });
    const { faults, requests } = history.sandbox;
    const page = faults.hold({ method: 'GET', path: new RegExp(`${rust}/messages$`) });
    const answer = await history.ask(rust);
    await history.eventually(() => page.isHeld(), Boolean, 'looking');
    await history.press(answer, 'begin');
    page.letGo();
    await history.phase('finished');
    await history.bot.due.look();
    await history.eventually(() => requests.isIdle(), Boolean, 'idle');
    const begun = translate('en', 'import.begun', { channel: `<#${general}>` });
    expect(history.shown(answer)).toEqual({ content: begun, buttons: [] });
  });

  test('an import tells what it left out, and why', async () => {
    const { sandbox } = history;
    const robot = sandbox.world.application.botId;
    history.say(rust, { content: 'Read https://news.example/one', up: [linus] });
    history.say(rust, { content: 'again: http://www.news.example/one/', daysAgo: 20 });
    history.say(rust, {
      content: 'https://news.example/two and https://news.example/second',
      daysAgo: 19,
    });
    history.say(rust, { content: 'https://news.example/known', daysAgo: 19 });
    history.say(rust, { content: 'https://news.example/young', daysAgo: 6 });
    history.say(rust, { content: 'Good morning' });
    history.say(rust, { content: 'http://192.168.0.1/router' });
    history.say(rust, { content: 'https://news.example/robot', by: robot });
    await history.posted(general, 'https://news.example/known', 2);
    const report = await history.importAll(rust);
    expect(report.split('\n').slice(0, -2)).toEqual([
      ...translate('en', 'import.finished', { articles: 3, messages: 8 }).split('\n'),
      translate('en', 'import.skipped'),
      `- ${translate('en', 'import.again', { count: 1 })}`,
      ...(['duplicate', 'bot', 'linkless', 'refused'] as const).map(leftOut),
      translate('en', 'import.further', { count: 1 }),
    ]);
    expect(history.told().list).toMatch(/^\*\*1\.\*\* \S*news\.example\/one/);
    expect(await articles()).toHaveLength(4);
  });

  test('an import begins once where two admins begin one at the same moment, and none loses its plan', async () => {
    const ids = [rust, general].map((channel) =>
      history.say(channel, { content: `https://${channel}.example/one` }),
    );
    const asked = [await history.ask(rust), await history.ask(general)];
    const pressed = await Promise.all(asked.map((answer) => history.press(answer, 'begin')));
    const refused = pressed.findIndex(({ message }) =>
      message?.content.includes('already running'),
    );
    expect(pressed.filter(({ kind }) => kind === 'update')).toHaveLength(1);
    await history.eventually(
      () => history.told(),
      ({ buttons }) => buttons.includes('frontpage|import|undo'),
      'the report',
    );
    expect(await articles()).toEqual([ids[1 - refused]]);
  });

  test('an import reads only between two days where they are given', async () => {
    const [, middle] = [50, 30, 10].map((daysAgo) =>
      history.say(rust, { content: `https://news.example/${daysAgo}`, daysAgo }),
    );
    const report = await history.importAll(rust, { after: '40d', before: '20d' });
    expect(report).toContain('From 1 message.');
    expect(await articles()).toEqual([middle]);
    const empty = await history.ask(rust, { after: '20d', before: '40d' });
    expect(history.shown(empty).content).toContain('There’s nothing between these days');
    const garbled = await history.ask(rust, { after: 'soon' });
    expect(history.shown(garbled).content).toContain('`soon`');
  });

  test('an import makes closed articles of messages, with the votes of members at their time', async () => {
    const { sandbox } = history;
    const robot = sandbox.world.application.botId;
    const id = history.say(rust, {
      content: 'A title for this: <https://news.example/story?utm_source=x>',
      by: grace,
      up: [grace, robot, linus, ada],
      down: [grace, sandbox.moderator, ada],
    });
    const report = await history.importAll(rust);
    expect(report).toContain('From 1 message.');
    await history.counted();
    const article = await history.article(id);
    expect(article).toMatchObject({
      id,
      title: 'news.example/story',
      link: 'https://news.example/story?utm_source=x',
      poster: grace,
      home: rust,
      channel: rust,
      groups: [rust],
      postedAtMs: snowflakeTimeMs(id),
      // Linus, and the poster; Ada shows both, which counts as none.
      up: 2,
      down: 1,
      closed: true,
      listed: true,
    });
    const again = await sandbox
      .as(linus)
      .command(general, 'post', { link: 'https://news.example/story' });
    expect(again.message?.content).toContain(id);
  });

  test('an import reports its best only with the votes of members, however slowly Discord says who they are', async () => {
    const { sandbox } = history;
    const robot = sandbox.world.application.botId;
    const up = [grace, robot, linus];
    history.say(rust, { content: 'https://news.example/best', by: grace, up });
    const end = sandbox.faults.add({ method: 'GET', route: /reactions/, lagMs: 500 });
    await history.importAll(rust);
    expect(history.told().list).toContain('▲ 2');
    end();
    await history.counted();
  });

  test('an import takes in threads and forum posts, and pages of messages', async () => {
    const { sandbox } = history;
    const post = sandbox.as(grace).post(sandbox.channels.forum.id, 'Mine', 'Hello');
    const said = history.say(post.id, { content: 'https://news.example/in-a-post' });
    await history.importAll(sandbox.channels.forum.id);
    expect(await history.article(said)).toMatchObject({
      home: sandbox.channels.forum.id,
      channel: post.id,
    });
    const ids = Array.from({ length: 130 }, (_, n) =>
      history.say(rust, { content: `https://many.example/${n}`, daysAgo: 300 - n }),
    );
    const report = await history.importAll(rust);
    expect(report).toContain('**130 links');
    expect(report).toContain('From 130 messages.');
    expect(await articles()).toEqual([said, ...ids].sort());
  });

  test('an import done again changes nothing, and brings back nothing that was removed', async () => {
    const { sandbox } = history;
    const kept = history.say(rust, { content: 'https://news.example/kept', up: [linus] });
    const removed = history.say(rust, { content: 'https://news.example/removed' });
    await history.importAll(rust);
    await history.counted();
    const answer = await history.moderate(sandbox.admin, 'remove', removed);
    expect(answer.message?.content).toContain('the message belongs to a member');
    const before = await history.article(kept);
    const report = await history.importAll(rust);
    expect(report).toContain(noneWasNew);
    expect(report).toContain(leftOut('known'));
    expect(report).toContain(leftOut('removed'));
    expect(await history.article(kept)).toEqual(before);
    expect(await articles()).toEqual([kept]);
  });

  test('an import leaves alone what Frontpage posted itself, and what was posted of it', async () => {
    const { sandbox } = history;
    const link = 'https://news.example/posted';
    const said = history.say(rust, { content: link, daysAgo: 40 });
    const posted = await sandbox.as(linus).command(rust, 'post', { link });
    const article = posted.message?.id ?? '';
    await history.eventually(articles, ({ length }) => length === 1, 'posted');
    const before = await history.article(article);
    // The range of an import is in whole seconds.
    history.clock.move(1000);
    const report = await history.importAll(rust);
    expect(report).toContain(leftOut('known'));
    expect(report).toContain(leftOut('duplicate'));
    expect(await history.article(said)).toBeNull();
    // The mark is fitted at once, and with it what a vote is worth.
    const score = expect.any(Number) as number;
    expect(await history.article(article)).toEqual({ ...before, score });
  });

  test('an import answers in the language of who asks', async () => {
    const { sandbox } = history;
    sandbox.as(sandbox.admin).speak('zh-CN');
    const answer = await history.ask(rust);
    sandbox.as(sandbox.admin).speak('en-US');
    expect(history.shown(answer).content).toContain('这里已有的链接');
  });

  test('an import of a channel that not everyone may see shows nothing elsewhere', async () => {
    const { sandbox } = history;
    const { moderators } = sandbox.channels;
    const link = 'https://news.example/secret';
    const twice = history.say(moderators.id, { content: link, daysAgo: 20 });
    await history.importAll(moderators.id);
    expect(await history.article(twice)).not.toBeNull();
    const hidden = history.say(moderators.id, { content: link, by: sandbox.moderator });
    await history.importAll(moderators.id);
    expect(await history.article(hidden)).toMatchObject({ listed: false, home: moderators.id });
    // There, too, the first message with a link counts.
    expect(await history.article(twice)).toBeNull();
    expect(await articles()).toEqual([]);
    const open = history.say(rust, { content: link, daysAgo: 20 });
    // This one was posted where everyone could see it, and its channel is private since.
    const since = 'https://news.example/since';
    const article = await history.posted(general, since, 40);
    const moved = { guild: sandbox.guildId, article, home: moderators.id, listed: false };
    await moveArticle(history.bot.ranking, moved);
    const again = history.say(rust, { content: since, daysAgo: 20 });
    await history.importAll(rust);
    expect(await articles()).toEqual([open, again].sort());
  });

  test('an import leaves out whom and what the guild blocks, and who opted out', async () => {
    const { sandbox } = history;
    history.say(rust, { content: 'https://bad.example/a' });
    history.say(rust, { content: 'https://news.example/blocked', by: linus });
    history.say(rust, { content: 'https://news.example/out', by: ada });
    const voted = history.say(rust, { content: 'https://news.example/v', by: grace, up: [ada] });
    const moderator = sandbox.as(sandbox.admin);
    await moderator.command(general, 'mod block', { site: 'bad.example' });
    await moderator.command(general, 'mod block', { member: linus });
    const page = await sandbox.as(ada).command(general, 'me data');
    await sandbox.as(ada).press(general, page.message?.id ?? '', 'me|out');
    await sandbox.as(ada).press(general, page.message?.id ?? '', 'me|leave');
    const report = await history.importAll(rust);
    expect(report).toContain('- 3 by blocked or opted-out members, or from blocked sites');
    await history.counted();
    expect(await history.article(voted)).toMatchObject({ up: 1 });
    expect(await articles()).toEqual([voted]);
  });
});

const wanted = () => history.sandbox.as(history.sandbox.admin);

describe('an import is refused', () => {
  test('an import is refused to those who may not manage the server, also by a forged button', async () => {
    history.say(rust, { content: 'https://news.example/one' });
    const answer = await history.ask(rust);
    const { sandbox } = history;
    const go = 'frontpage|import|begin';
    sandbox.guild.ownerId = grace;
    const refused = await wanted().press(general, answer.message?.id ?? '', go);
    sandbox.guild.ownerId = sandbox.admin;
    expect(refused.message?.content).toBe(translate('en', 'permission.manager'));
    expect(await articles()).toEqual([]);
  });

  test('where Frontpage lacks permissions, which are named before anything is read', async () => {
    const refuse = async (channel: string, permission: 'EmbedLinks' | 'ReadMessageHistory') => {
      const { operator } = history.sandbox;
      operator.setPermissions({ channel, who: 'bot', deny: [permission] });
      const answer = await history.eventually(
        () => wanted().command(general, 'frontpage import', { channel: rust }),
        ({ message }) => message?.content.includes(`<#${channel}>`) === true,
        'refused',
      );
      operator.setPermissions({ channel, who: 'bot' });
      return answer.message?.content;
    };
    expect(await refuse(rust, 'ReadMessageHistory')).toContain('Read Message History');
    // Its report stands in the channel of the command.
    expect(await refuse(general, 'EmbedLinks')).toContain('Embed Links');
  });
});

describe('without the switch for message content', () => {
  test('an import says what to set', async () => {
    const scene = await startScene();
    const { sandbox } = scene;
    const channel = sandbox.channels.general.id;
    const answer = await sandbox
      .as(sandbox.admin)
      .command(channel, 'frontpage import', { channel });
    expect(answer.ephemeral).toBe(true);
    expect(answer.message?.content).toContain('docs/hosting.md');
    await scene.stop();
  });
});

test('an import counts the emoji of the day beside 👍 and 👎, each member once', async () => {
  const { sandbox, bot } = history;
  const yes = `<:yes:${sandbox.operator.addEmoji({ name: 'yes' })}>`;
  await writeSetting(bot.store, sandbox.guildId, 'up-emoji', yes);
  await bot.rules.refresh(sandbox.guildId);
  const said = { content: 'A story https://signs.example/', by: grace, up: [linus], down: [ada] };
  const id = history.say(rust, said);
  history.secretly(() => {
    for (const one of [linus, sandbox.moderator]) history.react(one, id, yes);
    history.react(sandbox.moderator, id, '🎉');
  });
  await history.importAll(rust);
  await history.counted();
  expect(await history.tally(id)).toEqual([3, 1]);
});
