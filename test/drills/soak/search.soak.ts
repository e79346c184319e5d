import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DigestScene, startDigestScene } from '../../digests/digest-scene.ts';
import { type Judged, playAnnouncements, playDigest } from '../../digests/search/play-guild.ts';
import { permitReading } from '../../digests/search/reading.ts';
import { tellingSchedules } from '../../digests/search/schedules.ts';

/** `SEARCH_SECONDS=600 SEARCH_SEED=7 npm run soak -- test/drills/soak/search.soak.ts` */
const seconds = Number(process.env['SEARCH_SECONDS'] ?? 120);
const seed = Number(process.env['SEARCH_SEED'] ?? 1);

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());

const once = ({ fault, isExcused }: Judged) => (isExcused ? null : fault);
/** Where the bot may not read, it may lose one, but never posts one twice. */
const atMostOnce = ({ fault, copies }: Judged) => (copies > 1 ? fault : null);

const plays = [
  ['an edition is posted once', playDigest, { mayRead: true, wrong: once }],
  ['an article is announced once', playAnnouncements, { mayRead: true, wrong: once }],
  ['an unread edition is posted at most once', playDigest, { mayRead: false, wrong: atMostOnce }],
] as const;

test.each(plays)('%s', async (_, play, { mayRead, wrong }) => {
  await permitReading(scene, mayRead);
  const trace = new Map<1 | 2, string[]>();
  for (const processes of [1, 2] as const) {
    trace.set(processes, (await play(scene, { processes, fates: new Map() })).trace);
  }
  const untilMs = performance.now() + seconds * 1000;
  let played = 0;
  for (const schedule of tellingSchedules(trace, seed)) {
    if (performance.now() > untilMs) break;
    played += 1;
    const judged = await play(scene, schedule);
    const fault = wrong(judged);
    if (fault === null) continue;
    const fates = [...schedule.fates].map(([at, fate]) => `${fate} (step ${at})`).join(', then ');
    expect.fail(`Schedule ${played}, ${fates}: ${fault}\n${judged.trace.join('\n')}`);
  }
  console.log(`${played} schedules in ${seconds} s.`);
});
