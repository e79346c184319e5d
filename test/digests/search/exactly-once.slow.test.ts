import { readFileSync } from 'node:fs';
import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  record,
  tuple,
} from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MINUTE_MS } from '../../../src/runtime/clock.ts';
import { isWhole, sample } from '../../fixtures/sample.ts';
import { type DigestScene, startDigestScene } from '../digest-scene.ts';
import { type Judged, playAnnouncements, playDigest } from './play-guild.ts';
import { permitReading } from './reading.ts';
import { type Finding, playOnce, type Search, search, searched, searches } from './searched.ts';
import { FATES, type Fate, type Kind, linesOf, type Schedule } from './simulation.ts';

/** `SEARCH_RUNS=5000 SEARCH_SEED=7` searches further, and elsewhere. */
const numRuns = Number(process.env['SEARCH_RUNS'] ?? (isWhole ? 1500 : 20));
const seed = Number(process.env['SEARCH_SEED'] ?? 1);
const mostFates = 4;
/** The first of these find most. */
const share = isWhole ? 300 : 6;
/** In which schedules planted faults were found. */
const findings = readFileSync(new URL('found.json', import.meta.url), 'utf8');
const found = Object.values(JSON.parse(findings) as Record<string, Finding & { what: Search }>);
/** More steps than most schedules have. */
const lastStep = 30;

let scene: DigestScene;
beforeAll(async () => {
  scene = await startDigestScene();
});
afterAll(() => scene.stop());

const fates = array(tuple(nat(lastStep), constantFrom(...FATES)), {
  minLength: 2,
  maxLength: mostFates,
});
const schedules = record({ processes: integer({ min: 1, max: 3 }), fates }).map(
  (drawn): Schedule => ({ ...drawn, fates: new Map(drawn.fates) }),
);

/** What went wrong and is not the one exception, as a person reads it. */
function unexcused({ fault, isExcused, trace }: Judged): string | null {
  return fault === null || isExcused ? null : `${fault}\n${linesOf(trace)}`;
}

/** The number of the step at which a process does so for the nth time. */
function stepOf({ trace }: Judged, does: Kind, nth = 1): number {
  const found = trace.flatMap(({ kind }, at) => (kind === does ? [at] : []));
  return found[nth - 1] ?? Number.NaN;
}

describe.each(searches)('%s', (what) => {
  beforeAll(() => permitReading(scene, !('mayRead' in searched[what])));
  afterAll(() => permitReading(scene, true));

  test('what is sent is recorded at the first look where nothing goes wrong', async () => {
    const { tookMs } = await playOnce(scene, what, { processes: 1, fates: new Map() });
    expect(tookMs).toBeLessThan(MINUTE_MS);
  });

  test('an edition and an announcement come once in each schedule in which a planted fault was found', async () => {
    for (const { processes, fates } of found.filter((one) => one.what === what)) {
      const { wrong, trace } = await playOnce(scene, what, { processes, fates: new Map(fates) });
      expect(wrong && `${wrong}\n${linesOf(trace)}`).toBeNull();
    }
  });

  test('an edition and an announcement come once in the schedules that find most', async () => {
    const searching = { seed, isEnough: (played: number) => played >= share };
    expect((await search(scene, what, searching)).found).toBeNull();
  });
});

const plays = [
  ['an edition is posted once', playDigest],
  ['each article is announced once', playAnnouncements],
] as const;

// Withstands (Processes that die): Processes die, pause, or lose requests and answers, at any step
// → each edition and announcement comes once, unless it is longer on its way than Discord remembers it
describe.each(plays)('%s', (_, play) => {
  test('each edition is posted once whatever happens at one step of one to three processes', async () => {
    const all: Schedule[] = [];
    for (const processes of [1, 2, 3]) {
      const { steps } = await play(scene, { processes, fates: new Map() });
      for (let at = 0; at < steps; at += 1) {
        for (const fate of FATES) all.push({ processes, fates: new Map([[at, fate]]) });
      }
    }
    for (const schedule of sample(all, 12)) {
      expect(unexcused(await play(scene, schedule))).toBeNull();
    }
  });

  test(`whatever happens at up to ${mostFates} steps`, { timeout: 3_600_000 }, async () => {
    const property = asyncProperty(schedules, async (schedule) => {
      expect(unexcused(await play(scene, schedule))).toBeNull();
    });
    await assert(property, { numRuns, seed });
  });

  test('an edition is posted twice only if what a process sends reaches Discord later than Discord remembers it', async () => {
    const base = await play(scene, { processes: 2, fates: new Map() });
    const late = new Map<number, Fate>([
      [stepOf(base, 'sends'), 'it arrives late, past the nonce'],
    ]);
    const { fault, isExcused } = await play(scene, { processes: 2, fates: late });
    expect(fault).toMatch(/posted 2 times|announced twice/);
    expect(isExcused).toBe(true);
  });

  test('each edition is posted once also where a process pauses between its look and its send, while one of a dead process arrives', async () => {
    const begun = new Map<number, Fate>();
    const played = () => play(scene, { processes: 1, fates: begun });
    begun.set(stepOf(await played(), 'sends'), 'it dies, and it arrives late, past the lease');
    // What a process writes down last before it sends once more.
    const noted = stepOf(await played(), 'sends', 2) - 1;
    begun.set(noted, 'it pauses both before');
    const { fault, trace } = await played();
    expect(trace.slice(noted + 1).map(({ kind }) => kind)).toContain('looks');
    expect(fault).toBeNull();
  });

  test('an edition may be missing where the bot may not read the channel back', async () => {
    await permitReading(scene, false);
    const property = asyncProperty(schedules, async (schedule) => {
      const { copies } = await play(scene, schedule);
      expect(copies).toBeLessThanOrEqual(1);
    });
    await assert(property, { numRuns: Math.ceil(numRuns / 2), seed }).finally(() =>
      permitReading(scene, true),
    );
  });
});
