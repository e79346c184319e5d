import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { isOutage } from '../redis/errors.ts';

export type GatewayEvent = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  /** When it reached us: a vote that waits here past the closing time was still in time. */
  atMs: number;
} & (
  | {
      kind: 'reaction';
      member: Snowflake;
      direction: Direction;
      shown: boolean;
      /** When the member joined (ms) and what roles they have, as far as the gateway said so. */
      joinedAtMs?: number | null;
      roles?: readonly Snowflake[] | null;
    }
  | { kind: 'clear'; direction: Direction | 'all' }
  | { kind: 'removal' }
);

/** Says one happening to the ranking; `later` asks to be told again when it has settled. */
export type Say = (happening: GatewayEvent) => Promise<{ later?: Promise<unknown> }>;

/** What one member last did to one article, or what happened to the article as a whole. */
type Entry = {
  /** The last state for each emoji, in the order in which they happened. */
  states: Map<string, { happening: GatewayEvent; order: number }>;
  inFlight: number;
  /** Some of it did not arrive, or came too early: all of it is said again. */
  again: boolean;
};

export type RetryBuffer = {
  /** Said to the ranking before this returns, unless Redis is away. */
  take(happening: GatewayEvent): void;
  /** Resolves when nothing is on its way; what waits for Redis stays. */
  settled(): Promise<void>;
  stop(): void;
  /** How many entries are kept at the moment. */
  size: () => number;
};

const saidAtOnce = 200;
const clearsRemembered = 1000;

/**
 * Says what happens to the ranking in the order of arrival, and keeps what could not be said while
 * Redis was away, per article, member and emoji: every write says a state, so the last one wins.
 *
 * A failed write may have been applied, and a later one of the same member may have got through.
 * So a replay says everything that the member did meanwhile, in its order; what is shown is taken
 * back first, so that it counts as the last shown also where Redis knew it already.
 */
export function openRetryBuffer(options: {
  say: Say;
  limit: number;
  onFault: (error: unknown, happening: GatewayEvent) => void;
  onOutage: (away: boolean) => void;
  /** There was no room to keep this: only a recount can repair it. */
  onOverflow: (happening: GatewayEvent) => void;
  /** How often a Redis that is away is asked whether it is back. */
  probeEveryMs?: number;
}): RetryBuffer {
  const { say, limit, onFault, onOutage, onOverflow, probeEveryMs = 500 } = options;
  /** In the order of what happened last. */
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

  /** Showing what is shown does nothing, so a doubled event must not make it the last that was. */
  function isKnown(entry: Entry, happening: GatewayEvent): boolean {
    const known = entry.states.get(stateOf(happening));
    if (happening.kind !== 'reaction' || known?.happening.kind !== 'reaction') return false;
    return happening.shown && known.happening.shown && isCurrent(known);
  }

  /** Several happenings go out together, in this order, which the connection keeps. */
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

  /** Resolves when it was said, well or not, to what there is to wait for before saying it again. */
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
   * A clear that has to be said again would take away what was shown after it, so that waits until
   * the clear has arrived.
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

  /** One entry first: a dead Redis is not asked about thousands. */
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

  /** A reaction that a later clear took away must not come back. */
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
