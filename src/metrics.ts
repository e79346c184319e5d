import { channel } from 'node:diagnostics_channel';

/**
 * Signals for the metrics of this process. They hold no ids, because their fields become labels.
 * Durations are in seconds, as Prometheus has them.
 */
export type MetricEvents = {
  /** A member did something with a command; `seconds` until it was done with. */
  interaction: {
    kind: 'command' | 'component' | 'completion';
    command: string;
    outcome: 'answered' | 'refused' | 'outage' | 'fault';
    seconds: number;
  };
  /** A vote was counted; `none` is one taken back. */
  vote: { vote: 'up' | 'down' | 'none' };
  /** An event of the gateway was taken in; `seconds` until Redis had it. */
  event: { kind: 'reaction' | 'clear' | 'removal'; outcome: string; seconds: number };
  /** An event that could not be kept while Redis was away: its article needs a recount. */
  overflow: Record<string, never>;
  /** Part of the record was compared with the ranking; the numbers of votes and articles that were repaired. */
  recount: { kind: string; articles: number; repairs: number; seconds: number };
  /** The minute's work was done to its end. */
  tick: Record<string, never>;
  /** A digest was due; the delay after its slot. */
  digest: { outcome: string; lagSeconds: number };
  /** Redis went away or came back. */
  redis: { reachable: boolean };
  /** Discord made a request wait. */
  limit: { scope: 'global' | 'route'; seconds: number };
};

const channels = new Map<string, ReturnType<typeof channel>>();

function channelOf(name: keyof MetricEvents) {
  let found = channels.get(name);
  if (!found) channels.set(name, (found = channel(`frontpage:${name}`)));
  return found;
}

/** Costs next to nothing while nobody hears it. A listener that throws does not reach the teller. */
export function tell<K extends keyof MetricEvents>(name: K, what: MetricEvents[K]): void {
  const found = channelOf(name);
  if (found.hasSubscribers) found.publish(what);
}

/** Returns the function that ends it. */
export function hear<K extends keyof MetricEvents>(
  name: K,
  listener: (what: MetricEvents[K]) => void,
): () => unknown {
  const listen = (what: unknown): void => listener(what as MetricEvents[K]);
  const found = channelOf(name);
  found.subscribe(listen);
  return () => found.unsubscribe(listen);
}
