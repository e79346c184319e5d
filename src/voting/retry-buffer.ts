import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { isOutage } from '../redis/errors.ts';

export type GatewayEvent = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  /** When the event arrived. A vote that waits here past the closing time was still in time. */
  atMs: number;
} & (
  | {
      kind: 'reaction';
      member: Snowflake;
      direction: Direction;
      shown: boolean;
      /** When the member joined (ms), and the member's roles, if the gateway sent them. */
      joinedAtMs?: number | null;
      roles?: readonly Snowflake[] | null;
    }
  | { kind: 'clear'; direction: Direction | 'all' }
  | { kind: 'removal' }
);

/** Writes one event to the ranking. If `later` is returned, write it again after that settles. */
export type Say = (happening: GatewayEvent) => Promise<{ later?: Promise<unknown> }>;

/** The last events of one member on one article, or of the article as a whole. */
type Entry = {
  /** The last state for each emoji, in the order of the events. */
  states: Map<string, { happening: GatewayEvent; order: number }>;
  inFlight: number;
  /** A write failed or came too early, so all states are written again. */
  again: boolean;
};

export type RetryBuffer = {
  /** Issues the write before it returns, unless Redis is down or the event has to wait. */
  take(happening: GatewayEvent): void;
  /** Resolves when no write is in flight. Events that wait for Redis stay. */
  settled(): Promise<void>;
  stop(): void;
  /** The number of entries that are kept now. */
  size: () => number;
};

const saidAtOnce = 200;
const clearsRemembered = 1000;

/**
 * Writes events to the ranking in the order of arrival. While Redis is down, it keeps them per article,
 * member and emoji: every write sets a state, so the last one wins.
 *
 * A failed write may have been applied, and a later write of the same member may have succeeded. So a
 * replay writes all of the member's kept states again, in order. A shown reaction is first removed, so
 * that it counts as the last one shown even if Redis had it already.
 */
