import { MessageFlags } from 'discord.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { missingPermissions } from '../../src/discord/access/permissions.ts';
import { noteImported } from '../../src/articles/imported.ts';
import { setOptedOut } from '../../src/community/opted-out.ts';
import { setScale } from '../../src/ranking/articles/mark.ts';
import { noteLed, notePlaces, readOutcomes, toldField } from '../../src/ranking/outcomes.ts';
import { readReplies } from '../../src/ranking/articles/discussions.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { VOTING_OPEN_MS } from '../../src/ranking/rules.ts';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let guild: string;
let general: string;
let poster = '';
let voters: string[] = [];
let article: string;

beforeAll(async () => {
  scene = await startScene();
  scene.follow();
  guild = scene.sandbox.guildId;
  general = scene.sandbox.channels.general.id;
  [poster = '', ...voters] = scene.crowd(6);
  await setScale(scene.bot.ranking, guild, { mark: 3, isLimited: true });
});
afterAll(() => scene.stop());
beforeEach(async () => {
  article = await scene.post(poster);
});

const as = (who: string) => scene.sandbox.as(who);
const look = () => scene.bot.due.look();
const ofBot = ({ author }: { author: { id: string } }) => author.id === scene.bot.self;
/** What the bot said in the article's thread, after its own message. */
const told = () =>
  as(poster)
    .messages(article)
    .filter((one) => ofBot(one) && one.content.startsWith('-# ') && one.id !== article)
    .map(({ content }) => content);
async function inThread(): Promise<void> {
  as(voters[0]!).startThread(general, 'About it', { from: article });
  await scene.eventually(
    () => scene.bot.client.channels.cache.has(article),
    Boolean,
    'the thread known',
  );
}
async function voteWith(count: number): Promise<void> {
  for (const voter of voters.slice(0, count)) await scene.vote(voter, article);
}
const outcome = async () => (await readOutcomes(scene.bot.ranking, guild, [article]))[0];

test('a thread is told once that its article became ★, without a notification, and counts no comment for it', async () => {
  await inThread();
  as(voters[0]!).send(article, 'Well found.');
  await voteWith(2);
  await look();
  expect(told()).toEqual(['-# ★ · among the best here lately']);
  const line = as(poster).messages(article).findLast(ofBot);
  expect(Number(line?.flags) & MessageFlags.SuppressNotifications).toBeTruthy();
  // Falls and rises again.
  scene.unreact(voters[0]!, article, '👍');
  await scene.expectTally(article, 2, 0);
  await voteWith(1);
  await look();
  expect(told()).toHaveLength(1);
  as(voters[0]!).send(article, 'Indeed.');
  const { ranking } = scene.bot;
  await scene.eventually(
    () => readReplies(ranking, guild, [{ id: article }]).then((all) => all.get(article)),
    (count) => count === 2,
    'two comments',
  );
});

test('the thread of a member’s own message is told nothing, though an import made it an article', async () => {
  const imported = article;
  await noteImported(scene.bot.store, guild, imported);
  await inThread();
  await voteWith(2);
  article = await scene.post(poster);
  await inThread();
  await voteWith(2);
  await look();
  expect(told()).toHaveLength(1);
  article = imported;
  await scene.bot.due.plan(guild, `tell:${article}`, 0);
  await look();
  expect(told()).toEqual([]);
});

test('no thread is made for a line, and what happened before there was one is not told later', async () => {
  await voteWith(2);
  await look();
  expect(scene.sandbox.world.channels.has(article)).toBe(false);
  expect((await outcome())?.told).toBe('S');
  await inThread();
  await scene.bot.due.plan(guild, `tell:${article}`, 0);
  await look();
  expect(told()).toEqual([]);
  expect((await outcome())?.told).toBe('S');
  // What was not told is no line that is left out of the comments.
  for (const said of ['One.', 'Two.']) as(voters[0]!).send(article, said);
  await scene.eventually(
    () => readReplies(scene.bot.ranking, guild, [{ id: article }]).then((all) => all.get(article)),
    (count) => count === 2,
    'two comments',
  );
});

