import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import type { Json } from '../../discord-box/src/index.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { writeSetting } from '../../src/community/settings.ts';
import { DAY_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

const privileged = { messageContent: true, guildMembers: false, presences: false };

let scene: Scene;
let members: string[];
let feed: string;
let general: string;
let links = 0;

beforeAll(async () => {
  scene = await startScene({ privileged, follows: true });
  ({ members } = scene.sandbox);
  general = scene.sandbox.channels.general.id;
  [feed = ''] = scene.crowd(1, true);
  await nominateIn(general);
});
afterAll(() => scene.stop());

async function nominateIn(...channels: string[]): Promise<void> {
  const { store, rules } = scene.bot;
  await writeSetting(store, scene.sandbox.guildId, 'nomination-channels', channels);
  await rules.refresh(scene.sandbox.guildId);
  // What was there before is looked at, and later likes are not mistaken for it.
  await scene.settled();
  scene.clock.move(5000);
  await scene.bot.due.look();
}

/** A link that no other test has. */
function fresh(): string {
  links += 1;
  return `https://feed.example/item-${links}`;
}

/** A feed bot's message: by default its link stands in its embed alone. */
function pour(link: string, given: { content?: string; embeds?: Json[]; channel?: string } = {}) {
  const {
    channel = general,
    content = '',
    embeds = [{ type: 'rich', title: `On ${link.split('/').at(-1)}`, url: link }],
  } = given;
  const { world } = scene.sandbox;
  return createMessage(world, world.channels.get(channel)!, { authorId: feed, content, embeds }).id;
}

function answersTo(source: string, channel = general) {
  return scene.sandbox
    .as(scene.sandbox.admin)
    .messages(channel, 500)
    .filter((message) => message.message_reference?.message_id === source);
}

async function articleOf(source: string, channel = general) {
  const answer = await scene.eventually(() => answersTo(source, channel)[0], Boolean, 'an article');
  return (await scene.eventually(() => scene.article(answer!.id), Boolean, 'committed'))!;
}

/** Resolves when what was liked before is looked at: what was liked after it is an article. */
async function looked(): Promise<void> {
  await scene.settled();
  const [fifth = '', sixth = ''] = members.slice(4);
  const twin = pour(fresh());
  scene.react(fifth, twin, '👍');
  scene.react(sixth, twin, '👍');
  await articleOf(twin);
  await scene.bot.due.look();
  await scene.settled();
}

/** How many single messages the bot has read. */
const readMessages = () => scene.sandbox.requests.count('GET', /\/messages\/:message$/);

describe('a link that two members like', () => {
  test('becomes an article that the first of them found, with the other’s 👍 as a vote', async () => {
    const [first = '', second = ''] = members;
    const link = fresh();
    const source = pour(link);
    scene.sandbox.requests.reset();
    scene.react(second, source, '👍');
    scene.react(first, source, '👍');
    const article = await articleOf(source);
    expect(article).toMatchObject({ link, poster: second, home: general, channel: general });
    expect(article.title).toBe(`On ${link.split('/').at(-1)}`);
    await scene.expectTally(article.id, 2, 0);
    expect(answersTo(source)).toHaveLength(1);
    expect(answersTo(source)[0]?.mentions).toEqual([]);
    // One request reads it; the others post the article.
    expect(readMessages()).toBe(1);
    expect(scene.sandbox.requests.count('GET')).toBe(1);
  });

  test('stays a message while one member likes it, and while the other took that back', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = pour(fresh());
    scene.react(first, source, '👍');
    scene.sandbox.requests.reset();
    scene.unreact(first, source, '👍');
    scene.react(second, source, '👍');
    await looked();
    // Of another message.
    expect(readMessages()).toBe(1);
    expect(answersTo(source)).toEqual([]);
    scene.react(third, source, '👍🏽');
    const article = await articleOf(source);
    expect(article.poster).toBe(second);
  });

  test('counts neither its author’s 👍, nor a bot’s, nor other emoji', async () => {
    const [author = '', first = '', second = ''] = members;
    const [bot = ''] = scene.crowd(1, true);
    const source = scene.sandbox.as(author).send(general, `Mine: ${fresh()}`).id;
    scene.react(author, source, '👍');
    scene.react(bot, source, '👍');
    scene.react(second, source, '🎉');
    scene.react(second, source, '👎');
    scene.react(first, source, '👍');
    await looked();
    expect(answersTo(source)).toEqual([]);
    scene.react(second, source, '👍');
    const article = await articleOf(source);
    expect(article.poster).toBe(first);
    await scene.expectTally(article.id, 2, 0);
    // What the recount reads is the same.
    await scene.recount({ full: true });
    expect(await scene.tally(article.id)).toEqual([2, 0]);
  });

  test('has as its votes whoever likes it later, at either place, until they take it back', async () => {
    const [first = '', second = '', third = '', fourth = ''] = members;
    const source = pour(fresh());
    scene.react(first, source, '👍');
    scene.react(second, source, '👍');
    const { id } = await articleOf(source);
    await scene.expectTally(id, 2, 0);
    scene.react(third, source, '👍');
    scene.react(fourth, id, '👍');
    scene.react(fourth, source, '👍');
    await scene.expectTally(id, 4, 0);
    scene.unreact(third, source, '👍');
    await scene.expectTally(id, 3, 0);
    scene.unreact(fourth, id, '👍');
    await looked();
    await scene.expectTally(id, 3, 0);
    await scene.recount({ full: true });
    expect(await scene.tally(id)).toEqual([3, 0]);
    scene.react(second, id, '👎');
    await scene.expectTally(id, 2, 1);
  });
});

