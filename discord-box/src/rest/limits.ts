import { createHash } from 'node:crypto';
import type { Clock } from '../model/clock.ts';

/** Requests in a window, by the world's clock. */
type Limit = { requests: number; perMs: number };

/**
 * The bucket's name and limit; reactions of all kinds share one. First match counts.
 * `apart`: each method is counted alone, although all tell the same name (api-docs issue 8073).
 */
const BUCKETS: {
  name: string;
  method: RegExp;
  route: RegExp;
  limit: Limit;
  apart?: true;
}[] = [
  {
    name: 'react',
    method: /PUT|DELETE/,
    route: /\/reactions/,
    limit: { requests: 1, perMs: 250 },
  },
  {
    name: 'reaction-users',
    method: /GET/,
    route: /\/reactions/,
    limit: { requests: 10, perMs: 5000 },
  },
  {
    name: 'delete-message',
    method: /DELETE/,
    route: /^\/channels\/.*messages/,
    limit: { requests: 5, perMs: 1000 },
  },
  {
    name: 'crosspost',
    method: /POST/,
    route: /\/crosspost$/,
    limit: { requests: 10, perMs: 3_600_000 },
  },
  {
    name: 'message',
    method: /POST|PATCH/,
    route: /messages/,
    limit: { requests: 5, perMs: 5000 },
    apart: true,
  },
  { name: 'read-messages', method: /GET/, route: /messages/, limit: { requests: 10, perMs: 5000 } },
  {
    name: 'commands',
    method: /PUT|POST|PATCH|DELETE/,
    route: /commands/,
    limit: { requests: 5, perMs: 20_000 },
  },
];
const OWN = 'You are being rate limited.';
const SHARED = 'The resource is being rate limited.';
const OTHERS: Limit = { requests: 50, perMs: 1000 };
const GLOBAL: Limit = { requests: 50, perMs: 1000 };

type Verdict = {
  headers: Record<string, string>;
  /** Set when the request is too much. */
  exceeded?: { message: string; retryAfterSeconds: number; global: boolean };
};

export type Limits = { take(method: string, route: string, major: string): Verdict };

type Window = { startedMs: number; used: number };

/**
 * Discord's rate limits: a bucket a route and major parameter (channel, guild, or webhook with its
 * token), and 50 requests a second over all. Answers to interactions are outside the global limit.
 */
export function openLimits(clock: Clock): Limits {
  const windows = new Map<string, Window>();

  const take = (key: string, limit: Limit): { left: number; resetMs: number } => {
    const nowMs = clock.now();
    let window = windows.get(key);
    if (window === undefined || !isWithin(window.startedMs, limit.perMs, nowMs)) {
      window = { startedMs: nowMs, used: 0 };
      windows.set(key, window);
    }
    const left = limit.requests - window.used;
    if (left > 0) window.used += 1;
    return { left: left - 1, resetMs: window.startedMs + limit.perMs - nowMs };
  };

  return {
    take: (method, route, major) => {
      const outside = route.startsWith('/interactions') || route.startsWith('/webhooks');
      if (!outside) {
        const { left, resetMs } = take('global', GLOBAL);
        if (left < 0) {
          return {
            headers: {
              'x-ratelimit-global': 'true',
              'x-ratelimit-scope': 'global',
              'retry-after': String(Math.ceil(resetMs / 1000)),
            },
            exceeded: { message: OWN, retryAfterSeconds: seconds(resetMs), global: true },
          };
        }
      }
      if (route.startsWith('/interactions')) return { headers: {} };
      const bucket = BUCKETS.find((one) => one.method.test(method) && one.route.test(route));
      const limit = bucket?.limit ?? OTHERS;
      const name = bucket?.name ?? `${method} ${route}`;
      const counted = bucket?.apart === true ? `${name} ${method}` : name;
      const { left, resetMs } = take(`${counted} ${major}`, limit);
      const headers: Record<string, string> = {
        'x-ratelimit-bucket': createHash('sha1').update(name).digest('hex').slice(0, 32),
        'x-ratelimit-limit': String(limit.requests),
        'x-ratelimit-remaining': String(Math.max(0, left)),
        'x-ratelimit-reset-after': String(seconds(resetMs)),
        'x-ratelimit-reset': ((clock.now() + resetMs) / 1000).toFixed(3),
      };
      if (left >= 0) return { headers };
      const isShared = name === 'react';
      headers['x-ratelimit-scope'] = isShared ? 'shared' : 'user';
      headers['retry-after'] = String(Math.ceil(resetMs / 1000));
      const message = isShared ? SHARED : OWN;
      return { headers, exceeded: { message, retryAfterSeconds: seconds(resetMs), global: false } };
    },
  };
}

/** Whether a window that began then is still on. A clock that was set back ends it. */
export function isWithin(startedMs: number, perMs: number, nowMs: number): boolean {
  return nowMs >= startedMs && nowMs - startedMs < perMs;
}

function seconds(ms: number): number {
  return Math.ceil(Math.max(1, ms)) / 1000;
}