test('a process that died after a line was sent leaves none to be sent twice', async () => {
  await inThread();
  await voteWith(2);
  await look();
  const { ranking } = scene.bot;
  await ranking.redis.hdel(guildKeys(ranking, guild).outcomes, toldField(article));
  await scene.bot.due.plan(guild, `tell:${article}`, 0);
  await look();
  expect(told()).toHaveLength(1);
  expect((await outcome())?.told).toBe('s');
});

test('a thread is told which edition its article led, with the way to it', async () => {
  const { admin, channels } = scene.sandbox;
  await inThread();
  await voteWith(2);
  await look();
  const place = channels.general.id;
  // Of an edition whose message is not known there is no way to it.
  await noteLed(scene.bot.ranking, guild, article, { name: 'lost', date: '2026-11-23' });
  await scene.bot.due.plan(guild, `tell:${article}`, 0);
  await look();
  expect(told()).toHaveLength(1);
  const { outcomes } = guildKeys(scene.bot.ranking, guild);
  await scene.redis.redis.hdel(outcomes, `${article}:led`);
  await as(admin).command(place, 'digest set', { time: '09:00', timezone: 'UTC', channel: place });
  await as(admin).command(place, 'digest now', {});
  await look();
  const [, line = ''] = told();
  expect(line).toMatch(
    /^-# Led \[Daily digest · .+\]\(https:\/\/discord\.com\/channels\/[\d/]+\)$/,
  );
  await as(admin)
    .command(place, 'digest now', {})
    .catch(() => {});
  await look();
  expect(told()).toHaveLength(2);
  // Its next editions would lead with what later tests post.
  await scene.bot.store.redis.del(storeKeys(scene.bot.store, guild).digests);
  await scene.bot.due.planAt(guild, 'digest:daily', null);
});

test('a thread is told that its article was first for a day, as far as anybody looked', async () => {
  await inThread();
  await voteWith(1);
  const { ranking } = scene.bot;
  const now = scene.clock.now();
  const first = { id: article, up: 2, down: 0 };
  const other = { id: '1', up: 2, down: 0 };
  await notePlaces(ranking, guild, [other, first], now);
  expect((await outcome())?.best).toBe(2);
  await notePlaces(ranking, guild, [first, other], now);
  const unjudged = { id: '2', up: 1, down: 0 };
  await notePlaces(ranking, guild, [unjudged, first], now + HOUR_MS);
  expect((await readOutcomes(ranking, guild, [unjudged.id]))[0]?.best).toBeNull();
  const again = now + 2 * HOUR_MS;
  await notePlaces(ranking, guild, [first, other], again);
  await notePlaces(ranking, guild, [first, other], again + DAY_MS - HOUR_MS);
  await look();
  expect(told()).toEqual([]);
  await notePlaces(ranking, guild, [first, other], again + DAY_MS);
  await notePlaces(ranking, guild, [first, other], again + DAY_MS);
  await look();
  expect(told()).toEqual(['-# #1 · first on the front page for a day']);
  expect(await outcome()).toMatchObject({ best: 1, firstSinceMs: again });
});

