import { type Channel, channel } from 'node:diagnostics_channel';

/** The values of labels of which each has a series from the start, so that the first event counts. */
export const LABELS = {
  vote: ['up', 'down', 'none'],
  recountKind: ['counts', 'full'],
  digestOutcome: ['posted', 'empty', 'skipped', 'broken'],
  limitScope: ['global', 'route'],
  pageKind: ['page', 'feed'],
  twinAct: ['answer', 'message'],
} as const;
type Label<Name extends keyof typeof LABELS> = (typeof LABELS)[Name][number];

/**
 * Signals for the metrics of this process. They hold no ids, because their fields become labels.
 * Durations are in seconds, as Prometheus has them.
 */
export type MetricEvents = {
  /** An interaction was handled; the time from its arrival to its end. */
  interaction: {
    kind: 'command' | 'component' | 'completion';
    command: string;
    outcome: 'answered' | 'refused' | 'outage' | 'fault';
    seconds: number;
  };
  /** A vote was counted; `none` is a retracted one. */
  vote: { vote: Label<'vote'> };
  /** An event of the gateway was written to Redis; the time from its arrival to the write. */
  event: { kind: 'reaction' | 'clear' | 'removal'; outcome: string; seconds: number };
  /** Articles were compared with the record; `repairs` is the number of repaired votes and articles. */
  recount: { kind: Label<'recountKind'>; articles: number; repairs: number; seconds: number };
  /** The minute's work ended. */
  tick: Record<string, never>;
  /** A due digest was handled; its delay after the slot. */
  digest: { outcome: Label<'digestOutcome'>; lagSeconds: number };
  /** The connection to Redis was lost or is back. */
  redis: { reachable: boolean };
  /** A request waited for Discord's rate limit. */
  limit: { scope: Label<'limitScope'>; seconds: number };
  /** A page or feed was asked for. */
  page: { kind: Label<'pageKind'>; status: string; seconds: number };
  /** Something was done with this bot's token that no process with this data did. */
  twin: { what: Label<'twinAct'> };
  /** A key was written as a probe of Redis; null if Redis did not take it. */
  probe: { seconds: number | null };
};

/**
 * Kept, because Node 20 keeps none without a listener: when it collects one, it also forgets the channel that has its name
 * since then, and whoever listens there hears nothing any more.
 */
const channels = new Map<keyof MetricEvents, Channel>();

function channelOf(name: keyof MetricEvents): Channel {
  const found = channels.get(name) ?? channel(`frontpage:${name}`);
  channels.set(name, found);
  return found;
}

/** Costs almost nothing without a listener. An error of a listener does not reach the caller. */
export function emitMetric<K extends keyof MetricEvents>(name: K, what: MetricEvents[K]): void {
  const found = channelOf(name);
  if (found.hasSubscribers) found.publish(what);
}

/** Calls the listener at each event. Returns a function that stops it. */
export function onMetric<K extends keyof MetricEvents>(
  name: K,
  listener: (what: MetricEvents[K]) => void,
): () => unknown {
  const listen = (what: unknown): void => listener(what as MetricEvents[K]);
  const found = channelOf(name);
  found.subscribe(listen);
  return () => found.unsubscribe(listen);
}
