import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { changeMember } from '../../discord-box/src/world/guilds/change-member.ts';
import type { NewMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { noteErased } from '../../src/community/erasures.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { readPreviews } from '../../src/ranking/articles/previews.ts';
import { readVoter } from '../../src/ranking/ballots/voters.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import type { Scene } from '../fixtures/scene.ts';
import { type Feed, inContent, startFeed } from './feed.ts';

let feed: Feed;
let scene: Scene;
let members: string[];
let general: string;
let ai: string;
let quiet: string;

beforeAll(async () => {
  feed = await startFeed();
  ({ scene, members, general } = feed);
  // In this one little is liked, so that a look at it is short.
  ai = scene.sandbox.channels.ai.id;
  quiet = scene.sandbox.operator.createChannel({ name: 'quiet' }).id;
  await feed.nominateIn(general, ai, quiet);
});
afterAll(() => scene.stop());

const sandbox = () => scene.sandbox;
const counting = (): Promise<void> => feed.counting();
const readMessages = (): number => feed.readMessages();
const look = (channel = ai): Promise<void> => feed.look(channel);

/** How many articles became of a message that two members like. */
async function liked(link: string, given?: Partial<NewMessage>, channel?: string): Promise<number> {
  const source = feed.pour(link, given, channel);
  feed.like(source);
  await feed.looked();
  return feed.answersTo(source).length;
}

describe('a link that two members like', () => {
  test('becomes an article that the first of them found, with the other’s 👍 as a vote', async () => {
    const [first = '', second = ''] = members;
    const link = feed.fresh();
    await counting();
    for (let n = 0; n < 20; n += 1) feed.pour(feed.fresh());
    const source = feed.pour(link);
    scene.react(second, source, '👍');
    scene.react(first, source, '👍');
    const article = await feed.articleOf(source);
    expect(article).toMatchObject({ link, poster: second, home: general, channel: general });
    expect(article.title).toBe(`On ${link.split('/').at(-1)}`);
    await scene.expectTally(article.id, 2, 0);
    expect(feed.answersTo(source)).toHaveLength(1);
    expect(feed.answersTo(source)[0]?.pings).toEqual({ userIds: [], roleIds: [], everyone: false });
    // One request reads it, and none those that nobody likes; the others post the article.
    expect(readMessages()).toBe(1);
    expect(scene.sandbox.requests.count('GET', /reactions|members/)).toBe(0);
  });

  test('stays a message while one member likes it, and while the other took that back', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = feed.pour(feed.fresh());
    scene.react(first, source, '👍');
    await counting();
    scene.unreact(first, source, '👍');
    scene.react(second, source, '👍');
    await feed.looked();
    // Of another message.
    expect(readMessages()).toBe(1);
    expect(feed.answersTo(source)).toEqual([]);
    scene.react(third, source, '👍🏽');
    const article = await feed.articleOf(source);
    expect(article.poster).toBe(second);
  });

  test('keeps its likes when a moderator clears another emoji, and loses those that are cleared', async () => {
    const [first = '', second = '', third = ''] = members;
    const { operator } = scene.sandbox;
    const [other, tone, cleared, none] = [0, 1, 2, 3].map(() => feed.pour(feed.fresh()));
    await counting();
    scene.react(first, other!, '👍');
    scene.react(second, other!, '🎉');
    operator.clearReactions({ channel: general, message: other!, emoji: '🎉' });
    scene.react(first, tone!, '👍🏽');
    scene.react(second, tone!, '👍');
    operator.clearReactions({ channel: general, message: tone!, emoji: '👍🏽' });
    scene.react(first, cleared!, '👍');
    operator.clearReactions({ channel: general, message: cleared!, emoji: '👍' });
    scene.react(first, none!, '👍');
    operator.clearReactions({ channel: general, message: none! });
    for (const source of [other, tone, cleared, none]) scene.react(third, source!, '👍');
    expect(await feed.articleOf(other!)).toMatchObject({ poster: first });
    expect(await feed.articleOf(tone!)).toMatchObject({ poster: second });
    await feed.looked();
    for (const source of [cleared, none]) expect(feed.answersTo(source!)).toEqual([]);
    // With that of another message. What nobody likes any more is not read.
    expect(readMessages()).toBe(3);
  });

  test('counts neither its author’s 👍, nor a bot’s, nor other emoji', async () => {
    const [author = '', first = '', second = ''] = members;
    const [bot = ''] = scene.crowd(1, true);
    const source = scene.sandbox.as(author).send(general, `Mine: ${feed.fresh()}`).id;
    scene.react(author, source, '👍');
    scene.react(bot, source, '👍');
    scene.react(second, source, '🎉');
    scene.react(second, source, '👎');
    scene.react(first, source, '👍');
    await feed.looked();
    expect(feed.answersTo(source)).toEqual([]);
    scene.react(second, source, '👍');
    const article = await feed.articleOf(source);
    expect(article.poster).toBe(first);
    await scene.expectTally(article.id, 2, 0);
    // The same holds for what is told of them now.
    scene.react(author, source, '👍🏽');
    scene.react(second, source, '👎🏽');
    await feed.looked();
    expect(await scene.tally(article.id)).toEqual([2, 0]);
    // What the recount reads is the same.
    await scene.recount({ full: true });
    expect(await scene.tally(article.id)).toEqual([2, 0]);
  });

  test('waits for a second member where one of two who like it wrote it, or is a bot', async () => {
    const [author = '', first = '', second = ''] = members;
    const [bot = ''] = scene.crowd(1, true);
    const own = scene.sandbox.as(author).send(general, `Mine: ${feed.fresh()}`).id;
    const other = feed.pour(feed.fresh());
    scene.react(author, own, '👍');
    scene.react(bot, other, '👍');
    for (const source of [own, other]) scene.react(first, source, '👍');
    await feed.looked();
    for (const source of [own, other]) expect(feed.answersTo(source)).toEqual([]);
    for (const source of [own, other]) scene.react(second, source, '👍');
    for (const source of [own, other]) {
      const { id, poster } = await feed.articleOf(source);
      expect(poster).toBe(first);
      await scene.expectTally(id, 2, 0);
    }
  });

  test('has as its votes whoever likes it later, at either place, until they take it back', async () => {
    const [, second = '', third = '', fourth = '', fifth = ''] = members;
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id } = await feed.articleOf(source);
    await scene.expectTally(id, 2, 0);
    scene.react(third, source, '👍');
    scene.react(fourth, id, '👍');
    scene.react(fourth, source, '👍');
    await scene.expectTally(id, 4, 0);
    scene.unreact(third, source, '👍');
    await scene.expectTally(id, 3, 0);
    scene.unreact(fourth, id, '👍');
    // Nobody heard that it is shown at the other place too.
    scene.secretly(() => scene.react(fifth, id, '👍'));
    scene.react(fifth, source, '👍');
    await scene.expectTally(id, 4, 0);
    scene.unreact(fifth, source, '👍');
    await feed.looked();
    await scene.expectTally(id, 4, 0);
    scene.unreact(fifth, id, '👍');
    await scene.expectTally(id, 3, 0);
    await scene.recount({ full: true });
    expect(await scene.tally(id)).toEqual([3, 0]);
    scene.react(second, id, '👎');
    await scene.expectTally(id, 2, 1);
  });

  test('loses the votes that a moderator clears there, one emoji or all, and keeps those under the article', async () => {
    const [, second = '', third = '', fourth = ''] = members;
    const { operator } = sandbox();
    const cleared = [{ emoji: '👍' }, {}];
    for (const more of cleared) {
      const source = feed.pour(feed.fresh());
      feed.like(source);
      const { id } = await feed.articleOf(source);
      scene.react(third, source, '👍');
      await scene.expectTally(id, 3, 0);
      scene.react(fourth, id, '👍');
      await scene.expectTally(id, 4, 0);
      operator.clearReactions({ channel: general, message: source, ...more });
      await scene.expectTally(id, 2, 0);
      expect(await readVoter(scene.bot.ranking, sandbox().guildId, id, second)).toBeNull();
    }
  });

  test('keeps the vote of who takes back the 👍 there, and whose 👍 under the article nobody heard', async () => {
    const [, , , , fifth = ''] = members;
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id } = await feed.articleOf(source);
    scene.secretly(() => scene.react(fifth, id, '👍'));
    scene.react(fifth, source, '👍');
    await scene.expectTally(id, 3, 0);
    scene.unreact(fifth, source, '👍');
    await feed.looked();
    await scene.expectTally(id, 3, 0);
  });

  test('keeps its votes where the list of who likes the message is empty, though Discord counts who does', async () => {
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id } = await feed.articleOf(source);
    await scene.expectTally(id, 2, 0);
    const path = new RegExp(`/messages/${source}/reactions`);
    const end = scene.sandbox.faults.add({ method: 'GET', path, reactorsAtMost: 0 });
    const report = await scene.recount({ articles: [id], full: true });
    end();
    expect(report).toMatchObject({ unread: [id], removed: 0 });
    expect(await scene.tally(id)).toEqual([2, 0]);
  });
});