describe('at the end of voting', () => {
  test.each([
    ['its result and its best place', 1, [/^-# ▲ 2 · voting is over · best place #\d+$/]],
    ['nothing, where nobody else liked it', 0, []],
  ])('a thread is told %s', async (_, count, lines) => {
    await inThread();
    await voteWith(count);
    await as(voters[4]!).command(general, 'top');
    await scene.eventually(outcome, (one) => count === 0 || one?.best !== null, 'its place');
    scene.clock.move(VOTING_OPEN_MS + 1000);
    as(voters[0]!).send(article, 'Still open.');
    await look();
    expect(told()).toEqual(lines.map((line) => expect.stringMatching(line)));
  });

  test('a thread is told its result alone, though something on its subject was there before', async () => {
    const { bot, clock } = scene;
    await scene.post(voters[1]!, { title: 'Hoatzin chicks that climb' });
    article = await scene.post(poster, { title: 'Why hoatzin chicks climb' });
    clock.move(MINUTE_MS);
    await look();
    await inThread();
    await voteWith(1);
    clock.move(VOTING_OPEN_MS);
    as(voters[0]!).send(article, 'Still open.');
    await look();
    const over = told();
    expect(over.at(-1)).toMatch(/^-# ▲ 2 · voting is over/);
    // What was here before is said at the beginning of a thread, if at all.
    expect(over.slice(1).join('')).not.toContain('◂');
    await bot.due.note(guild, `tell:${article}`, { earlier: '1' });
    await bot.due.plan(guild, `tell:${article}`, 0);
    await look();
    expect(told()).toEqual(over);
    expect(await bot.earlier.hasInThread(guild, (await scene.article(article))!)).toBe(true);
  });

  test('an archived thread is not opened for a line, and one who opted out is told nothing', async () => {
    await inThread();
    await voteWith(2);
    as(scene.sandbox.admin).archive(article, true);
    await scene.eventually(
      () => scene.bot.client.channels.cache.get(article),
      (thread) => thread?.isThread() !== true || thread.archived === true,
      'archived',
    );
    await look();
    expect(scene.sandbox.world.channels.get(article)?.thread?.archived).toBe(true);
    expect((await outcome())?.told).toBe('S');
    article = await scene.post(poster);
    await setOptedOut(scene.bot.store, guild, poster, true);
    await inThread();
    await voteWith(2);
    await look();
    await setOptedOut(scene.bot.store, guild, poster, false);
    expect(told()).toEqual([]);
    expect((await outcome())?.told).toBe('S');
  });
});

test('a line that may have been sent is not sent again where the bot may not look, and counts as told', async () => {
  const { bot, sandbox } = scene;
  await inThread();
  const channel = { channel: general, who: 'bot' } as const;
  sandbox.operator.setPermissions({ ...channel, deny: ['ReadMessageHistory'] });
  const mayLook = () => {
    const thread = bot.client.channels.cache.get(article);
    return thread?.isThread() && missingPermissions(thread, ['ReadMessageHistory']).length === 0;
  };
  await expect.poll(mayLook).toBe(false);
  await bot.due.note(guild, `tell:${article}`, { tried: 's' });
  await voteWith(2);
  await bot.due.plan(guild, `tell:${article}`, 0);
  await look();
  sandbox.operator.setPermissions(channel);
  await expect.poll(mayLook).toBe(true);
  expect((await outcome())?.told).toBe('s');
  expect(told()).toEqual([]);
});

test('a locked thread is told nothing, though the bot may write in it', async () => {
  await inThread();
  const { client } = scene.bot;
  const { operator } = scene.sandbox;
  operator.setPermissions({ channel: general, who: 'bot', allow: ['ManageThreads'] });
  operator.archiveThread({ channel: article, archived: false, locked: true });
  const isLocked = () => {
    const thread = client.channels.cache.get(article);
    return thread?.isThread() && thread.locked;
  };
  await scene.eventually(isLocked, (locked) => locked === true, 'locked');
  await voteWith(2);
  await look();
  expect(told()).toEqual([]);
  expect((await outcome())?.told).toBe('S');
  operator.setPermissions({ channel: general, who: 'bot' });
});

test('what became of an article goes with it', async () => {
  await inThread();
  await voteWith(2);
  await look();
  expect(await outcome()).not.toMatchObject({ told: '' });
  scene.sandbox.as(scene.sandbox.admin).delete(general, article);
  await scene.eventually(
    () => scene.article(article),
    (one) => one === null,
    'deleted',
  );
  const { ranking } = scene.bot;
  const left = await ranking.redis.hkeys(guildKeys(ranking, guild).outcomes);
  expect(left.filter((field) => field.startsWith(article))).toEqual([]);
});
