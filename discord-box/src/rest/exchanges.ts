import type { Context, MiddlewareHandler } from 'hono';
import type { World } from '../model/world.ts';
import { readBody } from './body.ts';

/**
 * Two handlers. `inmost` keeps the response that Discord would have given; `outmost` tells of it when
 * everything else is done with the request, since reading the bodies takes turns of the event loop.
 */
export function tellRequests(
  { exchanges }: World,
  routeOf: (context: Context) => string,
): {
  outmost: MiddlewareHandler;
  inmost: MiddlewareHandler;
} {
  const responses = new WeakMap<Request, Response>();
  return {
    inmost: async (context, next) => {
      await next();
      if (exchanges.isWatched()) responses.set(context.req.raw, context.res.clone());
    },
    outmost: async (context, next) => {
      await next();
      const sent = responses.get(context.req.raw);
      if (sent === undefined) return;
      const { method } = context.req;
      let body: unknown;
      let files: string[] = [];
      try {
        if (method !== 'GET') {
          const read = await readBody(context);
          body = read.body;
          files = read.files.map(({ field }) => field);
        }
      } catch {
        return; // The client went away, or sent no JSON and was refused.
      }
      const isJson = sent.headers.get('content-type')?.includes('json') === true;
      const response: unknown = isJson ? await sent.json() : undefined;
      const { status } = sent;
      const route = routeOf(context);
      exchanges.tell({
        kind: 'request',
        method,
        route,
        query: context.req.query(),
        body,
        files,
        status,
        response,
      });
    },
  };
}
