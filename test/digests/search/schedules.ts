import { constantFrom, integer, record, sample, tuple } from 'fast-check';
import { FATES, type Fate, type Schedule, type Taken } from './simulation.ts';

/**
 * Fates that lead where others do not: of pauses or ways that differ little, one is enough. What fails at once
 * leads where a lost request does, but for a look.
 */
const TELLING = FATES.filter(
  (fate) => !/a little|a nonce|a lease before|set back|fails at once/.test(fate),
);
/** Of these, most faults show at one of them. */
const MOST_TELLING: readonly Fate[] = [
  'it dies after',
  'the answer is lost',
  'it pauses both after',
];
/** What can happen to the send itself. */
const OF_SEND: readonly Fate[] = [
  'it dies after',
  'the request is lost',
  'the answer is lost',
  'it pauses a moment after',
  'it pauses both after',
  'it arrives late, past the lease',
  'it dies, and it arrives late, past the lease',
];
/** What can happen besides, before or after it. */
const OF_OTHERS: readonly Fate[] = [
  'the guild changes',
  'the answer is old',
  'it dies after',
  'it pauses both before',
  'it pauses both after',
];
/** What a request that arrives after its process died finds in the middle of another's. */
const BESIDE_A_LATE_SEND: readonly Fate[] = [
  'it dies after',
  'it pauses both before',
  'it pauses both after',
];
/** What goes wrong makes more steps than there are without it. */
const MORE_STEPS = 10;

type TraceOf = (processes: 1 | 2) => readonly Taken[];

/** What the schedules of a search go to first. */
export type Aim = keyof typeof AIMS;
const AIMS = {
  'a Redis that is set back': (of: TraceOf) => mixed(settingBack(of(2))),
  'the edits of an edition': (of: TraceOf) => mixed(aroundEdits(of(2))),
  'a look that fails': (of: TraceOf) => mixed(failedLook(of(1))),
  'a send that another process overtakes': (of: TraceOf) => mixed(overtakenSend(of(2))),
};

/**
 * Schedules in the order in which they find most: those of the aim, in turn one fate at each step of two
 * processes, a pause at each of one, and one fate at the send, which cannot be taken back, with one at another
 * step, of one and of two processes (of one, first what arrives late); and then pairs of any kind, without end.
 * `trace`: of so many processes, where all goes well.
 */
export function* tellingSchedules(
  trace: ReadonlyMap<1 | 2, readonly Taken[]>,
  { seed, aim }: { seed: number; aim: Aim | undefined },
): Generator<Schedule> {
  const of: TraceOf = (processes) => trace.get(processes) ?? [];
  if (aim !== undefined) yield* AIMS[aim](of);
  const singles = (fates: readonly Fate[]) =>
    mixed(
      of(2).flatMap((_, at) =>
        fates.map((fate): Schedule => ({ processes: 2, fates: new Map([[at, fate]]) })),
      ),
    );
  const others = TELLING.filter((fate) => !MOST_TELLING.includes(fate));
  yield* inTurn(
    [...singles(MOST_TELLING), ...singles(others)],
    mixed(pausesOfOne(of(1))),
    [...mixed(besideLateSend(1, of(1))), ...mixed(aroundSend(1, of(1)))],
    mixed(aroundSend(2, of(2))),
  );
  const fate = constantFrom(...TELLING);
  const first = integer({ min: 0, max: of(2).length });
  const pair = record({
    first,
    after: integer({ min: 1, max: MORE_STEPS }),
    both: tuple(fate, fate),
  });
  for (let round = seed; ; round += 1) {
    for (const { first: at, after, both } of sample(pair, { seed: round, numRuns: 1000 })) {
      yield {
        processes: 2,
        fates: new Map([
          [at, both[0]],
          [at + after, both[1]],
        ]),
      };
    }
  }
}

/** Nobody takes over from a process that stands still. */
function pausesOfOne(trace: readonly Taken[]): Schedule[] {
  const fates: Fate[] = ['it pauses both before', 'it pauses both after'];
  return trace.flatMap((_, at) =>
    fates.map((fate) => ({ processes: 1, fates: new Map([[at, fate]]) })),
  );
}

