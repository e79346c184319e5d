import { afterAll, beforeAll, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { planFromData } from '../due-digests.ts';
import { readDigest } from '../../../src/digests/stored-digests.ts';
import { readEdition, writeEdition, zEdition } from '../../../src/editions/stored-editions.ts';
import { type Lease, takeLease } from '../../../src/redis/lease.ts';
import { storeKeys } from '../../../src/redis/store-keys.ts';
import { deleteArticle } from '../../../src/ranking/articles/articles.ts';
import { type DigestScene, startDigestScene, SIX } from '../digest-scene.ts';

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());

const EDITION = zEdition.parse({
  postedAtMs: SIX,
  fromMs: SIX,
  channel: '123456789012345678',
  isPublic: true,
  articles: [],
});
const many = Array.from({ length: 25 }, (_, at) => `${at} of many`);

/** As a replica that takes over without the last writes, and is told so by nobody. */
async function forgetPosting() {
  const { store } = scene.context;
  const keys = storeKeys(store, scene.guild);
  await store.redis.del(keys.claim('daily', '2027-03-10'));
  await store.redis.del(keys.runs);
  await planFromData(scene.context, scene.guild);
}

test('an edition whose claim and draft are lost is not posted again, whatever would stand in it now', async () => {
  await scene.setUp('daily', { count: 25 });
  const articles = await scene.postArticles(many);
  scene.goTo(SIX);
  await scene.tick();
  expect(scene.headlines()).toEqual(['Daily digest · Wednesday, March 10']);

  await forgetPosting();
  // Discord does not remember the nonce any more, and a draft of now is another.
  scene.goTo(SIX + 10 * MINUTE_MS);
  const { ranking } = scene.context;
  for (const article of articles.slice(3)) await deleteArticle(ranking, scene.guild, article);
  await scene.tick();
  expect(scene.headlines()).toEqual(['Daily digest · Wednesday, March 10']);
  const { run } = (await readDigest(scene.context.store, scene.guild, 'daily'))!;
  expect(run.lastSlotMs).toBe(SIX);
});

test('an edition that arrived unseen, and that names an article which is deleted since, says what is recorded in place of what its sender recorded', async () => {
  await scene.clear();
  await scene.setUp('daily', {});
  const [best = '', ...others] = await scene.postArticles(['Best', 'Second', 'Third']);
  scene.goTo(SIX);
  const { faults } = scene.sandbox;
  faults.add({ method: 'POST', route: /messages$/, status: 503, afterTheWork: true });
  await scene.tick();
  expect(scene.titles()).toEqual([['Best', 'Second', 'Third']]);
  await deleteArticle(scene.context.ranking, scene.guild, best);
  faults.clear();
  // The sender lived long enough to record what it had sent.
  const which = { name: 'daily', date: '2027-03-10' };
  const { store } = scene.context;
  const articles = [best, ...others].map((id) => ({ id, net: 1, replies: 0 }));
  await writeEdition(store, scene.guild, which, { ...EDITION, articles });
  // Discord reads from a copy that does not have it yet, and recognizes the nonce.
  faults.add({ method: 'GET', route: /messages$/, staleMs: 150_000 });
  scene.goTo(SIX + 2 * MINUTE_MS);
  await scene.tick();
  expect(scene.titles()).toEqual([['Second', 'Third']]);
  const edition = await readEdition(store, scene.guild, which);
  expect(edition?.articles.map(({ id }) => id)).toEqual(others);
});

test('a process that lost its claim records nothing', async () => {
  const { store } = scene.context;
  const which = { name: 'lost', date: '2027-03-10' };
  const key = storeKeys(store, scene.guild).claim(which.name, which.date);
  const take = async (now: number) => {
    const taken = await takeLease(store, { key, ms: MINUTE_MS }, now);
    if (taken.status !== 'taken') throw new Error('It is held.');
    return taken.lease;
  };
  const [first, second] = [await take(SIX), await take(SIX + 2 * MINUTE_MS)];
  const write = (lease: Lease, postedAtMs: number) =>
    writeEdition(store, scene.guild, which, { ...EDITION, postedAtMs }, { lease, now: SIX });
  expect(await write(first, SIX + 1)).toBe(false);
  expect(await readEdition(store, scene.guild, which)).toBeNull();
  expect(await write(second, SIX + 2)).toBe(true);
  expect(await write(first, SIX + 1)).toBe(false);
  expect((await readEdition(store, scene.guild, which))?.postedAtMs).toBe(SIX + 2);
});
