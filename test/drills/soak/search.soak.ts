import { appendFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DigestScene, startDigestScene } from '../../digests/digest-scene.ts';
import { permitReading } from '../../digests/search/reading.ts';
import { linesOf } from '../../digests/search/simulation.ts';
import { search, searched, searches, type Searched } from '../../digests/search/searched.ts';

/** `SEARCH_SECONDS=600 SEARCH_SEED=7 npm run soak -- test/drills/soak/search.soak.ts` */
const seconds = Number(process.env['SEARCH_SECONDS'] ?? 120);
const most = Number(process.env['SEARCH_MOST'] ?? Infinity);
const seed = Number(process.env['SEARCH_SEED'] ?? 1);
/** Where it is written what was found, for who plants faults. */
const file = process.env['SEARCH_FOUND'];

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());

test.each(searches)('%s', async (what) => {
  const { mayRead = true }: Searched = searched[what];
  await permitReading(scene, mayRead);
  const untilMs = performance.now() + seconds * 1000;
  const isEnough = (played: number) => played >= most || performance.now() > untilMs;
  const { played, found } = await search(scene, what, { seed, isEnough });
  console.log(`${played} schedules.`);
  const { trace, ...finding } = found ?? { trace: [] };
  if (found !== null && file !== undefined) appendFileSync(file, JSON.stringify(finding));
  expect(found, `${JSON.stringify(finding, null, 1)}\n${linesOf(trace)}`).toBeNull();
});