/** How many articles became of a message that two members like. */
async function liked(link: string, given: Parameters<typeof pour>[1] = {}): Promise<number> {
  const [first = '', second = ''] = members;
  const source = pour(link, given);
  scene.react(first, source, '👍');
  scene.react(second, source, '👍');
  await looked();
  return answersTo(source, given.channel).length;
}

describe('what stays a message', () => {
  test('a link of a blocked site, and one with a blocked word in its feed’s title', async () => {
    const { admin } = scene.sandbox;
    await scene.command(admin, 'mod block', { site: 'blocked.example' });
    await scene.command(admin, 'mod block', { words: 'casino' });
    expect(await liked('https://blocked.example/a')).toBe(0);
    const link = fresh();
    expect(
      await liked(link, { embeds: [{ type: 'rich', title: 'Win at the casino', url: link }] }),
    ).toBe(0);
    expect(await liked(fresh(), { content: 'Nothing here.', embeds: [] })).toBe(0);
  });

  test('a link in a channel that not everybody may view, or that is none of the chosen', async () => {
    const { moderators, rust } = scene.sandbox.channels;
    await nominateIn(general, moderators.id);
    expect(await liked(fresh(), { channel: moderators.id })).toBe(0);
    expect(await liked(fresh(), { channel: rust.id })).toBe(0);
  });

  test('a link that is an article already, by another message too', async () => {
    const [first = '', second = '', third = ''] = members;
    const link = fresh();
    const [one, two] = [pour(link), pour(`${link}?utm_source=feed`)];
    for (const source of [one, two]) {
      scene.react(first, source, '👍');
      scene.react(second, source, '👍');
    }
    await looked();
    expect([...answersTo(one), ...answersTo(two)]).toHaveLength(1);
    const { id } = await articleOf(answersTo(one).length > 0 ? one : two);
    scene.react(third, answersTo(one).length > 0 ? two : one, '👍');
    await looked();
    expect(await scene.tally(id)).toEqual([2, 0]);
  });

  test('a message of more than a week ago, and one that was deleted', async () => {
    const [first = '', second = ''] = members;
    const [old, gone] = [pour(fresh()), pour(fresh())];
    scene.react(first, gone, '👍');
    scene.sandbox.as(scene.sandbox.admin).delete(general, gone);
    scene.clock.move(7 * DAY_MS);
    scene.react(first, old, '👍');
    scene.react(second, old, '👍');
    await looked();
    expect(answersTo(old)).toEqual([]);
    expect(answersTo(gone)).toEqual([]);
  });

  test('a message that only one member likes whose votes count', async () => {
    const [first = '', , third = '', fourth = ''] = members;
    const { bot, sandbox } = scene;
    await setOptedOut(bot.store, sandbox.guildId, third, true);
    await bot.rules.refresh(sandbox.guildId, { member: third });
    await scene.command(sandbox.admin, 'mod block', { member: fourth, what: 'vote' });
    const source = pour(fresh());
    for (const member of [first, third, fourth]) scene.react(member, source, '👍');
    await looked();
    expect(answersTo(source)).toEqual([]);
    await setOptedOut(bot.store, sandbox.guildId, third, false);
    await bot.rules.refresh(sandbox.guildId, { member: third });
  });
});

