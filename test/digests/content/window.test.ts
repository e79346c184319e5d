import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  readCandidates,
  shownBefore,
  stillRising,
} from '../../../src/digests/content/candidates.ts';
import { noteImported } from '../../../src/articles/imported.ts';
import { readDigest } from '../../../src/digests/stored-digests.ts';
import {
  type Edition,
  readEdition,
  writeEdition,
  zEdition,
} from '../../../src/editions/stored-editions.ts';
import { DAY_MS, MINUTE_MS } from '../../../src/runtime/clock.ts';
import { type DigestScene, SIX, startDigestScene } from '../digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());
beforeEach(() => scene.clear());

const digest = async () => (await readDigest(scene.context.store, scene.guild, 'daily'))!;

const read = async (shown: Partial<Edition>[] = []) => {
  const { ranking } = scene.context;
  const { digest: settings } = await digest();
  const before = shownBefore(shown.map((one) => zEdition.parse({ ...recorded, ...one })));
  const period = { fromMs: SIX - DAY_MS, untilMs: SIX };
  return { ...(await readCandidates(ranking, scene.guild, settings, { period, before })), before };
};
const recorded = {
  articles: [],
  postedAtMs: SIX,
  fromMs: SIX - DAY_MS,
  channel: '1',
  isPublic: true,
};
const listed = (id: string, net: number) => ({ id, net, replies: 0 }) as never;

test('the line of a day counts what was posted in its window, and the candidates are all that is in voting', async () => {
  await scene.setUp('daily', {});
  const [today] = await scene.postArticles(['In it'], SIX - MINUTE_MS);
  await scene.postArticles(['Later'], SIX + MINUTE_MS);
  const [older] = await scene.postArticles(['Before'], SIX - DAY_MS - MINUTE_MS);
  await scene.postArticles(['Over'], SIX - 7 * DAY_MS - MINUTE_MS);
  const { day, articles } = await read();
  expect(day).toEqual({ articles: 1, posters: 1, votes: 1 });
  expect(articles.map(({ id }) => id)).toEqual([today, older]);
});

test('of a window in which nothing was posted, nothing is counted', async () => {
  await scene.setUp('daily', {});
  const [older] = await scene.postArticles(['Before'], SIX - DAY_MS - MINUTE_MS);
  const { day, articles } = await read();
  expect([day, articles.map(({ id }) => id)]).toEqual([null, [older]]);
});

test('a monthly digest has what was posted in its month, though the voting is over, but for what was imported', async () => {
  const schedule = { every: 'month', day: 1, time: '09:00', zone: 'UTC' } as const;
  await scene.setUp('daily', { schedule });
  const [over, imported = ''] = await scene.postArticles(['Over', 'Old'], SIX - 20 * DAY_MS);
  await noteImported(scene.context.store, scene.guild, imported);
  const { ranking } = scene.context;
  const of = { period: { fromMs: SIX - 31 * DAY_MS, untilMs: SIX }, before: shownBefore([]) };
  const { digest: settings } = await digest();
  const { articles } = await readCandidates(ranking, scene.guild, settings, of);
  expect(articles.map(({ id }) => id)).toEqual([over]);
});

test('what an edition listed is no candidate any more, and is still rising by what it gained since one showed it', async () => {
  await scene.setUp('daily', {});
  const [old = '', young = ''] = await scene.postArticles(['Listed', 'Of today'], SIX - DAY_MS, 9);
  const first = { articles: [listed(old, 1)] };
  const { articles, listed: known, before } = await read([first, { rising: [listed(old, 4)] }]);
  expect(articles.map(({ id }) => id)).toEqual([young]);
  expect(stillRising(known, before, 2)).toMatchObject([{ article: { id: old }, gained: 6 }]);
  expect(stillRising(known, before, 7)).toEqual([]);
});

test('what an article made up for from below zero is no gain, so that its gain is never more than its votes', async () => {
  await scene.setUp('daily', {});
  const olderMs = SIX - DAY_MS - MINUTE_MS;
  const titles = ['Most since then', 'From below zero', 'Back at its poster’s vote'];
  const [most = '', risen = '', back = ''] = await scene.postArticles(titles, olderMs, 1);
  const articles = [listed(most, 0), listed(risen, -5), listed(back, -9)];
  const { listed: known, before } = await read([{ articles }]);
  const rising = stillRising(known, before, 2);
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
