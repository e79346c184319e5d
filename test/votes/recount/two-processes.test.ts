import { afterAll, beforeAll, expect, test } from 'vitest';
import { guildKeys } from '../../../src/ranking/keys.ts';
import { DAY_MS } from '../../../src/runtime/clock.ts';
import { heardAll } from './random-reactions.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene;
beforeAll(async () => {
  scene = await startScene();
});
afterAll(() => scene.stop());

// Withstands (Processes that die): Two processes have one token
// → the votes are those of one
test('two processes with one token leave the votes that one would', async () => {
  const [article = ''] = await scene.plant(scene.sandbox.channels.general.id);
  const members = scene.crowd(50);
  const first = scene.bot;
  await scene.joinBot();
  for (let round = 0; round < 3; round += 1) {
    for (const [n, member] of members.entries()) {
      const [shown, other] = (n + round) % 3 === 0 ? ['👎', '👍'] : ['👍', '👎'];
      // Some leave the older reaction where it is.
      if (n % 4 > 0) scene.unreact(member, article, other ?? '');
      scene.react(member, article, shown ?? '');
      if (n % 7 === round) scene.unreact(member, article, shown ?? '');
    }
  }
  await heardAll(scene);
  await scene.agree([article]);
  // What it is told after that, it would write by halves.
  const last = new Promise<unknown>((resolve) => first.client.once('messageCreate', resolve));
  scene.sandbox.as(scene.sandbox.admin).send(scene.sandbox.channels.general.id, 'The end.');
  await last;
  await first.stop();
  // Of a member who shows both, the slower process can write the older reaction last: the next look sees it.
  expect(await scene.recount({ full: true })).toMatchObject({ added: 0, removed: 0 });
  expect(await scene.recount({ full: true })).toMatchObject({ added: 0, removed: 0, switched: 0 });
  await scene.agree([article]);
});

test('what a process plans, and what it changed in its last moment, is told to the other', async () => {
  const first = scene.bot;
  await scene.joinBot();
  const { bot, clock, redis, sandbox } = scene;
  const { guildId: guild } = sandbox;
  const told: unknown[] = [];
  bot.lists.onPlanned((...of) => told.push(of));
  const atMs = clock.now() + DAY_MS;
  // What was told before the other listened is told to nobody.
  await expect
    .poll(async () => {
      await first.due.plan(guild, 'check', atMs);
      await first.ranking.changes.flush();
      return told;
    })
    .toContainEqual([guild, atMs]);
  const { articles } = guildKeys(bot.ranking, guild);
  const version = async () => Number(await redis.redis.hget(articles, 'version'));
  const before = await version();
  first.ranking.changes.note(guild);
  await first.stop();
  expect(await version()).toBe(before + 1);
});
