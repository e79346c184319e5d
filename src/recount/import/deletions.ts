import type { Client } from 'discord.js';
import type { z } from 'zod';
import { zMessageDelete, zMessageDeleteBulk } from '../../discord/packets.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';

/**
 * Collects the messages of a guild that are deleted from now on. If a message is deleted after it was
 * read and before its article is written, the event finds no article to remove.
 */
export function followDeletions(
  client: Client,
  guild: Snowflake,
): { has(message: Snowflake): boolean; end(): void } {
  const gone = new Set<Snowflake>();
  const ends: (() => void)[] = [];

  function on<T>(event: string, schema: z.ZodType<T>, take: (packet: T) => void): void {
    const listener = (data: unknown): void => {
      const packet = schema.safeParse(data);
      if (packet.success) take(packet.data);
    };
    client.ws.on(event as never, listener);
    ends.push(() => client.ws.off(event, listener));
  }

  on('MESSAGE_DELETE', zMessageDelete, ({ guild_id, id }) => {
    if (guild_id === guild) gone.add(id);
  });
  on('MESSAGE_DELETE_BULK', zMessageDeleteBulk, ({ guild_id, ids }) => {
    if (guild_id === guild) for (const id of ids) gone.add(id);
  });

  return {
    has: (message) => gone.has(message),
    end() {
      for (const end of ends) end();
    },
  };
}
