import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginErasing, endErasing, erasuresBegun } from '../../src/community/erasures.ts';
import { noteReport, reportsBy } from '../../src/community/stored-reports.ts';
import { eraseLeft } from '../../src/privacy/member-data.ts';
import { readVotesOf } from '../../src/ranking/ballots/voters.ts';
import { setVote } from '../../src/ranking/ballots/votes.ts';
import { MINUTE_MS } from '../../src/runtime/clock.ts';
import { type Scene, startScene } from '../fixtures/scene.ts';

let scene: Scene;
let guild: string;
beforeAll(async () => {
  scene = await startScene();
  guild = scene.sandbox.guildId;
});
afterAll(() => scene.stop());

// Withstands (Processes that die): The process dies amid an erasure, whose member comes back, votes and reports
// → what was there when it was begun is erased, and no more
test('an erasure that goes on later takes what was there when it was begun, and no more', async () => {
  const { ranking, store } = scene.bot;
  const [member = '', poster = ''] = scene.crowd(2);
  const act = async (title: string) => {
    const now = scene.clock.now();
    const article = await scene.rank({ title, atMs: now - 1000, poster });
    await setVote(ranking, { guild, article, member, vote: 'up' }, now);
    await noteReport(store, guild, { article, member, reason: 'spam' }, now);
    return article;
  };
  const before = await act('Before the erasure');
  await beginErasing(store, guild, member, scene.clock.now());
  scene.clock.move(MINUTE_MS);
  const after = await act('After it');
  expect(await eraseLeft(scene.bot, guild)).toBe(false);
  expect(await readVotesOf(ranking, guild, member, [before, after])).toEqual(['none', 'up']);
  expect((await reportsBy(store, guild, member)).map(({ article }) => article)).toEqual([after]);
  expect(await erasuresBegun(store, guild)).toEqual([]);
});

test('an erasure that goes on later deletes what the member had posted when it was begun, and no more', async () => {
  const [member = ''] = scene.crowd(1);
  const own = (title: string) =>
    scene.rank({ title, atMs: scene.clock.now() - 1000, poster: member });
  const before = await own('Posted before the erasure');
  await beginErasing(scene.bot.store, guild, member, scene.clock.now());
  scene.clock.move(MINUTE_MS);
  const after = await own('Posted after it');
  await eraseLeft(scene.bot, guild);
  expect(await scene.article(before)).toBeNull();
  expect(await scene.article(after)).not.toBeNull();
});

test('an erasure that ends leaves one that was begun meanwhile', async () => {
  const { store } = scene.bot;
  const [member = ''] = scene.crowd(1);
  await beginErasing(store, guild, member, 1000);
  await beginErasing(store, guild, member, 2000);
  await endErasing(store, guild, { member, atMs: 1000 });
  expect(await erasuresBegun(store, guild)).toEqual([{ member, atMs: 2000 }]);
  await endErasing(store, guild, { member, atMs: 2000 });
  expect(await erasuresBegun(store, guild)).toEqual([]);
});