export function openRetryBuffer(options: {
  say: Say;
  limit: number;
  onFault: (error: unknown, happening: GatewayEvent) => void;
  onOutage: (away: boolean) => void;
  /** There was no room to keep this event. Only a recount can repair it. */
  onOverflow: (happening: GatewayEvent) => void;
  /** The interval of probes while Redis is down (ms). */
  probeEveryMs?: number;
}): RetryBuffer {
  const { say, limit, onFault, onOutage, onOverflow, probeEveryMs = 500 } = options;
  /** In the order of their last events. */
  const entries = new Map<string, Entry>();
  const clears = new Map<string, number>();
  const flights = new Set<Promise<void>>();
  let order = 0;
  let away = false;
  let failed = false;
  let probe: NodeJS.Timeout | undefined;
  let stopped = false;

  function take(happening: GatewayEvent): void {
    order += 1;
    const key = keyOf(happening);
    const entry = entries.get(key) ?? { states: new Map(), inFlight: 0, again: false };
    if (away && entries.size >= limit && !entries.has(key)) return onOverflow(happening);
    if (!isKnown(entry, happening)) {
      const state = stateOf(happening);
      entry.states.delete(state);
      entry.states.set(state, { happening, order });
    }
    entries.delete(key);
    entries.set(key, entry);
    if (happening.kind === 'clear') rememberClear(happening);
    if (away || entry.again || mustWait(happening)) entry.again = true;
    else void fly(key, entry, [happening]);
  }

  /** A repeated event for a shown reaction changes nothing, so it must not become the last one shown. */
  function isKnown(entry: Entry, happening: GatewayEvent): boolean {
    const known = entry.states.get(stateOf(happening));
    if (happening.kind !== 'reaction' || known?.happening.kind !== 'reaction') return false;
    return happening.shown && known.happening.shown && isCurrent(known);
  }

  /** Writes several events together. The connection keeps their order. */
  function fly(key: string, entry: Entry, happenings: GatewayEvent[]): Promise<unknown> {
    entry.inFlight += 1;
    const said = happenings.map((happening) => sayOne(entry, happening));
    const flight = Promise.all(said)
      .then((waits) => Promise.all(waits.map((wait) => wait())))
      .then(() => {
        flights.delete(flight);
        entry.inFlight -= 1;
        if (entry.inFlight > 0) return;
        if (entry.again && !away) void flyAgain(key, entry);
        if (entry.again || entry.inFlight > 0) return;
        entries.delete(key);
        if (!away) release(happenings[0]);
      });
    flights.add(flight);
    return Promise.all(said);
  }

  /** Resolves after the write, also a failed one, to a function that waits until a retry is useful. */
  async function sayOne(entry: Entry, happening: GatewayEvent): Promise<() => unknown> {
    try {
      const { later } = await say(happening);
      if (later) entry.again = true;
      return () => later;
    } catch (error) {
      if (isOutage(error)) {
        entry.again = true;
        failed = true;
        leave();
      } else {
        onFault(error, happening);
      }
      return () => undefined;
    }
  }

  function flyAgain(key: string, entry: Entry): Promise<unknown> {
    entry.again = false;
    const current = [...entry.states.values()].filter(isCurrent);
    return fly(
      key,
      entry,
      current.flatMap(({ happening }) => replay(happening)),
    );
  }

  /**
   * A clear that is written again would also remove reactions that came after it. So those reactions
   * wait until the clear is written.
   */
  function mustWait({ kind, article }: GatewayEvent): boolean {
    return kind === 'reaction' && entries.has(`${article}:clear`);
  }

  function release(settled: GatewayEvent | undefined): void {
    if (settled?.kind !== 'clear') return;
    for (const [key, entry] of entries) {
      const waits = entry.again && entry.inFlight === 0;
      if (waits && key.startsWith(`${settled.article}:`)) void flyAgain(key, entry);
    }
  }

  function leave(): void {
    if (away) return;
    away = true;
    onOutage(true);
    scheduleProbe();
  }

  function scheduleProbe(): void {
    if (!stopped) probe = setTimeout(() => void comeBack(), probeEveryMs);
  }

  /** Try one entry first, so that a Redis that is still down does not get thousands of writes. */
  async function comeBack(): Promise<void> {
    for (let most = 1; ; most = saidAtOnce) {
      const waiting = firstWaiting(most);
      if (waiting.length === 0) break;
      failed = false;
      await Promise.all(waiting.map(([key, entry]) => flyAgain(key, entry)));
      if (failed) return scheduleProbe();
    }
    away = false;
    onOutage(false);
  }

  function firstWaiting(most: number): [string, Entry][] {
    const waiting: [string, Entry][] = [];
    for (const [key, entry] of entries) {
      const states = [...entry.states.values()];
      if (!entry.again || entry.inFlight > 0) continue;
      if (states.some(({ happening }) => mustWait(happening))) continue;
      waiting.push([key, entry]);
      if (waiting.length === most) break;
    }
    return waiting;
  }

  function rememberClear({ article, direction }: GatewayEvent & { kind: 'clear' }): void {
    clears.delete(`${article}:${direction}`);
    clears.set(`${article}:${direction}`, order);
    if (clears.size > clearsRemembered) clears.delete(clears.keys().next().value ?? '');
  }

  /** A reaction that a later clear removed must not come back. */
  function isCurrent({ happening, order }: { happening: GatewayEvent; order: number }): boolean {
    if (happening.kind !== 'reaction') return true;
    const { article, direction } = happening;
    return [direction, 'all'].every(
      (cleared) => (clears.get(`${article}:${cleared}`) ?? 0) < order,
    );
  }

  return {
    take,
    size: () => entries.size,
    async settled() {
      while (flights.size > 0) await Promise.allSettled(flights);
    },
    stop() {
      stopped = true;
      clearTimeout(probe);
    },
  };
}

function keyOf(happening: GatewayEvent): string {
  return `${happening.article}:${happening.kind === 'reaction' ? happening.member : happening.kind}`;
}

function stateOf(happening: GatewayEvent): string {
  return happening.kind === 'removal' ? '' : happening.direction;
}

function replay(happening: GatewayEvent): GatewayEvent[] {
  if (happening.kind !== 'reaction' || !happening.shown) return [happening];
  return [{ ...happening, shown: false }, happening];
}
