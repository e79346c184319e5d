import { setTimeout as pause } from 'node:timers/promises';
import { isOutage } from '../redis/errors.ts';
import type { GatewayEvent } from './gateway-event.ts';

/** Writes one event to the ranking. If `later` is returned, write it again after that settles. */
type WriteEvent = (event: GatewayEvent) => Promise<{ later?: Promise<unknown> }>;

/** The last events of one member on one article, or of the article as a whole. */
type Entry = {
  /** The last state for each emoji, in the order of the events. */
  states: Map<string, { event: GatewayEvent; order: number }>;
  inFlight: number;
  /** A write failed or came too early, so all states are written again. */
  again: boolean;
  /** How often writes failed although Redis can be reached. */
  faults: number;
};

type RetryBuffer = {
  /** Issues the write before it returns, unless Redis is down or the event has to wait. */
  take(event: GatewayEvent): void;
  /** Resolves when no write is in flight. Events that wait for Redis stay. */
  settled(): Promise<void>;
  stop(): void;
  /** The number of entries that are kept now. */
  size: () => number;
};

const writtenAtOnce = 200;
/** Other faults than an outage may pass too, such as a missing permission, so the write is tried again. */
const faultPausesMs = [5000, 15_000, 60_000, 300_000];
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
  write: WriteEvent;
  limit: number;
  /** The write failed although Redis can be reached. It is tried a few times more. */
  onFault: (error: unknown, event: GatewayEvent) => void;
  onOutage: (away: boolean) => void;
  /** There was no room to keep this event. Only a recount can repair it. */
  onOverflow: (event: GatewayEvent) => void;
  /** The interval of probes while Redis is down (ms). */
  probeEveryMs?: number;
  /** The pauses before a write with another fault is tried again (ms). */
  pausesMs?: readonly number[];
}): RetryBuffer {
  const { write, limit, onFault, onOutage, onOverflow, probeEveryMs = 500 } = options;
  const { pausesMs = faultPausesMs } = options;
  /** In the order of their last events. */
  const entries = new Map<string, Entry>();
  const clears = new Map<string, number>();
  const inFlight = new Set<Promise<void>>();
  let order = 0;
  let away = false;
  let failed = false;
  let probe: NodeJS.Timeout | undefined;
  const stopping = new AbortController();

  function take(event: GatewayEvent): void {
    order += 1;
    const key = keyOf(event);
    const entry = entries.get(key) ?? { states: new Map(), inFlight: 0, again: false, faults: 0 };
    if (entries.size >= limit && !entries.has(key)) return onOverflow(event);
    if (!isKnown(entry, event)) {
      const state = stateOf(event);
      entry.states.delete(state);
      entry.states.set(state, { event, order });
    }
    entries.delete(key);
    entries.set(key, entry);
    if (event.kind === 'clear') rememberClear(event);
    if (away || entry.again || mustWait(event)) entry.again = true;
    else void send(key, entry, [event]);
  }

  /** A repeated event for a shown reaction changes nothing, so it must not become the last one shown. */
  function isKnown(entry: Entry, event: GatewayEvent): boolean {
    const known = entry.states.get(stateOf(event));
    if (event.kind !== 'reaction' || known?.event.kind !== 'reaction') return false;
    return event.shown && known.event.shown && isCurrent(known);
  }

  /** Writes several events together. The connection keeps their order. */
  function send(key: string, entry: Entry, events: GatewayEvent[]): Promise<unknown> {
    entry.inFlight += 1;
    const writes = events.map((event) => writeOne(entry, event));
    const writing = Promise.all(writes)
      .then((waits) => Promise.all(waits.map((wait) => wait())))
      .then(() => {
        inFlight.delete(writing);
        entry.inFlight -= 1;
        if (entry.inFlight > 0) return;
        if (stopping.signal.aborted) return;
        if (entry.again && !away) void sendAgain(key, entry);
        if (entry.again || entry.inFlight > 0) return;
        entries.delete(key);
        if (!away) release(events[0]);
      });
    inFlight.add(writing);
    return Promise.all(writes);
  }

  /** Resolves after the write, also a failed one, to a function that waits until a retry is useful. */
  async function writeOne(entry: Entry, event: GatewayEvent): Promise<() => unknown> {
    try {
      const { later } = await write(event);
      if (later) entry.again = true;
      return () => later;
    } catch (error) {
      if (isOutage(error)) {
        entry.again = true;
        failed = true;
        beginOutage();
        return () => undefined;
      }
      onFault(error, event);
      const pauseMs = pausesMs[entry.faults];
      entry.faults += 1;
      if (pauseMs === undefined) return () => undefined;
      entry.again = true;
      return () => pause(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  function sendAgain(key: string, entry: Entry): Promise<unknown> {
    entry.again = false;
    const current = [...entry.states.values()].filter(isCurrent);
    return send(
      key,
      entry,
      current.flatMap(({ event }) => replay(event)),
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
      if (waits && key.startsWith(`${settled.article}:`)) void sendAgain(key, entry);
    }
  }

  function beginOutage(): void {
    if (away) return;
    away = true;
    onOutage(true);
    scheduleProbe();
  }

  function scheduleProbe(): void {
    if (!stopping.signal.aborted) probe = setTimeout(() => void endOutage(), probeEveryMs);
  }

  /** Tries one entry first, so that a Redis that is still down does not get thousands of writes. */
  async function endOutage(): Promise<void> {
    for (let most = 1; ; most = writtenAtOnce) {
      const waiting = firstWaiting(most);
      if (waiting.length === 0) break;
      failed = false;
      await Promise.all(waiting.map(([key, entry]) => sendAgain(key, entry)));
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
      if (states.some(({ event }) => mustWait(event))) continue;
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
  function isCurrent({ event, order }: { event: GatewayEvent; order: number }): boolean {
    if (event.kind !== 'reaction') return true;
    const { article, direction } = event;
    return [direction, 'all'].every(
      (cleared) => (clears.get(`${article}:${cleared}`) ?? 0) < order,
    );
  }

  return {
    take,
    size: () => entries.size,
    async settled() {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
    stop() {
      stopping.abort();
      clearTimeout(probe);
    },
  };
}

function keyOf(event: GatewayEvent): string {
  return `${event.article}:${event.kind === 'reaction' ? event.member : event.kind}`;
}

function stateOf(event: GatewayEvent): string {
  return event.kind === 'removal' ? '' : event.direction;
}

function replay(event: GatewayEvent): GatewayEvent[] {
  if (event.kind !== 'reaction' || !event.shown) return [event];
  return [{ ...event, shown: false }, event];
}
