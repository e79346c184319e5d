import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { randomReactions, heardAll } from '../../votes/recount/random-reactions.ts';
import { expectRightVotesAfterKills } from '../../votes/recount/kill-while-voting.ts';
import { type Scene, startScene } from '../../fixtures/scene.ts';

let scene: Scene | undefined;
afterEach(async () => {
  await scene?.stop();
  scene = undefined;
});

test.each([1, 2, 3])(
  'with events dropped, doubled and reordered over 100 000 reactions, a full recount makes all votes right (seed %i)',
  async (seed) => {
    scene = await startScene({ seed });
    const articles = await scene.plant(scene.sandbox.channels.general.id, 100);
    const members = scene.crowd(500);
    const crowd = randomReactions(scene, seed, { articles, members, variants: true });
    scene.sandbox.gateway.events.set({
      drop: 0.05,
      double: 0.05,
      reorder: 0.05,
      only: /^MESSAGE_REACTION_/,
    });
    for (let round = 0; round < 100; round += 1) {
      crowd.react(1000);
      // The sockets get their turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
    scene.sandbox.gateway.events.set(undefined);
    await heardAll(scene);
    const report = await scene.recount({ full: true });
    expect(report).toMatchObject({ unread: [], hidden: [] });
    expect(await scene.differences(articles)).toEqual([]);
  },
);

test('a bot that is killed fifty times while members vote ends with the right votes', async () => {
  await expectRightVotesAfterKills(Number(process.env['SOAK_SEED'] ?? 50), 50);
});

test('a million reactions by a hundred thousand members on a thousand messages add under 20 MB', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  scene = await startScene();
  const { sandbox, bot } = scene;
  const articles = await scene.plant(sandbox.channels.general.id, 1000);
  const { client } = bot;
  const where = { guild_id: sandbox.guildId, channel_id: sandbox.channels.general.id };
  const emojis = ['👍', '👎', '👍🏽'];
  const heap = async () => {
    await heardAll(scene as Scene);
    collect();
    collect();
    return process.memoryUsage().heapUsed / 1e6;
  };
  const before = await heap();
  for (let n = 0; n < 1_000_000; n += 1) {
    // As the gateway hands them over: the sandbox's own world would grow with them.
    client.ws.emit(
      n % 5 === 4 ? 'MESSAGE_REACTION_REMOVE' : 'MESSAGE_REACTION_ADD',
      {
        ...where,
        message_id: articles[(n * 7) % articles.length],
        user_id: String(900_000_000_000_000_000n + BigInt((n * 31) % 100_000)),
        emoji: { id: null, name: emojis[n % emojis.length] },
        burst: n % 50 === 0,
      },
      0,
    );
    // On the bot's own connection, so that Redis has kept up.
    if (n % 500 === 0) await bot.ranking.redis.ping();
  }
  const after = await heap();
  console.log(`The heap went from ${before.toFixed(1)} MB to ${after.toFixed(1)} MB.`);
  expect(after - before).toBeLessThan(20);
});