/** A look that fails, when Discord has forgotten the nonce of what a dead process sent. */
function failedLook(trace: readonly Taken[]): Schedule[] {
  const send = sendIn(trace);
  return stepsAfter(send, MORE_STEPS).flatMap((at) =>
    [1, 2, 3].map((after) => ({
      processes: 1,
      fates: new Map<number, Fate>([
        [send, 'it dies after'],
        [at, 'it pauses both after'],
        [at + after, 'it fails at once'],
      ]),
    })),
  );
}

/** What a process sent is edited by the next, which stands still at one of its steps, or whose edit comes late. */
function aroundEdits(trace: readonly Taken[]): Schedule[] {
  const send = sendIn(trace);
  const ofSend: Fate[] = ['it dies after', 'the answer is lost'];
  const ofEdit: Fate[] = ['it pauses both before', 'it pauses both after', 'the guild changes'];
  return stepsAfter(send, 2 * MORE_STEPS).flatMap((at) =>
    ofSend.flatMap((first) =>
      ofEdit.map((fate) => ({
        processes: 2,
        fates: new Map<number, Fate>([
          [send, first],
          [at, fate],
        ]),
      })),
    ),
  );
}

/** A send is longer on its way than a claim, and another process sends meanwhile, and stands still after it. */
function overtakenSend(trace: readonly Taken[]): Schedule[] {
  const send = sendIn(trace);
  return stepsAfter(send, 2 * MORE_STEPS).map((at) => ({
    processes: 2,
    fates: new Map<number, Fate>([
      [send, 'it pauses a lease before'],
      [at, 'it pauses both after'],
    ]),
  }));
}

/** Redis is set back at each step, alone and after anything else. */
function settingBack(trace: readonly Taken[]): Schedule[] {
  const fate: Fate = 'Redis is set back';
  const steps = Array.from({ length: trace.length + MORE_STEPS }, (_, at) => at);
  const alone = steps.map((at): Schedule => ({ processes: 2, fates: new Map([[at, fate]]) }));
  const after = steps.flatMap((at) =>
    [1, 2, 3, 5, 8].flatMap((later) =>
      OF_OTHERS.map((first) => ({
        processes: 2,
        fates: new Map<number, Fate>([
          [at, first],
          [at + later, fate],
        ]),
      })),
    ),
  );
  return [...alone, ...after];
}

/** The send arrives while the next process is at one of its steps. */
function besideLateSend(processes: 1 | 2, trace: readonly Taken[]): Schedule[] {
  const send = sendIn(trace);
  return stepsAfter(send, MORE_STEPS).flatMap((at) =>
    BESIDE_A_LATE_SEND.map((fate) => ({
      processes,
      fates: new Map<number, Fate>([
        [send, 'it dies, and it arrives late, past the lease'],
        [at, fate],
      ]),
    })),
  );
}

function stepsAfter(step: number, count: number): number[] {
  return Array.from({ length: count }, (_, later) => step + 1 + later);
}

/** The step of the first send. */
function sendIn(trace: readonly Taken[]): number {
  return Math.max(
    0,
    trace.findIndex(({ kind }) => kind === 'sends'),
  );
}

function aroundSend(processes: 1 | 2, trace: readonly Taken[]): Schedule[] {
  const send = sendIn(trace);
  const others = Array.from({ length: trace.length + MORE_STEPS }, (_, at) => at);
  return others
    .filter((at) => at !== send)
    .flatMap((at) =>
      OF_SEND.flatMap((ofSend) =>
        OF_OTHERS.map((fate) => ({
          processes,
          fates: new Map([
            [send, ofSend],
            [at, fate],
          ]),
        })),
      ),
    );
}

/** One of each list in turn. */
function* inTurn<T>(...lists: T[][]): Generator<T> {
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let at = 0; at < longest; at += 1) {
    for (const list of lists) yield* list.slice(at, at + 1);
  }
}

/** The same, with neighbours far apart. */
function mixed<T>(all: readonly T[]): T[] {
  // A prime that divides no such number of schedules.
  const stride = 7919;
  const order = all.map((one, at) => ({ one, rank: (at * stride) % all.length }));
  return order.toSorted((a, b) => a.rank - b.rank).map(({ one }) => one);
}