describe('what was liked while the bot was away', () => {
  // Withstands (the bot): it is stopped between the first 👍 and the one that reaches the number, or before both
  // → the link becomes an article when the bot is back, once, and who was first is its poster
  test('becomes an article when the bot is back', async () => {
    const [first = '', second = '', third = ''] = members;
    const [one, two, three] = [pour(fresh()), pour(fresh()), pour(fresh())];
    scene.react(second, one, '👍');
    await scene.settled();
    await scene.bot.stop();
    scene.react(first, two, '👍');
    scene.react(third, two, '👍');
    scene.react(third, three, '👍');
    await scene.restartBot();
    scene.react(first, one, '👍');
    scene.react(first, three, '👍');
    await scene.settled();
    scene.clock.move(5000);
    await looked();
    expect(await articleOf(one)).toMatchObject({ poster: second });
    expect((await articleOf(two)).poster).toBe([first, third].sort()[0]);
    expect(await articleOf(three)).toMatchObject({ poster: third });
    for (const source of [one, two, three]) {
      const { id } = await articleOf(source);
      await scene.expectTally(id, 2, 0);
      expect(answersTo(source)).toHaveLength(1);
    }
  });

  test('stands once, with its votes, after one more start', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = pour(fresh());
    scene.react(first, source, '👍');
    scene.react(second, source, '👍');
    const { id } = await articleOf(source);
    await scene.expectTally(id, 2, 0);
    await scene.bot.stop();
    scene.react(third, source, '👍');
    await scene.restartBot();
    await looked();
    await scene.expectTally(id, 3, 0);
    scene.clock.move(5000);
    await looked();
    expect(answersTo(source)).toHaveLength(1);
  });

  // Withstands (the bot): it is stopped between the 👍 that reaches the number and the article, of which Discord did not say whether it took the message
  // → the article stands once, with its votes
  test('is posted once, whether or not Discord said that it took the article’s message', async () => {
    const [first = '', second = ''] = members;
    for (const afterTheWork of [true, false]) {
      const source = pour(fresh());
      const end = scene.sandbox.faults.add({ method: 'POST', status: 503, afterTheWork });
      scene.react(first, source, '👍');
      scene.react(second, source, '👍');
      await scene.eventually(
        () => scene.sandbox.requests.count('POST', /messages$/, 503),
        (count) => count > 0,
        'tried',
      );
      await scene.bot.stop();
      end();
      scene.sandbox.requests.reset();
      await scene.restartBot();
      await scene.settled();
      for (let minutes = 0; minutes < 3; minutes += 1) {
        scene.clock.move(MINUTE_MS);
        await looked();
      }
      const { id, poster } = await articleOf(source);
      expect(poster).toBe(first);
      await scene.expectTally(id, 2, 0);
      expect(answersTo(source)).toHaveLength(1);
    }
  });

  // Withstands (several processes): two processes see the same 👍, while one takes over from the other
  // → one article
  test('is posted once by two processes', async () => {
    const [first = '', second = ''] = members;
    const before = scene.bot;
    await scene.joinBot();
    scene.follow();
    await scene.settled();
    const source = pour(fresh());
    scene.react(first, source, '👍');
    scene.react(second, source, '👍');
    const { id, poster } = await articleOf(source);
    expect(poster).toBe(first);
    await scene.expectTally(id, 2, 0);
    await Promise.all([before.due.look(), scene.bot.due.look()]);
    expect(answersTo(source)).toHaveLength(1);
    await before.stop();
  });

  // Withstands (Redis, while the bot runs): it loses all data, also that a link was found in another's message
  // → the article comes back from its message, and its votes from both messages
  test('comes back with its votes when Redis has lost them', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = pour(fresh());
    scene.react(first, source, '👍');
    scene.react(second, source, '👍');
    const { id } = await articleOf(source);
    await scene.expectTally(id, 2, 0);
    await scene.bot.stop();
    await scene.redis.redis.flushall();
    scene.react(third, source, '👍');
    await scene.restartBot();
    await scene.whole();
    // Its settings are lost too.
    await nominateIn(general);
    await scene.eventually(() => scene.article(id), Boolean, 'taken in');
    await looked();
    await scene.expectTally(id, 3, 0);
    expect(answersTo(source)).toHaveLength(1);
    scene.react(members[3] ?? '', source, '👍');
    await scene.expectTally(id, 4, 0);
  });
});

test('an article goes with the message in which it was found, unless others have voted on it', async () => {
  const [first = '', second = '', third = ''] = members;
  const admin = scene.sandbox.as(scene.sandbox.admin);
  const [gone, voted] = [pour(fresh()), pour(fresh())];
  for (const source of [gone, voted]) {
    scene.react(first, source, '👍');
    scene.react(second, source, '👍');
  }
  const [of, kept] = [await articleOf(gone), await articleOf(voted)];
  await scene.expectTally(kept.id, 2, 0);
  scene.react(third, kept.id, '👍');
  await scene.expectTally(kept.id, 3, 0);
  scene.clock.move(11 * MINUTE_MS);
  admin.delete(general, gone);
  admin.delete(general, voted);
  await scene.eventually(
    () => scene.article(of.id),
    (found) => found === null,
    'withdrawn',
  );
  await scene.expectTally(kept.id, 2, 0);
  expect(await scene.article(kept.id)).not.toBeNull();
});
