import type { Client, GatewayDispatchPayload } from 'discord.js';

type Packets = { [P in GatewayDispatchPayload as `${P['t']}`]: P['d'] };

/**
 * Calls back for each raw packet of an event, in their order. discord.js drops events about messages,
 * users and threads that it has not cached, and costs twice as much.
 */
export function onPacket<E extends keyof Packets>(
  client: Client,
  event: E,
  handle: (packet: Packets[E]) => void,
): void {
  client.ws.on(event as never, handle as never);
}

/** As `onPacket`, without the packets of direct messages, which have no guild. */
export function onGuildPacket<E extends keyof Packets>(
  client: Client,
  event: E,
  handle: (packet: Packets[E] & { guild_id: string }) => void,
): void {
  onPacket(client, event, (packet) => {
    if ((packet as { guild_id?: string } | null)?.guild_id) handle(packet as never);
  });
}
