import type { MiddlewareHandler } from 'hono';
import { DISCORD_HOSTS } from '../discord-hosts.ts';
import type { World } from '../model/world.ts';

/**
 * Responds only at its own address, so that no other site's page can act here through a browser:
 * neither by a name that points at 127.0.0.1 nor by a request across origins. Under Discord's own names it
 * is reached by a bot that is pointed here (`point.ts`); no other site's page can make one lead here.
 */
export function localOnly(world: World): MiddlewareHandler {
  return async (context, next) => {
    const { req } = context;
    if (!isLocal(world, { host: req.header('host'), origin: req.header('origin') })) {
      return context.text('This Discord answers to its own address only.', 403);
    }
    await next();
    // Nor may another page show this one in a frame, and lead a click into it.
    context.header('x-frame-options', 'DENY');
    return undefined;
  };
}

/** The same for a WebSocket. */
export function isLocal(
  world: World,
  { host, origin }: { host?: string | undefined; origin?: string | undefined },
): boolean {
  const own = new URL(world.address).host;
  const names = [own, own.replace('127.0.0.1', 'localhost')];
  const isForeign = origin !== undefined && !names.some((name) => origin === `http://${name}`);
  const isOwn = host !== undefined && (names.includes(host) || DISCORD_HOSTS.test(host));
  return isOwn && !isForeign;
}
