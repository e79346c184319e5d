import type { World } from '../model/world.ts';
import type { Gateway } from './gateway.ts';

/** Tells the page whether the bot is there. */
export function tellPresence(world: World, gateway: Gateway): void {
  world.changes.emit({
    t: 'BOX_BOT',
    d: { online: isOnline(gateway) },
    intents: 0,
    pageOnly: true,
  });
}

export function isOnline(gateway: Gateway): boolean {
  return [...gateway.sessions.values()].some((session) => session.socket !== null);
}
