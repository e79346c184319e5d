import type { Random } from '../world/random.ts';

/** What happens to events on their way to the bot: shares of them, between 0 and 1. */
type EventFaults = {
  drop?: number;
  double?: number;
  /** Held back until after the next event. */
  reorder?: number;
  /** Only these events, by name; all when absent. */
  only?: RegExp;
};

export type EventFilter = {
  set(faults: EventFaults | undefined): void;
  /** Passes an event on: never, once, twice, or after the next one. */
  pass(t: string, send: () => void): void;
  /** Sends what is still held back. */
  flush(): void;
};

export function openEventFilter(random: Random): EventFilter {
  let faults: EventFaults | undefined;
  const held: (() => void)[] = [];
  const flush = (): void => {
    for (const send of held.splice(0)) send();
  };
  return {
    set: (next) => {
      faults = next;
      if (next === undefined) flush();
    },
    flush,
    pass: (t, send) => {
      if (faults === undefined || faults.only?.test(t) === false) return send();
      const { drop = 0, double = 0, reorder = 0 } = faults;
      const roll = random.next();
      if (roll < drop) return;
      if (roll < drop + double) send();
      if (roll >= drop + double && roll < drop + double + reorder) {
        held.push(send);
        return;
      }
      send();
      flush();
    },
  };
}
