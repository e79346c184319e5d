import { ComponentType, InteractionType } from 'discord.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerTo } from '../../discord-box/src/act/answer.ts';
import { openInteraction } from '../../discord-box/src/world/interactions/open-interaction.ts';
import { writeEdition } from '../../src/editions/stored-editions.ts';
import { isListed } from '../../src/discord/access/visibility.ts';
import { guildKeys } from '../../src/ranking/keys.ts';
import { noteLed, notePlaces } from '../../src/ranking/outcomes.ts';
import { VOTING_OPEN_MS } from '../../src/ranking/rules.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { changeOwn } from '../fixtures/change-own.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';
import { textOf } from '../fixtures/text-of.ts';

let scene: Scene;
let general: string;
let [poster, reader, other] = ['', '', ''];

beforeAll(async () => {
  scene = await startScene();
  general = scene.sandbox.channels.general.id;
  [poster, reader, other] = scene.crowd(3) as [string, string, string];
});
afterAll(() => scene.stop());

const as = (who: string) => scene.sandbox.as(who);
const own = (who: string) => as(who).command(general, 'me articles');

test('one’s own list says what became of each article, with a sum on its head and no name', async () => {
  const { ranking, store } = scene.bot;
  const guild = scene.sandbox.guildId;
  const id = await scene.post(poster, { title: 'Hexagonal Grids' });
  // The place is the one among all.
  await scene.post(poster, { title: 'A second one', channel: scene.sandbox.channels.rust.id });
  await scene.vote(reader, id);
  await notePlaces(ranking, guild, [{ id, up: 2, down: 0 }], scene.clock.now());
  const led = { name: 'daily', date: '2026-11-23' };
  const weekly = { name: 'weekly', date: '2026-11-23' };
  for (const each of [led, weekly]) {
    await writeEdition(store, guild, each, {
      articles: [{ id, net: 2, replies: 0 }],
      postedAtMs: scene.clock.now(),
      fromMs: scene.clock.now() - 1,
      channel: general,
      message: '77',
      isPublic: true,
    });
    await noteLed(ranking, guild, id, each);
  }
  // Of this one no message is known.
  await noteLed(ranking, guild, id, { name: 'lost', date: '2026-11-23' });
  const answer = await own(poster);
  const text = textOf(answer);
  expect(text).toContain('**2 links this month, one led a digest**');
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.includes('Hexagonal Grids'));
  expect(lines[at + 1]).toContain('▲ 2');
  expect(lines[at + 2]).toMatch(
    /^-# now #\d of 2 · best place #1 · Led \[Daily digest · November 23, 2026\]\(https:[^ ]*\/77\) · Led \[Weekly digest [^\]]+\]\(https:[^ ]*\/77\) · voting ends <t:\d+:R>$/,
  );
  expect(text).not.toContain(`<@${poster}>`);
  expect(answer.ephemeral).toBe(true);
});

test('one’s own list says that voting is over from its end on, and not that it ends, and how many became ★', async () => {
  const [member = ''] = scene.crowd(1);
  const now = scene.clock.now();
  await scene.rank({
    title: 'A vote that is open',
    poster: member,
    atMs: now - VOTING_OPEN_MS + 60_000,
    tally: { up: 300, down: 0, closed: false },
  });
  await scene.rank({
    title: 'A vote that is over',
    poster: member,
    atMs: now - VOTING_OPEN_MS - 1000,
  });
  const tally = { up: 3, down: 0, closed: true };
  await scene.rank({
    title: 'A vote that is closed',
    poster: member,
    atMs: now - 30 * DAY_MS,
    tally,
  });
  const lines = textOf(await own(member)).split('\n');
  const saidOf = (open: string) =>
    lines[lines.findIndex((line) => line.includes(`that is ${open}`)) + 2];
  expect(saidOf('open')).toMatch(/voting ends <t:\d+:R>$/);
  for (const open of ['over', 'closed']) expect(saidOf(open)).toMatch(/voting is over$/);
  // Of the month alone.
  expect(lines.join()).toContain('**2 links this month, 1 ★**');
});

test('one’s own list says the place of an article of a closed channel among those of that channel', async () => {
  const { admin, channels } = scene.sandbox;
  await scene.post(admin, { title: 'Among moderators', channel: channels.moderators.id });
  const lines = textOf(await own(admin)).split('\n');
  const at = lines.findIndex((line) => line.includes('Among moderators'));
  expect(lines[at + 2]).toContain('now #1 of 1 ·');
});

