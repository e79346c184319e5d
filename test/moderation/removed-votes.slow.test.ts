import { afterAll, beforeAll, expect, test } from 'vitest';
import { storeKeys } from '../../src/redis/store-keys.ts';
import { DAY_MS } from '../../src/runtime/clock.ts';
import { englishSpeakers } from '../fixtures/english-speakers.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let admin: string;
let poster: string;
let reader: string;
let critic: string;
beforeAll(async () => {
  scene = await startScene({ follows: true });
  ({ admin } = scene.sandbox);
  allow(['ManageMessages']);
  [poster = '', reader = '', critic = ''] = englishSpeakers(scene.sandbox);
});
afterAll(() => scene.stop());

/** What the bot may do in #general. */
function allow(permissions: readonly 'ManageMessages'[]) {
  const { operator, channels, world } = scene.sandbox;
  const { botId: who } = world.application;
  operator.setPermissions({ channel: channels.general.id, who, allow: [...permissions] });
}

async function removedWithVotes(title: string) {
  const article = await scene.post(poster, { title });
  await scene.vote(reader, article);
  await scene.vote(critic, article, '👎');
  await scene.moderate(admin, 'remove', article);
  await expect.poll(() => scene.isOwn(article, '👍')).toBe(false);
  await expect.poll(() => scene.whoShows(article, '👍')).toEqual([reader]);
  await expect.poll(() => scene.whoShows(article, '👎')).toEqual([critic]);
  return article;
}

const reactions = (article: string) => scene.message(article).reactions.size;

test('the votes of a removed article come back with it, after a recount and votes meanwhile', async () => {
  const article = await removedWithVotes('Back within the week');
  await scene.recount({ full: true });
  scene.sandbox.as(critic).unreact(scene.sandbox.channels.general.id, article, '👎');
  await scene.moderate(admin, 'restore', article);
  await scene.expectTally(article, 2, 0);
  await expect.poll(() => scene.isOwn(article, '👍')).toBe(true);
});

test('members’ reactions leave a removed article when they are votes no more, and its result comes back with it', async () => {
  const articles = [await removedWithVotes('Restored'), await removedWithVotes('Rebuilt')];
  const [restored = '', rebuilt = ''] = articles;
  await scene.pass(7.5 * DAY_MS);
  // A last recount could still read them.
  for (const article of articles) expect(reactions(article)).toBe(2);
  await scene.pass(DAY_MS);
  for (const article of articles) await expect.poll(() => reactions(article)).toBe(0);

  await scene.moderate(admin, 'restore', restored);
  await scene.minute();
  await scene.recount({ full: true });
  await scene.expectTally(restored, 2, 1);
  await expect.poll(() => scene.message(restored).content).toContain('▲ 2 ▼ 1');
  await scene.settled();
  await scene.redis.flush();
  await scene.minute();
  await scene.whole();
  await scene.expectTally(restored, 2, 1);
  expect(await scene.article(rebuilt)).toBeNull();
  expect(scene.message(rebuilt).content).toBe('-# Removed by a moderator.');
});

test('where the bot may not manage messages, it takes its own reactions alone, once', async () => {
  allow([]);
  const article = await removedWithVotes('Nobody may');
  await scene.pass(9 * DAY_MS);
  expect(reactions(article)).toBe(2);
  const { due } = storeKeys(scene.bot.store, scene.sandbox.guildId);
  expect(await scene.redis.redis.zscore(due, `show:${article}`)).toBeNull();
});