describe('what stays a message', () => {
  test('a link of a blocked site, and one with a blocked word in its feed’s title', async () => {
    const { admin } = scene.sandbox;
    await scene.command(admin, 'mod block', { site: 'blocked.example' });
    await scene.command(admin, 'mod block', { words: 'casino' });
    expect(await liked('https://blocked.example/a')).toBe(0);
    const link = feed.fresh();
    expect(
      await liked(link, { embeds: [{ type: 'rich', title: 'Win at the casino', url: link }] }),
    ).toBe(0);
    expect(await liked(feed.fresh(), { content: 'Nothing here.', embeds: [] })).toBe(0);
  });

  test('a link in a channel that not everybody may view, or that is none of the chosen', async () => {
    const { moderators, rust } = scene.sandbox.channels;
    await feed.nominateIn(general, ai, quiet, moderators.id);
    expect(await liked(feed.fresh(), undefined, moderators.id)).toBe(0);
    // Nor by those who may view it.
    const seen = feed.pour(feed.fresh(), undefined, moderators.id);
    const { admin, moderator } = scene.sandbox;
    for (const who of [admin, moderator]) scene.react(who, seen, '👍');
    await feed.looked();
    expect(feed.answersTo(seen)).toEqual([]);
    expect(await liked(feed.fresh(), undefined, rust.id)).toBe(0);
  });

  test('a link that is an article already, by another message too', async () => {
    const [, , third = ''] = members;
    const link = feed.fresh();
    const [one, two] = [feed.pour(link), feed.pour(`${link}?utm_source=feed`)];
    for (const source of [one, two]) {
      feed.like(source);
    }
    await feed.looked();
    expect([...feed.answersTo(one), ...feed.answersTo(two)]).toHaveLength(1);
    const [has, hasNone] = feed.answersTo(one).length > 0 ? [one, two] : [two, one];
    const { id } = await feed.articleOf(has);
    scene.react(third, hasNone, '👍');
    await feed.looked();
    expect(await scene.tally(id)).toEqual([2, 0]);
    // The other may have one when its poster takes this one back.
    scene.clock.move(MINUTE_MS);
    await scene.bot.due.look();
    const { nominated } = storeKeys(scene.bot.store, sandbox().guildId);
    const noted = await scene.redis.redis.zmscore(nominated, has, hasNone);
    expect(noted).toEqual([expect.any(String), null]);
  });

  test('a link whose article a moderator removed, in another message too', async () => {
    const { bot, clock, sandbox } = scene;
    const [link, own] = [feed.fresh(), feed.fresh()];
    for (const each of [link, own]) {
      const source = feed.pour(each);
      feed.like(source);
      const { id } = await feed.articleOf(source);
      await removeArticle(bot.ranking, sandbox.guildId, id, clock.now(), each === own);
    }
    expect(await liked(`${link}?utm_source=feed`)).toBe(0);
    // Its poster alone did not want it.
    expect(await liked(`${own}?utm_source=feed`)).toBe(1);
  });

  test('a link whose article a moderator removed, as long as links may not be posted again', async () => {
    const { bot, clock } = scene;
    const setDays = async (days: number) => {
      await writeSetting(bot.store, sandbox().guildId, 'repost-days', days);
      await bot.rules.refresh(sandbox().guildId);
    };
    await setDays(3);
    const [young, old, shown] = [feed.fresh(), feed.fresh(), feed.fresh()];
    for (const [link, days] of [
      [young, 2],
      [old, 4],
      [shown, 4],
    ] as const) {
      const id = await scene.rank({ title: 'Old', link, atMs: clock.now() - days * DAY_MS });
      if (link !== shown) await removeArticle(bot.ranking, sandbox().guildId, id, clock.now());
    }
    const sources = [young, old, shown].map((link) => feed.pour(link));
    for (const source of sources) feed.like(source);
    await feed.looked();
    expect(sources.map((source) => feed.answersTo(source).length)).toEqual([0, 1, 1]);
    await setDays(0);
  });

  test('no link because of an article that not everybody may view, though a moderator removed that', async () => {
    const { bot, clock } = scene;
    const { guildId, channels } = sandbox();
    const link = feed.fresh();
    const id = await scene.rank({
      title: 'Secret',
      atMs: clock.now(),
      link,
      home: channels.moderators.id,
      listed: false,
    });
    await removeArticle(bot.ranking, guildId, id, clock.now());
    expect(await liked(link)).toBe(1);
  });

  test('a message of more than a week ago, and one that was deleted', async () => {
    const [first = ''] = members;
    const weekAgoMs = scene.clock.now() - 7 * DAY_MS;
    const [old = '', young = ''] = [weekAgoMs, weekAgoMs + MINUTE_MS].map((atMs) =>
      feed.pour('', { ...inContent(feed.fresh()), id: sandbox().world.snowflake(atMs) }),
    );
    const gone = feed.pour(feed.fresh());
    scene.react(first, gone, '👍');
    scene.sandbox.as(scene.sandbox.admin).delete(general, gone);
    for (const source of [old, young]) feed.like(source);
    await feed.looked();
    expect(feed.answersTo(old)).toEqual([]);
    expect(feed.answersTo(young)).toHaveLength(1);
    expect(feed.answersTo(gone)).toEqual([]);
  });

  test('a message whose author opted out, was blocked or erased their data', async () => {
    const { bot } = scene;
    const { guildId, admin } = sandbox();
    const [out = '', blocked = '', erased = '', fit = ''] = scene.crowd(4);
    const atMs = scene.clock.now() - 1000;
    const [ofOut, ofBlocked, ofErased, ofFit] = [out, blocked, erased, fit].map((authorId) =>
      feed.pour('', { ...inContent(feed.fresh()), authorId, id: sandbox().world.snowflake(atMs) }),
    );
    await setOptedOut(bot.store, guildId, out, true);
    await bot.rules.refresh(guildId, { member: out });
    await scene.command(admin, 'mod block', { member: blocked, what: 'post' });
    await noteErased(bot.store, guildId, erased, scene.clock.now());
    for (const source of [ofOut, ofBlocked, ofErased, ofFit]) feed.like(source!);
    await feed.looked();
    for (const source of [ofOut, ofBlocked, ofErased]) expect(feed.answersTo(source!)).toEqual([]);
    expect(feed.answersTo(ofFit!)).toHaveLength(1);
  });

  test('a message that only one member likes whose votes count', async () => {
    const [first = '', , third = '', fourth = ''] = members;
    const { bot, sandbox } = scene;
    await setOptedOut(bot.store, sandbox.guildId, third, true);
    await bot.rules.refresh(sandbox.guildId, { member: third });
    await scene.command(sandbox.admin, 'mod block', { member: fourth, what: 'vote' });
    const source = feed.pour(feed.fresh());
    for (const member of [first, third, fourth]) scene.react(member, source, '👍');
    await feed.looked();
    expect(feed.answersTo(source)).toEqual([]);
    await setOptedOut(bot.store, sandbox.guildId, third, false);
    await bot.rules.refresh(sandbox.guildId, { member: third });
  });
});

