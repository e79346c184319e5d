import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NewMessage } from '../../discord-box/src/world/messages/change-message.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { removeArticle } from '../../src/ranking/articles/removed.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import type { Scene } from '../fixtures/scene.ts';
import { type Feed, startFeed } from './feed.ts';

let feed: Feed;
let scene: Scene;
let members: string[];
let general: string;

beforeAll(async () => {
  feed = await startFeed();
  ({ scene, members, general } = feed);
});
afterAll(() => scene.stop());

/** Counts requests from now on: what was asked of earlier messages has been answered. */
async function counting(): Promise<void> {
  await scene.settled();
  await scene.eventually(() => scene.sandbox.requests.isIdle(), Boolean, 'idle');
  scene.sandbox.requests.reset();
}

/** How many single messages the bot has read. */
const readMessages = () => scene.sandbox.requests.count('GET', /\/messages\/:message$/);

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
    const [other, tone, cleared] = [0, 1, 2].map(() => feed.pour(feed.fresh()));
    scene.react(first, other!, '👍');
    scene.react(second, other!, '🎉');
    operator.clearReactions({ channel: general, message: other!, emoji: '🎉' });
    scene.react(first, tone!, '👍🏽');
    scene.react(second, tone!, '👍');
    operator.clearReactions({ channel: general, message: tone!, emoji: '👍🏽' });
    scene.react(first, cleared!, '👍');
    operator.clearReactions({ channel: general, message: cleared!, emoji: '👍' });
    for (const source of [other, tone, cleared]) scene.react(third, source!, '👍');
    expect(await feed.articleOf(other!)).toMatchObject({ poster: first });
    expect(await feed.articleOf(tone!)).toMatchObject({ poster: second });
    await feed.looked();
    expect(feed.answersTo(cleared!)).toEqual([]);
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

  test('has as its votes whoever likes it later, at either place, until they take it back', async () => {
    const [, second = '', third = '', fourth = ''] = members;
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
    await feed.looked();
    await scene.expectTally(id, 3, 0);
    await scene.recount({ full: true });
    expect(await scene.tally(id)).toEqual([3, 0]);
    scene.react(second, id, '👎');
    await scene.expectTally(id, 2, 1);
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
    await feed.nominateIn(general, moderators.id);
    expect(await liked(feed.fresh(), undefined, moderators.id)).toBe(0);
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
    const { id } = await feed.articleOf(feed.answersTo(one).length > 0 ? one : two);
    scene.react(third, feed.answersTo(one).length > 0 ? two : one, '👍');
    await feed.looked();
    expect(await scene.tally(id)).toEqual([2, 0]);
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

  test('a message of more than a week ago, and one that was deleted', async () => {
    const [first = ''] = members;
    const [old, gone] = [feed.pour(feed.fresh()), feed.pour(feed.fresh())];
    scene.react(first, gone, '👍');
    scene.sandbox.as(scene.sandbox.admin).delete(general, gone);
    scene.clock.move(7 * DAY_MS);
    feed.like(old);
    await feed.looked();
    expect(feed.answersTo(old)).toEqual([]);
    expect(feed.answersTo(gone)).toEqual([]);
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
