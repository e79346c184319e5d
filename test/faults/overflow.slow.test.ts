import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { patience, type Scene, startScene } from '../fixtures/scene.ts';
import { recordLog } from '../fixtures/record-log.ts';
import { onMetric } from '../../src/metrics.ts';

const { log, text } = recordLog();
let scene: Scene;
beforeAll(async () => {
  scene = await startScene({ log });
});
afterAll(() => scene.stop());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
function heapMb(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

test('more votes than are kept while Redis is away take no more memory, are told once, and are recounted', async () => {
  const { sandbox, bot, redis } = scene;
  const general = sandbox.channels.general.id;
  const articles = await scene.plant(general, 3);
  const place = { guild: sandbox.guildId, channel: general, article: articles[0] ?? '' };
  /** Reactions taken back of members who had not voted: they change nothing, and have to be kept. */
  const takeBack = (from: number, count: number): void => {
    for (let n = from; n < from + count; n += 1) {
      const member = `9${String(n).padStart(17, '0')}`;
      const back = { kind: 'reaction', direction: 'up', shown: false } as const;
      bot.reactions.take({ ...place, ...back, member, atMs: scene.clock.now() });
    }
  };
  let dropped = 0;
  const stopHearing = onMetric('overflow', () => (dropped += 1));
  scene.follow();
  await scene.recount();

  const before = heapMb();
  redis.pause();
  takeBack(0, 1);
  await expect.poll(text, patience).toContain('Redis is away');
  takeBack(1, 99_999);
  const full = heapMb();
  takeBack(100_000, 400_000);
  expect(heapMb() - full).toBeLessThan(10);
  expect(full - before).toBeLessThan(200);
  for (const member of scene.crowd(20))
    for (const article of articles) scene.react(member, article, '👍');
  await expect.poll(() => dropped, patience).toBe(400_060);
  stopHearing();
  redis.resume();

  await expect.poll(text, patience).toContain('Redis is back');
  expect(text().match(/no more are kept/g)).toHaveLength(1);
  await scene.recounts.tick();
  await scene.agree(articles);
  expect(await scene.tally(articles[2] ?? '')).toEqual([21, 0]);
}, 120_000);