describe('who finds a link', () => {
  test('is found by the look at the last day when nobody heard it, in a thread too, and nobody counts twice or whose votes do not', async () => {
    const { bot } = scene;
    const { guildId, admin } = sandbox();
    const [author = '', second = '', third = '', blocked = ''] = members;
    const [erased = '', robot = ''] = [...scene.crowd(1), ...scene.crowd(1, true)];
    const thread = sandbox().as(admin).startThread(ai, 'Talk').id;
    const [plain, inThread] = [
      feed.pour(feed.fresh(), undefined, ai),
      feed.pour(feed.fresh(), undefined, thread),
    ];
    await scene.command(admin, 'mod block', { member: blocked, what: 'vote' });
    const one = sandbox().as(author).send(ai, `Mine: ${feed.fresh()}`).id;
    await noteErased(bot.store, guildId, erased, scene.clock.now() + 1000);
    scene.secretly(() => {
      for (const member of [author, blocked, erased, robot, second]) scene.react(member, one, '👍');
      scene.react(second, one, '👍🏽');
      for (const source of [plain, inThread]) feed.like(source);
    });
    await look();
    expect(feed.answersTo(one)).toEqual([]);
    expect(feed.answersTo(plain)).toHaveLength(1);
    expect(feed.answersTo(inThread)).toHaveLength(1);
    // What it says by the next 👍 counts.
    const link = feed.fresh();
    sandbox().as(author).edit(ai, one, `Mine: ${link}`);
    scene.react(third, one, '👍');
    const article = await feed.articleOf(one);
    expect(article).toMatchObject({ link, poster: second });
    await scene.expectTally(article.id, 2, 0);
  });

  test('is found by the look at the posts of a forum, which has no messages itself', async () => {
    const { channels, admin } = sandbox();
    const forum = channels.forum.id;
    const post = sandbox().as(admin).post(forum, 'Releases', 'What is new.').id;
    await feed.nominateIn(general, ai, quiet, forum);
    const source = feed.pour(feed.fresh(), undefined, post);
    scene.secretly(() => feed.like(source));
    await look(forum);
    expect(await feed.articleOf(source)).toMatchObject({ home: forum, channel: post });
    await feed.nominateIn(general, ai, quiet);
  });

  test('is found by the look though Redis lost that the message was to be read', async () => {
    const { bot } = scene;
    const source = feed.pour(feed.fresh(), undefined, ai);
    await counting();
    const plan = vi.spyOn(bot.store.redis, 'zadd');
    plan.mockRejectedValueOnce(new Error('Connection is closed.'));
    feed.like(source);
    await expect.poll(() => plan.mock.calls.length).toBe(1);
    expect(String(plan.mock.calls[0])).toContain(`nominate:${ai}/${source}`);
    plan.mockRestore();
    await look();
    expect(feed.answersTo(source)).toHaveLength(1);
  });

  test('counts as one of two unheard also after a third emoji was taken back', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = feed.pour(feed.fresh(), undefined, ai);
    scene.secretly(() => scene.react(first, source, '👍'));
    await look();
    scene.react(third, source, '🎉');
    scene.unreact(third, source, '🎉');
    scene.react(second, source, '👍');
    expect(await feed.articleOf(source)).toMatchObject({ poster: first });
  });

  test('is nobody without the role that votes need, though it was liked unheard', async () => {
    const { bot } = scene;
    const { guildId, operator } = sandbox();
    const [first = '', second = '', third = ''] = members;
    const role = operator.addRole({ name: 'Voters' });
    for (const member of [second, third]) operator.giveRole({ member, role });
    await writeSetting(bot.store, guildId, 'vote-roles', [role]);
    await bot.rules.refresh(guildId);
    const source = feed.pour(feed.fresh(), undefined, ai);
    scene.secretly(() => {
      for (const member of [first, second]) scene.react(member, source, '👍');
    });
    await bot.due.plan(guildId, `nominations:${ai}`, 0);
    await bot.due.look();
    await scene.settled();
    scene.react(third, source, '👍');
    const { id, poster } = await feed.articleOf(source);
    expect(poster).toBe(second);
    await scene.expectTally(id, 2, 0);
    // Nor where it was heard.
    const heard = feed.pour(feed.fresh(), undefined, quiet);
    for (const member of [first, second]) scene.react(member, heard, '👍');
    await scene.settled();
    scene.react(third, heard, '👍');
    const article = await feed.articleOf(heard);
    expect(article.poster).toBe(second);
    await scene.expectTally(article.id, 2, 0);
    await writeSetting(bot.store, guildId, 'vote-roles', []);
    await bot.rules.refresh(guildId);
  });

  test('is who liked it while the bot was not connected', async () => {
    const [first = '', second = ''] = members;
    // In this channel no like was missed.
    scene.react(first, feed.pour(feed.fresh(), undefined, quiet), '👍');
    await scene.settled();
    scene.clock.move(1000);
    const atMs = scene.clock.now();
    const given = { ...inContent(feed.fresh()), id: sandbox().world.snowflake(atMs) };
    const source = feed.pour('', given, quiet);
    scene.clock.move(1000);
    await scene.bot.due.look();
    scene.secretly(() => scene.react(first, source, '👍'));
    // As Discord begins a session.
    scene.bot.client.ws.emit('READY', {});
    scene.react(second, source, '👍');
    expect(await feed.articleOf(source)).toMatchObject({ poster: first });
  });

  test('is who liked it and still does, those first who did so unheard', async () => {
    const [first = '', second = '', third = ''] = members;
    const [unheard, changed] = [feed.pour(feed.fresh()), feed.pour(feed.fresh())];
    scene.secretly(() => scene.react(third, unheard, '👍'));
    scene.react(first, changed, '👍');
    scene.secretly(() => scene.unreact(first, changed, '👍'));
    for (const member of [first, second]) scene.react(member, unheard, '👍');
    for (const member of [second, third]) scene.react(member, changed, '👍');
    expect(await feed.articleOf(unheard)).toMatchObject({ poster: third });
    const { id, poster } = await feed.articleOf(changed);
    expect(poster).toBe(second);
    await scene.expectTally((await feed.articleOf(unheard)).id, 3, 0);
    await scene.expectTally(id, 2, 0);
  });

  test('is the next one where the first is timed out since they liked it', async () => {
    const [late = ''] = scene.crowd(1);
    const [second = ''] = members;
    const { world, guild } = sandbox();
    const source = feed.pour(feed.fresh());
    scene.react(late, source, '👍');
    await scene.settled();
    const untilMs = scene.clock.now() + DAY_MS;
    changeMember(world, guild, guild.members.get(late)!, { timedOutUntilMs: untilMs });
    scene.react(second, source, '👍');
    expect(await feed.articleOf(source)).toMatchObject({ poster: second });
  });

  test('is the next one where the first has left or may not post, and the vote of who may not post counts', async () => {
    const { operator, admin, guildId } = sandbox();
    const [gone = '', silent = '', robbed = ''] = scene.crowd(3);
    const [second = ''] = members;
    await scene.command(admin, 'mod block', { member: silent, what: 'post' });
    const [left, refused] = [feed.pour(feed.fresh()), feed.pour(feed.fresh())];
    for (const member of [gone, robbed]) scene.react(member, left, '👍');
    expect(await feed.articleOf(left)).toMatchObject({ poster: gone });
    const again = feed.pour(feed.fresh());
    scene.react(gone, again, '👍');
    await scene.settled();
    operator.removeMember({ guild: guildId, member: gone });
    scene.react(second, again, '👍');
    for (const member of [silent, second]) scene.react(member, refused, '👍');
    expect(await feed.articleOf(again)).toMatchObject({ poster: second });
    const { id, poster } = await feed.articleOf(refused);
    expect(poster).toBe(second);
    await scene.expectTally(id, 2, 0);
  });

  test('is the first who likes it also where members may read, but not write', async () => {
    const { operator, world } = sandbox();
    const [first = '', second = ''] = members;
    const news = operator.createChannel({ name: 'read-only' }).id;
    operator.setPermissions({ channel: news, who: 'bot', allow: ['SendMessages'] });
    operator.setPermissions({ channel: news, who: 'everyone', deny: ['SendMessages'] });
    const { cache } = scene.bot.client.channels;
    await expect
      .poll(() => JSON.stringify(cache.get(news)))
      .toContain(`"${world.guilds.get(sandbox().guildId)!.id}"`);
    await feed.nominateIn(general, ai, quiet, news);
    const source = feed.pour(feed.fresh(), undefined, news);
    for (const member of [first, second]) scene.react(member, source, '👍');
    expect(await feed.articleOf(source)).toMatchObject({ poster: first, home: news });
    await feed.nominateIn(general, ai, quiet);
  });

  test('is nobody who opted out, was blocked or erased their data since they liked it', async () => {
    const { bot } = scene;
    const { guildId, admin } = sandbox();
    const [out = '', blocked = '', erased = '', first = '', second = ''] = scene.crowd(5);
    const atMs = scene.clock.now() - 1000;
    const unfit = [out, blocked, erased].map((member) => ({
      member,
      source: feed.pour('', { ...inContent(feed.fresh()), id: sandbox().world.snowflake(atMs) }),
    }));
    for (const { member, source } of unfit) scene.react(member, source, '👍');
    await scene.settled();
    await setOptedOut(bot.store, guildId, out, true);
    await bot.rules.refresh(guildId, { member: out });
    await scene.command(admin, 'mod block', { member: blocked, what: 'vote' });
    await noteErased(bot.store, guildId, erased, scene.clock.now());
    for (const { source } of unfit) scene.react(first, source, '👍');
    await feed.looked();
    for (const { source } of unfit) expect(feed.answersTo(source)).toEqual([]);
    for (const { source } of unfit) scene.react(second, source, '👍');
    for (const { source } of unfit) {
      const { id, poster } = await feed.articleOf(source);
      expect(poster).toBe(first);
      await scene.expectTally(id, 2, 0);
    }
  });
});

