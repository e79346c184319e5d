import type { MiddlewareHandler } from 'hono';
import type { World } from '../model/world.ts';
import { isWithin } from './limits.ts';

/**
 * Responses of 401, 403 and 429 are counted, but for a 429 that others caused. Too many of them within
 * ten minutes, and Discord's outer wall lets no request in for a time that is not published: here,
 * until those ten minutes are over.
 */
export function openInvalidRequests(world: World): MiddlewareHandler {
  const { invalidRequests } = world;
  return async (context, next) => {
    const nowMs = world.clock.now();
    if (!isWithin(invalidRequests.sinceMs, invalidRequests.perMs, nowMs)) {
      Object.assign(invalidRequests, { sinceMs: nowMs, count: 0 });
    }
    if (invalidRequests.count >= invalidRequests.most) {
      const waitMs = invalidRequests.sinceMs + invalidRequests.perMs - nowMs;
      // It is no response of the API: no JSON, and no header of a bucket.
      return new Response('error code: 1015', {
        status: 429,
        headers: { 'content-type': 'text/plain', 'retry-after': String(Math.ceil(waitMs / 1000)) },
      });
    }
    await next();
    const { status, headers } = context.res;
    const isShared = headers.get('x-ratelimit-scope') === 'shared';
    if ([401, 403].includes(status) || (status === 429 && !isShared)) invalidRequests.count += 1;
    return undefined;
  };
}
