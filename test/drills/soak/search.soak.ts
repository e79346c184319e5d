import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DigestScene, startDigestScene } from '../../digests/digest-scene.ts';
import { playAnnouncements, playDigest } from '../../digests/search/play-guild.ts';
import { tellingSchedules } from '../../digests/search/schedules.ts';

/** `SEARCH_SECONDS=600 SEARCH_SEED=7 npm run soak -- test/drills/soak/search.soak.ts` */
const seconds = Number(process.env['SEARCH_SECONDS'] ?? 120);
const seed = Number(process.env['SEARCH_SEED'] ?? 1);

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());

const plays = [
  ['edition', playDigest],
  ['announcement', playAnnouncements],
] as const;

test.each(plays)('no schedule posts an %s twice, or loses it', async (_, play) => {
  const { steps } = await play(scene, { processes: 2, fates: new Map() });
  const untilMs = performance.now() + seconds * 1000;
  let played = 0;
  for (const schedule of tellingSchedules(steps, seed)) {
    if (performance.now() > untilMs) break;
    played += 1;
    const { fault, isExcused, trace } = await play(scene, schedule);
    if (fault === null || isExcused) continue;
    const fates = [...schedule.fates].map(([at, fate]) => `${fate} (step ${at})`).join(', then ');
    expect.fail(`Schedule ${played}, ${fates}: ${fault}\n${trace.join('\n')}`);
  }
  console.log(`${played} schedules in ${seconds} s.`);
});