/** A message with a preview of its link. */
const said = (url: string, content: string): Partial<NewMessage> => ({
  content,
  embeds: [{ type: 'rich', title: 'The end', description: 'All of them.', url }],
});

describe('a message whose link became an article', () => {
  test('takes the article with it when it is deleted, unless others voted; and while it is posted', async () => {
    const [, , third = ''] = members;
    const admin = sandbox().as(sandbox().admin);
    const earlierMs = scene.clock.now() - 11 * MINUTE_MS;
    const [gone = '', cleared = '', voted = '', unheard = ''] = [0, 1, 2, 3].map((n) =>
      feed.pour('', { ...inContent(feed.fresh()), id: sandbox().world.snowflake(earlierMs + n) }),
    );
    for (const source of [gone, cleared, voted, unheard]) feed.like(source);
    const [of, kept] = [await feed.articleOf(gone), await feed.articleOf(voted)];
    const [ofCleared, alsoKept] = [await feed.articleOf(cleared), await feed.articleOf(unheard)];
    scene.react(third, kept.id, '👍');
    for (const { id } of [of, ofCleared, alsoKept]) await scene.expectTally(id, 2, 0);
    await scene.expectTally(kept.id, 3, 0);
    scene.secretly(() => scene.react(third, alsoKept.id, '👍'));
    for (const source of [gone, voted, unheard]) admin.delete(general, source);
    sandbox().operator.deleteMessages({ channel: general, messages: [cleared] });
    // Discord has the message, and says so later.
    const end = sandbox().faults.add({ method: 'POST', route: /messages$/, lagMs: 100 });
    const early = feed.pour(feed.fresh());
    feed.like(early);
    await scene.eventually(() => feed.answersTo(early).length, Boolean, 'sent');
    admin.delete(general, early);
    await scene.eventually(
      () => feed.answersTo(early).length,
      (count) => count === 0,
      'withdrawn',
    );
    end();
    await feed.looked();
    expect(feed.answersTo(early)).toEqual([]);
    for (const { id } of [of, ofCleared]) expect(await scene.article(id)).toBeNull();
    for (const source of [gone, cleared]) expect(feed.answersTo(source)).toEqual([]);
    for (const { id } of [kept, alsoKept]) expect(await scene.tally(id)).toEqual([2, 0]);
  });

  test('has no other when its poster removed that, though another process is to read it again', async () => {
    const { bot, clock } = scene;
    const { guildId } = sandbox();
    const { nominated } = storeKeys(bot.store, guildId);
    await scene.redis.redis.zadd(nominated, clock.now() - 7 * DAY_MS, '1');
    const source = feed.pour(feed.fresh());
    feed.like(source);
    const { id } = await feed.articleOf(source);
    await feed.looked();
    // What is too old to be liked is forgotten, and all of it where nothing follows.
    expect(await scene.redis.redis.zscore(nominated, '1')).toBeNull();
    expect(await scene.redis.redis.pttl(nominated)).toBeGreaterThan(DAY_MS);
    await removeArticle(bot.ranking, guildId, id, clock.now(), true);
    await counting();
    await bot.due.plan(guildId, `nominate:${general}/${source}`, 0);
    await feed.looked();
    // Another message’s article alone is posted.
    expect(sandbox().requests.count('POST', /messages$/)).toBe(1);
    expect(feed.answersTo(source)).toHaveLength(1);
  });

  test('hides its article’s title and keeps no preview where the link is a spoiler', async () => {
    const { bot } = scene;
    const [link, open] = [feed.fresh(), feed.fresh()];
    const hidden = feed.pour(link, said(link, `||${link}||`));
    const shown = feed.pour(open, said(open, open));
    for (const source of [hidden, shown]) feed.like(source);
    const [one, two] = [await feed.articleOf(hidden), await feed.articleOf(shown)];
    expect([one.title, two.title]).toEqual(['||The end||', 'The end']);
    const previews = () => readPreviews(bot.ranking, sandbox().guildId, [one.id, two.id]);
    await scene.eventually(previews, ([, of]) => of?.description !== undefined, 'kept');
    await feed.looked();
    expect(await previews()).toEqual([{}, { description: 'All of them.' }]);
  });
});

