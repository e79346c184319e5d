import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type APIMessage, Routes } from 'discord.js';
import { removeAllReactions } from '../../../discord-box/src/world/messages/reactions.ts';
import { noteErased } from '../../../src/community/erasures.ts';
import { takeInMessage } from '../../../src/history/take-in-message.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { recountArticlesInVoting } from '../../../src/votes/recount/recount-guild.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

// Discord answers with what was so some seconds ago, and its gateway has told more.

let scene: Scene;
let article: string;
let member: string;
beforeAll(async () => {
  // So long that no busy machine outruns it.
  scene = await startScene({ answersLagMs: 60_000 });
  [member = ''] = scene.sandbox.members;
});
afterAll(() => scene.stop());
beforeEach(async () => {
  [article = ''] = await scene.plant(scene.sandbox.channels.general.id);
});
afterEach(() => scene.sandbox.faults.clear());

const recount = (needs = scene.bot) => {
  const one = { articles: [article], full: true, once: true };
  return recountArticlesInVoting(needs, scene.sandbox.guildId, one);
};
const lag = () => scene.sandbox.faults.add({ method: 'GET', route: /messages/, staleMs: 25_000 });
const messageOf = async (id: string) => {
  const route = Routes.channelMessage(scene.sandbox.channels.general.id, id);
  return (await scene.bot.client.rest.get(route)) as APIMessage;
};
/** Whoever writes an article with this fails. */
const unwritten = () => ({
  ...scene.bot,
  listing: { ...scene.bot.listing, write: () => Promise.reject(new Error('It was written.')) },
});
/** The message is there for longer than the lag, and only its reactions are new. */
const age = () => scene.clock.move(61_000);

// Withstands (The gateway): Answers of Discord lag behind its gateway
// → a vote that a list lacks stays, and the list is read again
test('a fresh vote that the lists lack stays, and the article is to be read again', async () => {
  scene.react(member, article, '👍');
  await scene.expectTally(article, 2, 0);
  // The answer is from before the vote.
  const shown = scene.message(article).reactions.get('👍');
  shown?.normal.delete(member);
  expect(await recount()).toMatchObject({ unsettled: [article], removed: 0 });
  expect(await scene.tally(article)).toEqual([2, 0]);
  shown?.normal.add(member);
  expect(await recount()).toMatchObject({ unsettled: [], removed: 0, added: 0 });
});

test('a vote that was taken back and that the lists still show does not come again', async () => {
  scene.react(member, article, '👎');
  await scene.expectTally(article, 1, 1);
  scene.unreact(member, article, '👎');
  await scene.expectTally(article, 1, 0);
  const emoji = { id: null, name: '👎' };
  const shown = { emoji, normal: new Set([member]), burst: new Set<string>() };
  scene.message(article).reactions.set('👎', shown);
  expect(await recount()).toMatchObject({ unsettled: [article], added: 0 });
  expect(await scene.tally(article)).toEqual([1, 0]);
});

test('votes that a moderator cleared and that the lists still show go once the lists know it, and not an hour later', async () => {
  const { world, channels } = scene.sandbox;
  scene.react(member, article, '👍');
  await scene.expectTally(article, 2, 0);
  const message = scene.message(article);
  const shown = message.reactions.get('👍')!;
  removeAllReactions(world, channels.general, message);
  await scene.expectTally(article, 1, 0);
  message.reactions.set('👍', shown);
  // Of the first moments of a session all is read again.
  const seen = { ...scene.bot.seen, hasJustBegun: () => false };
  expect(await recount({ ...scene.bot, seen })).toMatchObject({ unsettled: [article] });
  message.reactions.delete('👍');
  await recount();
  expect(await scene.tally(article)).toEqual([1, 0]);
});

test('an article whose message the answers do not show yet is not deleted', async () => {
  lag();
  expect(await recount()).toMatchObject({ unsettled: [article], gone: 0 });
  expect(await scene.article(article)).not.toBeNull();
  age();
  expect(await recount()).toMatchObject({ gone: 1 });
});

