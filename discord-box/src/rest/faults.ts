import type { Random } from '../world/random.ts';

/** Something that goes wrong with some of the bot's requests. */
export type RestFault = {
  /** Only these; all when absent. */
  method?: string;
  route?: RegExp;
  /** The path, with its ids. */
  path?: RegExp;
  /** The body's text, of requests that send one. */
  body?: RegExp;
  /** In how many of the matching requests: 1 by default. */
  chance?: number;
  /** Let so many of them pass first. */
  after?: number;
  /** How often at most. */
  times?: number;
  /** Wait before doing anything. */
  delayMs?: number;
  /** Wait for this before doing anything; with `afterTheWork`, after it. */
  until?: () => Promise<void>;
  /** Wait after the work, so that the response comes later than its events. */
  lagMs?: number;
  /** Show messages and reactions as they were so long ago, at most 30 s: such responses lag behind the gateway. */
  staleMs?: number;
  /** Show at most so many of who reacted, though more follow: a page can be shorter than was asked for. */
  reactorsAtMost?: number;
  /** Respond with this status instead of the result. */
  status?: number;
  /** The error's code in that response. */
  code?: number;
  /** Respond with a page of HTML instead of JSON, as a proxy does. */
  html?: boolean;
  /** With the status 429: how long to wait, one second by default; null: it does not say. And who is limited. */
  retryAfterSeconds?: number | null;
  scope?: 'user' | 'shared' | 'global';
  /** Do the work first, then respond with `status`: what a gateway timeout looks like from outside. */
  afterTheWork?: boolean;
  /** Cut the connection instead of responding. */
  cut?: boolean;
};

export type HeldRequest = {
  /** Whether the request has come. */
  isHeld(): boolean;
  /** It goes on, or will when it comes. */
  letGo(): void;
};

export type RestFaults = {
  /** Begins a fault; returns how to end it. */
  add(fault: RestFault): () => void;
  /** Holds the next such request, or with `afterTheWork` its response. */
  hold(fault: RestFault): HeldRequest;
  clear(): void;
  /** `body` is asked only where a fault is about it. */
  match(
    method: string,
    route: string,
    path: string,
    body: () => Promise<string>,
  ): Promise<RestFault | undefined>;
};

export function openRestFaults(random: Random): RestFaults {
  const faults = new Map<RestFault, { met: number; used: number }>();
  function add(fault: RestFault): () => void {
    faults.set(fault, { met: 0, used: 0 });
    return () => faults.delete(fault);
  }
  return {
    add,
    hold(fault) {
      let isHeld = false;
      let letGo: (() => void) | undefined;
      const gone = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const until = (): Promise<void> => {
        isHeld = true;
        return gone;
      };
      add({ times: 1, ...fault, until });
      return { isHeld: () => isHeld, letGo: () => letGo?.() };
    },
    clear: () => faults.clear(),
    match: async (method, route, path, body) => {
      for (const [fault, tally] of faults) {
        if (fault.method !== undefined && fault.method !== method) continue;
        if (fault.route !== undefined && !fault.route.test(route)) continue;
        if (fault.path !== undefined && !fault.path.test(path)) continue;
        if (fault.body !== undefined && !fault.body.test(await body())) continue;
        if (fault.times !== undefined && tally.used >= fault.times) continue;
        tally.met += 1;
        if (tally.met <= (fault.after ?? 0)) continue;
        if (fault.chance !== undefined && random.next() >= fault.chance) continue;
        tally.used += 1;
        return fault;
      }
      return undefined;
    },
  };
}