describe('reading what members like', () => {
  test('is done once more where Discord’s answer lags behind what was told', async () => {
    const [, second = ''] = members;
    const source = feed.pour(feed.fresh());
    await counting();
    feed.like(source);
    // The answer is from before the second 👍.
    const up = scene.message(source).reactions.get('👍')!.normal;
    up.delete(second);
    await scene.eventually(readMessages, Boolean, 'read');
    up.add(second);
    await scene.expectTally((await feed.articleOf(source)).id, 2, 0);
  });

  test('is done once more where somebody liked the message meanwhile', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = feed.pour(feed.fresh());
    await counting();
    const path = new RegExp(`/messages/${source}$`);
    sandbox().faults.add({ method: 'GET', path, after: 1, lagMs: 100, times: 1 });
    scene.react(first, source, '👍');
    scene.secretly(() => scene.unreact(first, source, '👍'));
    scene.react(second, source, '👍');
    await scene.eventually(readMessages, Boolean, 'read once');
    await scene.eventually(
      () => sandbox().requests.isIdle(),
      (isIdle) => !isIdle,
      'read again',
    );
    scene.react(third, source, '👍');
    expect(await feed.articleOf(source)).toMatchObject({ poster: second });
  });

  test('is planned for later beyond a guild’s limit', async () => {
    const { bot, clock } = scene;
    const { guildId } = sandbox();
    const { due } = storeKeys(bot.store, guildId);
    const row = () => scene.redis.redis.zscore(due, `nominations:${ai}`).then(Number);
    const beyond = feed.pour(feed.fresh(), undefined, ai);
    while (bot.memberLimits.count('nominate', guildId, guildId) === 0);
    // Neither what is too old nor what is elsewhere is one of these.
    const { rust } = sandbox().channels;
    const id = sandbox().world.snowflake(clock.now() - 7 * DAY_MS);
    feed.like(feed.pour(feed.fresh(), undefined, rust.id));
    feed.like(feed.pour('', { ...inContent(feed.fresh()), id }, quiet));
    feed.like(beyond);
    const atMs = await scene.eventually(row, Boolean, 'planned');
    expect(atMs - clock.now()).toBeGreaterThan(50 * MINUTE_MS);
    expect(atMs - clock.now()).toBeLessThanOrEqual(60 * MINUTE_MS);
    for (const channel of [rust.id, quiet]) {
      expect(await scene.redis.redis.zscore(due, `nominations:${channel}`)).toBeNull();
    }
    expect(feed.answersTo(beyond)).toEqual([]);
    // The hour of the limit is the process's own.
    for (let n = 0; n < 100; n += 1) bot.memberLimits.uncount('nominate', guildId, guildId);
    await look();
    expect(feed.answersTo(beyond)).toHaveLength(1);
  });
});

test('a server’s own sign for up votes is a like, and one is enough where a manager wants one', async () => {
  const { bot, sandbox } = scene;
  const set = async (up: string | null, likes: number): Promise<void> => {
    await writeSetting(bot.store, sandbox.guildId, 'up-emoji', up);
    await writeSetting(bot.store, sandbox.guildId, 'nominations', likes);
    await bot.rules.refresh(sandbox.guildId);
  };
  await set('🔥', 1);
  const [first = '', second = ''] = members;
  const [none, one] = [feed.pour(feed.fresh()), feed.pour(feed.fresh())];
  scene.react(first, none, '🎉');
  scene.react(second, one, '🔥');
  expect(await feed.articleOf(one)).toMatchObject({ poster: second, up: 1 });
  expect(feed.answersTo(none)).toEqual([]);
  await set(null, 2);
});