test('a poster changes the title and the comment of an article from their list, and a rebuild reads both', async () => {
  const id = await scene.post(poster, { title: 'Old title' });
  expect(textOf(await changeOwn(scene, poster, id, 'retitle', 'New title'))).toContain(
    'title was changed',
  );
  const said = 'The best thing\never written about it.';
  expect(textOf(await changeOwn(scene, poster, id, 'comment', said))).toContain(
    'comment was changed',
  );
  await scene.eventually(
    () => scene.message(id).content,
    (content) => content.includes('New title') && content.includes('> ever written about it.'),
    'shown',
  );
  expect(await scene.article(id)).toMatchObject({ title: 'New title', comment: said });
  await changeOwn(scene, poster, id, 'comment', '');
  await scene.eventually(
    () => scene.message(id).content,
    (content) => !content.includes('\n> '),
    'taken away',
  );
  expect((await scene.article(id))?.comment ?? '').toBe('');
});

test('a comment in a message is the newer one where nothing of the article is to be shown', async () => {
  const id = await scene.post(poster, { title: 'With a comment' });
  await changeOwn(scene, poster, id, 'comment', 'What Redis will lose.');
  await scene.eventually(
    () => scene.message(id).content,
    (content) => content.includes('> What Redis'),
    'shown',
  );
  await scene.bot.due.look();
  const { ranking } = scene.bot;
  const { texts } = guildKeys(ranking, scene.sandbox.guildId);
  const [link = '', title = ''] = ((await ranking.redis.hget(texts, id)) ?? '').split('\n');
  await ranking.redis.hset(texts, id, `${link}\n${title}`);
  await scene.recount();
  await expect.poll(async () => (await scene.article(id))?.comment).toBe('What Redis will lose.');
});

test('nobody changes another member’s article by a forged choice', async () => {
  const id = await scene.post(poster, { title: 'Not yours' });
  await scene.post(other, { title: 'Theirs' });
  const list = await own(other);
  expect(textOf(list)).not.toContain('Not yours');
  const { world } = scene.sandbox;
  for (const what of ['retitle', 'comment', 'remove']) {
    const forged = openInteraction(world, {
      type: InteractionType.MessageComponent,
      userId: other,
      channel: world.channels.get(general)!,
      name: 'me',
      sourceId: list.message?.id ?? '',
      data: { component_type: ComponentType.Button, custom_id: `me|own|${what}|${id}` },
    });
    const { message } = await answerTo(world, forged);
    expect(message?.content).toContain('You have no such article');
  }
  expect(await scene.article(id)).toMatchObject({ title: 'Not yours' });
});

test('nobody retitles or removes another member’s article by a command', async () => {
  const id = await scene.post(poster, { title: 'Theirs alone' });
  for (const [words, more] of [
    ['me retitle', { title: 'Mine' }],
    ['me remove', {}],
  ] as const) {
    const { message } = await as(other).command(general, words, { article: id, ...more });
    expect(message?.content).toContain('You have no such article');
  }
  expect(await scene.article(id)).toMatchObject({ title: 'Theirs alone' });
});

test('one’s own list has nothing of a channel that its member may no longer view', async () => {
  const { operator, channels } = scene.sandbox;
  const channel = channels.rust.id;
  await scene.post(poster, { title: 'Said in the closed channel', channel });
  expect(textOf(await own(poster))).toContain('Said in the closed channel');
  operator.setPermissions({ channel, who: 'everyone', deny: ['ViewChannel'] });
  const { guilds } = scene.bot.client;
  const guild = guilds.cache.get(scene.sandbox.guildId)!;
  await expect
    .poll(() => isListed(guild.channels.cache.get(channel)), { timeout: 10_000 })
    .toBe(false);
  const { message } = await own(poster);
  expect(JSON.stringify(message)).toContain('With a comment');
  expect(JSON.stringify(message)).not.toContain('Said in the closed channel');
});

test('one’s own list has nothing of an open channel that is closed to its member', async () => {
  const { operator, channels, guildId } = scene.sandbox;
  const channel = channels.ai.id;
  const [member = ''] = scene.crowd(1);
  await scene.post(member, { title: 'Said in the open channel', channel });
  await scene.post(member, { title: 'Said elsewhere' });
  expect(textOf(await own(member))).toContain('Said in the open channel');
  operator.setPermissions({ channel, who: member, deny: ['ViewChannel'] });
  const of = scene.bot.client.guilds.cache.get(guildId)!;
  const seen = of.channels.cache.get(channel)!;
  const mayView = async () =>
    seen.permissionsFor(await of.members.fetch(member)).has('ViewChannel');
  await expect.poll(mayView).toBe(false);
  expect(isListed(seen)).toBe(true);
  const text = textOf(await own(member));
  expect(text).toContain('Said elsewhere');
  expect(text).not.toContain('Said in the open channel');
});