test('an article is not deleted that the page shows, and that the answer of a moment later does not', async () => {
  const { faults, requests } = scene.sandbox;
  const gate = new AbortController();
  const first = scene.bot.recountInTurn(article, () => once(gate.signal, 'abort'));
  const before = requests.count('GET', /messages$/);
  const recounting = recount();
  await scene.eventually(() => requests.count('GET', /messages$/) > before, Boolean, 'read');
  // So it is read once more.
  scene.react(member, article, '👍');
  await scene.expectTally(article, 2, 0);
  const path = new RegExp(`messages/${article}$`);
  faults.add({ method: 'GET', path, status: 404, code: 10008 });
  gate.abort();
  await first;
  expect(await recounting).toMatchObject({ unsettled: [article], gone: 0 });
  expect(await scene.article(article)).not.toBeNull();
});

test('a message that was deleted and that the answers still show is not taken in again', async () => {
  const { sandbox, bot } = scene;
  const { client } = bot;
  const guild = client.guilds.cache.get(sandbox.guildId)!;
  const late = await messageOf(article);
  scene.sandbox.as(sandbox.moderator).delete(sandbox.channels.general.id, article);
  await expect.poll(() => scene.article(article)).toBeNull();
  lag();
  await bot.takeIn(guild);
  expect(await scene.article(article)).toBeNull();
  // Nor for a moment: a process that ends in it would leave the article.
  expect(await takeInMessage(unwritten(), guild, late)).toBeNull();
});

test.each([
  [
    'that is deleted',
    async () => {
      const { sandbox, bot } = scene;
      sandbox.as(sandbox.moderator).delete(sandbox.channels.general.id, article);
      await expect.poll(() => bot.seen.wasDeleted(article)).toBe(true);
    },
  ],
  [
    'whose poster has all data erased',
    async () => {
      const { admin: poster, guildId } = scene.sandbox;
      await noteErased(scene.bot.store, guildId, poster, scene.clock.now() + 1000);
    },
  ],
])('a message %s while it is taken in leaves no article', async (_, act) => {
  const { sandbox, bot } = scene;
  const guild = bot.client.guilds.cache.get(sandbox.guildId)!;
  const message = await messageOf(article);
  await deleteArticle(bot.ranking, guild.id, article);
  const write: typeof bot.listing.write = async (...written) => {
    await act();
    return bot.listing.write(...written);
  };
  const needs = { ...bot, listing: { ...bot.listing, write } };
  expect(await takeInMessage(needs, guild, message)).toBeNull();
  expect(await scene.article(article)).toBeNull();
});

// Withstands (The gateway): Answers lag behind a vote of the moment before a new session
// → the vote that the first look takes away is back with the next one
test('what a look repairs in the first moments of a session is to be read again', async () => {
  scene.react(member, article, '👍');
  await scene.expectTally(article, 2, 0);
  await scene.restartBot();
  const shown = scene.message(article).reactions.get('👍');
  shown?.normal.delete(member);
  expect(await recount()).toMatchObject({ unsettled: [article], removed: 1 });
  shown?.normal.add(member);
  expect(await recount()).toMatchObject({ unsettled: [article], added: 1 });
  expect(await recount()).toMatchObject({ unsettled: [], added: 0 });
  expect(await scene.tally(article)).toEqual([2, 0]);
});

test('a message whose poster had all data erased is not taken in while it is still there', async () => {
  const { sandbox, bot } = scene;
  const guild = bot.client.guilds.cache.get(sandbox.guildId)!;
  const message = await messageOf(article);
  const { poster } = (await scene.article(article))!;
  await deleteArticle(bot.ranking, guild.id, article);
  await noteErased(bot.store, guild.id, poster, scene.clock.now() + 1000);
  expect(await takeInMessage(unwritten(), guild, message)).toBeNull();
  expect(await scene.article(article)).toBeNull();
});
