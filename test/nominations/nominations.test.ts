import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMessage } from '../../discord-box/src/world/messages/change-message.ts';
import type { Json } from '../../discord-box/src/index.ts';
import { writeSetting } from '../../src/community/settings.ts';
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
}

/** A link that no other test has. */
function fresh(): string {
  links += 1;
  return `https://feed.example/item-${links}`;
}

/** A feed bot's message: by default its link stands in its embed alone. */
function pour(link: string, given: { content?: string; embeds?: Json[]; channel?: string } = {}) {
  const { channel = general, content = '', embeds = [{ type: 'rich', title: `On ${link.split('/').at(-1)}`, url: link }] } = given;
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

/** Resolves when what was reacted is looked at. */
async function looked(): Promise<void> {
  await scene.settled();
  await scene.bot.due.look();
  await scene.settled();
}

const requestsFor = (message: string) =>
  scene.sandbox.requests.count('GET', new RegExp(`/messages/${message}(?:$|[?/])`));

describe('a link that two members like', () => {
  test('becomes an article that the first of them found, with the other’s 👍 as a vote', async () => {
    const [first = '', second = ''] = members;
    const link = fresh();
    const source = pour(link);
    scene.react(second, source, '👍');
    scene.react(first, source, '👍');
    const article = await articleOf(source);
    expect(article).toMatchObject({ link, poster: second, home: general, channel: general });
    expect(article.title).toBe(`On ${link.split('/').at(-1)}`);
    await scene.expectTally(article.id, 2, 0);
    expect(answersTo(source)).toHaveLength(1);
    expect(answersTo(source)[0]?.mentions).toEqual([]);
    // One request reads it.
    expect(requestsFor(source)).toBe(1);
  });

  test('stays a message while one member likes it, and while the other took that back', async () => {
    const [first = '', second = '', third = ''] = members;
    const source = pour(fresh());
    scene.react(first, source, '👍');
    scene.unreact(first, source, '👍');
    scene.react(second, source, '👍');
    await looked();
    expect(requestsFor(source)).toBe(0);
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
