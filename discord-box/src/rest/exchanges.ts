import { channel } from 'node:diagnostics_channel';
import type { Context, MiddlewareHandler } from 'hono';
import { readBody } from './body.ts';

/** What a bot and a Discord in a box said to each other, as it was sent. */
export type Exchange =
  | {
      kind: 'request';
      method: string;
      /** The route's pattern, such as `/channels/:channel/messages`. */
      route: string;
      query: Record<string, string>;
      /** The fields that hold files, such as `files[0]`. */
      files: string[];
      body: unknown;
      status: number;
      /** undefined without a body. */
      answer: unknown;
    }
  | { kind: 'event'; name: string; data: unknown };

const exchanges = channel('discord-in-a-box:exchange');

/**
 * Tells of every exchange of every Discord in this process. Returns how to end it.
 * Faults that a test asked for are not seen: the answer is the one that Discord would have given.
 */
export function watchExchanges(listener: (exchange: Exchange) => void): () => void {
  const told = (exchange: unknown): void => listener(exchange as Exchange);
  exchanges.subscribe(told);
  return () => exchanges.unsubscribe(told);
}

/** `text` is a gateway payload. */
export function tellEvent(name: string, text: string): void {
  if (!exchanges.hasSubscribers) return;
  const { d: data } = JSON.parse(text) as { d: unknown };
  exchanges.publish({ kind: 'event', name, data } satisfies Exchange);
}

/**
 * Two handlers. `inmost` keeps the answer that Discord would have given; `outmost` tells of it when
 * everything else is done with the request, since reading the bodies takes turns of the event loop.
 */
export function tellRequests(routeOf: (context: Context) => string): {
  outmost: MiddlewareHandler;
  inmost: MiddlewareHandler;
} {
  const answers = new WeakMap<Request, Response>();
  return {
    inmost: async (context, next) => {
      await next();
      if (exchanges.hasSubscribers) answers.set(context.req.raw, context.res.clone());
    },
    outmost: async (context, next) => {
      await next();
      const response = answers.get(context.req.raw);
      if (response === undefined) return;
      const { method } = context.req;
      let body: unknown;
      let files: string[] = [];
      try {
        if (method !== 'GET') {
          const sent = await readBody(context);
          body = sent.body;
          files = sent.files.map(({ field }) => field);
        }
      } catch {
        return; // The client went away, or sent no JSON and was refused.
      }
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      const answer: unknown = isJson ? await response.json() : undefined;
      const { status } = response;
      const route = routeOf(context);
      exchanges.publish({
        kind: 'request',
        method,
        route,
        query: context.req.query(),
        body,
        files,
        status,
        answer,
      } satisfies Exchange);
    },
  };
}
