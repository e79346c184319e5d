import { setImmediate as nextTurn } from 'node:timers/promises';

/** A step that took longer than this rests as long as it took before the next one begins (ms). */
const SHORT_MS = 5;
/**
 * A step that takes longer waits, for a server that does not answer: then none waits for another, or each of
 * many would be answered a time limit later than the one before (ms).
 */
const STUCK_MS = 250;

/** Long work of many owners, done in steps: one step at a time in the whole process, unless one is stuck. */
export interface Turns {
  /** Begins work of an owner, such as a guild. */
  begin(owner: string): LongWork;
  /** How many works of an owner wait for their turn. */
  waitingOf(owner: string): number;
}

export interface LongWork {
  /**
   * Resolves when the next step may begin, with a function that ends the step. The owners that wait take
   * turns, and of an owner the work that began first comes first. After a long step everything else in
   * the process has as much time as the step took.
   */
  step(): Promise<() => void>;
}

type Waiting = { begun: number; start: () => void };

export function openTurns(): Turns {
  /** By owner; the owner that had its turn longest ago is the first. */
  const waiting = new Map<string, Waiting[]>();
  let begun = 0;
  let running = 0;
  /** Steps get no answer, so that each begins at once. */
  let isStuck = false;

  function startNext(): void {
    const [first] = waiting;
    if (first === undefined) return;
    const [owner, works] = first;
    const next = works.reduce((a, b) => (b.begun < a.begun ? b : a));
    waiting.delete(owner);
    const others = works.filter((work) => work !== next);
    if (others.length > 0) waiting.set(owner, others);
    running += 1;
    next.start();
  }

  function letAllBegin(): void {
    isStuck = true;
    while (waiting.size > 0) startNext();
  }

  async function endStep(tookMs: number): Promise<void> {
    if (tookMs < STUCK_MS) isStuck = false;
    if (tookMs < SHORT_MS) await nextTurn();
    else await new Promise((resolve) => setTimeout(resolve, Math.min(tookMs, STUCK_MS)));
    running -= 1;
    if (running === 0) startNext();
  }

  return {
    waitingOf: (owner) => waiting.get(owner)?.length ?? 0,
    begin(owner) {
      begun += 1;
      const number = begun;
      return {
        async step() {
          await new Promise<void>((resolve) => {
            const works = waiting.get(owner);
            const work = { begun: number, start: resolve };
            if (works) works.push(work);
            else waiting.set(owner, [work]);
            if (running === 0 || isStuck) startNext();
          });
          const startMs = performance.now();
          const stuck = setTimeout(letAllBegin, STUCK_MS).unref();
          let isEnded = false;
          return () => {
            if (isEnded) return;
            isEnded = true;
            clearTimeout(stuck);
            void endStep(performance.now() - startMs);
          };
        },
      };
    },
  };
}
