import { constantFrom, integer, record, sample } from 'fast-check';
import { FATES, type Fate, type Schedule } from './simulation.ts';

/** Those that lead where others do not: two kinds of pauses or ways that differ little are one. */
const TELLING = FATES.filter((fate) => !/a little|a nonce|a lease before/.test(fate));
/** What goes wrong makes more steps than there are without it. */
const MORE_STEPS = 10;

/**
 * Schedules for two processes, in the order in which they find most: each fate at each step, mixed, and
 * then pairs of fates without end. `steps`: how many there are if all goes well.
 */
export function* tellingSchedules(steps: number, seed: number): Generator<Schedule> {
  const singles = Array.from({ length: steps }, (_, at) => at).flatMap((at) =>
    TELLING.map((fate): Schedule => ({ processes: 2, fates: new Map([[at, fate]]) })),
  );
  yield* mixed(singles);
  const fate = constantFrom(...TELLING);
  const pair = record({
    first: integer({ min: 0, max: steps }),
    after: integer({ min: 1, max: MORE_STEPS }),
    fates: record({ first: fate, second: fate }),
  });
  for (let round = seed; ; round += 1) {
    for (const { first, after, fates } of sample(pair, { seed: round, numRuns: 1000 })) {
      const both: [number, Fate][] = [
        [first, fates.first],
        [first + after, fates.second],
      ];
      yield { processes: 2, fates: new Map(both) };
    }
  }
}

/** The same, with neighbours far apart. */
function mixed<T>(all: readonly T[]): T[] {
  const stride = 97;
  const order = all.map((one, at) => ({ one, rank: (at * stride) % all.length }));
  return order.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one);
}
