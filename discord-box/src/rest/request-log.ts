import type { Clock } from '../model/clock.ts';

type LoggedRequest = {
  atMs: number;
  method: string;
  /** The route's pattern, never the path itself: that may hold an interaction's token. */
  route: string;
  status: number;
  tookMs: number;
  channelId: string | null;
};

export type RequestLog = {
  /** The latest, oldest first. */
  recent: LoggedRequest[];
  /** How often each `METHOD route status` was seen since the start or the last reset. */
  counts: Map<string, number>;
  /** A request has come; `add` says how it ended. */
  begin(): void;
  add(request: Omit<LoggedRequest, 'atMs'>): void;
  /** Whether no request is under way. */
  isIdle(): boolean;
  /** How many requests match, such as `count('PUT', /reactions/, 429)`. */
  count(method?: string, route?: RegExp, status?: number): number;
  reset(): void;
};

const KEPT = 2000;

/** `tell` hears of each request when its response is there. */
export function openRequestLog(
  clock: Clock,
  tell: (request: LoggedRequest) => void = () => {},
): RequestLog {
  const recent: LoggedRequest[] = [];
  const counts = new Map<string, number>();
  let underWay = 0;
  return {
    recent,
    counts,
    begin: () => {
      underWay += 1;
    },
    isIdle: () => underWay === 0,
    add: (request) => {
      underWay -= 1;
      const logged = { atMs: clock.now(), ...request };
      recent.push(logged);
      if (recent.length > KEPT) recent.splice(0, KEPT / 2);
      const key = `${request.method} ${request.route} ${request.status}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
      tell(logged);
    },
    count: (method, route, status) => {
      let total = 0;
      for (const [key, count] of counts) {
        const [keyMethod, keyRoute = '', keyStatus] = key.split(' ');
        if (method !== undefined && keyMethod !== method) continue;
        if (route !== undefined && !route.test(keyRoute)) continue;
        if (status !== undefined && keyStatus !== String(status)) continue;
        total += count;
      }
      return total;
    },
    reset: () => {
      recent.length = 0;
      counts.clear();
    },
  };
}
