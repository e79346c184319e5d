import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { stillRising, sumOfDay } from '../../../src/digests/content/candidates.ts';
import { readDigest } from '../../../src/digests/stored-digests.ts';
import { readEdition, writeEdition, zEdition } from '../../../src/editions/stored-editions.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { type DigestScene, SIX, startDigestScene } from '../digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

const digest = async () => (await readDigest(scene.context.store, scene.guild, 'daily'))!;

test('the sum of a day counts nothing that was posted after its window', async () => {
  await scene.setUp('daily', {});
  await scene.postArticles(['In it'], SIX - MINUTE_MS);
  await scene.postArticles(['Later'], SIX + MINUTE_MS);
  const window = { fromMs: SIX - DAY_MS, untilMs: SIX };
  const { ranking } = scene.context;
  const sum = await sumOfDay(ranking, scene.guild, (await digest()).digest, window);
  expect(sum).toEqual({ articles: 1, posters: 1, votes: 1 });
});

test('an article of the window itself is not still rising', async () => {
  await scene.setUp('daily', {});
  const [old = ''] = await scene.postArticles(['Older'], SIX - DAY_MS - MINUTE_MS, 9);
  const [young = ''] = await scene.postArticles(['Of today'], SIX - MINUTE_MS, 9);
  const { digest: settings, run } = await digest();
  const before = { ...run, netVotes: { [old]: 1, [young]: 1 } };
  const { ranking } = scene.context;
  const of = { run: before, fromMs: SIX - DAY_MS, least: 2 };
  const rising = await stillRising(ranking, scene.guild, settings, of);
  expect(rising.map(({ article }) => article.id)).toEqual([old]);
});

test('what an article made up for from below zero is no gain, so that its gain is never more than its votes', async () => {
  await scene.setUp('daily', {});
  const olderMs = SIX - DAY_MS - MINUTE_MS;
  const titles = ['Most since then', 'From below zero', 'Back at its poster’s vote'];
  const [most = '', risen = '', back = ''] = await scene.postArticles(titles, olderMs, 1);
  const { digest: settings, run } = await digest();
  const before = { ...run, netVotes: { [most]: 0, [risen]: -5, [back]: -9 } };
  const { ranking } = scene.context;
  const of = { run: before, fromMs: SIX - DAY_MS, least: 2 };
  const rising = await stillRising(ranking, scene.guild, settings, of);
  expect(rising.map(({ article, gained }) => [article.id, article.up, gained])).toEqual([
    [most, 3, 3],
    [risen, 2, 2],
  ]);
});

test('an edition that is recorded again stays what it was', async () => {
  const of = { name: 'daily', date: '2026-11-20' };
  const first = zEdition.parse({
    articles: [{ id: scene.guild, net: 3, replies: 0 }],
    postedAtMs: SIX,
    fromMs: SIX - DAY_MS,
    channel: scene.channel,
    isPublic: true,
  });
  const { store } = scene.context;
  await writeEdition(store, scene.guild, of, first);
  await writeEdition(store, scene.guild, of, { ...first, articles: [], isPublic: false });
  expect(await readEdition(store, scene.guild, of)).toEqual(first);
});
