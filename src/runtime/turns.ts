import { setImmediate as nextTurn } from 'node:timers/promises';

/** A step that took longer than this rests as long as it took before the next one begins (ms). */
const SHORT_MS = 5;

/** Long work of many owners, done in steps: one step at a time in the whole process. */
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
   * the process has as much time as the step took. A step must not wait for another work's step.
   */
  step(): Promise<() => void>;
}

type Waiting = { begun: number; start: () => void };

export function openTurns(): Turns {
  /** By owner; the owner that had its turn longest ago is the first. */
  const waiting = new Map<string, Waiting[]>();
  let begun = 0;
  let isBusy = false;

  function startNext(): void {
    isBusy = false;
    const [first] = waiting;
    if (first === undefined) return;
    const [owner, works] = first;
    const next = works.reduce((a, b) => (b.begun < a.begun ? b : a));
    waiting.delete(owner);
    const others = works.filter((work) => work !== next);
    if (others.length > 0) waiting.set(owner, others);
    isBusy = true;
    next.start();
  }

  async function rest(tookMs: number): Promise<void> {
    if (tookMs < SHORT_MS) await nextTurn();
    else await new Promise((resolve) => setTimeout(resolve, tookMs));
    startNext();
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
            if (!isBusy) startNext();
          });
          const startMs = performance.now();
          let isEnded = false;
          return () => {
            if (!isEnded) void rest(performance.now() - startMs);
            isEnded = true;
          };
        },
      };
    },
  };
}
