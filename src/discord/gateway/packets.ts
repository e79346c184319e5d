import type { Client, GatewayDispatchEvents } from 'discord.js';
import type { z } from 'zod';

/**
 * Calls back for each raw packet of an event that matches the schema, in their order. Others are ignored,
 * such as those of direct messages, which have no guild. discord.js drops events about messages, users
 * and threads that it has not cached, and costs twice as much.
 */
export function onPacket<T>(
  client: Client,
  event: `${GatewayDispatchEvents}`,
  schema: z.ZodType<T>,
  handle: (packet: T) => void,
): void {
  client.ws.on(event as never, (data: unknown) => {
    const packet = schema.safeParse(data);
    if (packet.success) handle(packet.data);
  });
}
