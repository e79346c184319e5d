import type { MiddlewareHandler } from 'hono';
import type { World } from './model/world.ts';

/**
 * Answers only to its own address, so that no other site's page can act here through a browser:
 * neither by a name that points at 127.0.0.1 nor by a request across origins.
 */
export function localOnly(world: World): MiddlewareHandler {
  return async (context, next) => {
    const { host } = new URL(world.address);
    const names = [host, host.replace('127.0.0.1', 'localhost')];
    const origin = context.req.header('origin');
    const foreign = origin !== undefined && !names.some((name) => origin === `http://${name}`);
    if (!names.includes(context.req.header('host') ?? '') || foreign) {
      return context.text('This sandbox answers to its own address only.', 403);
    }
    return next();
  };
}
