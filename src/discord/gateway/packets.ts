import type { Client, GatewayDispatchEvents } from 'discord.js';
import { z } from 'zod';
import type { Direction } from '../../ranking/row.ts';
import { zSnowflake } from '../../ranking/snowflake.ts';

/**
 * Calls back for each raw packet of an event that matches the schema, in their order. discord.js drops
 * events about messages, users and threads that it has not cached, and costs twice as much.
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

/**
 * The fields of the gateway's packets that the bot uses. Packets that do not match are ignored: direct
 * messages have no guild, and custom emoji have an id.
 */
const zPlace = { guild_id: zSnowflake, channel_id: zSnowflake, message_id: zSnowflake };
const zEmoji = z.object({ id: z.null().optional(), name: z.string() });
const zReaction = {
  ...zPlace,
  user_id: zSnowflake,
  emoji: zEmoji,
  burst: z.boolean().default(false),
};

export const zReactionAdd = z.object({
  ...zReaction,
  message_author_id: zSnowflake.optional(),
  member: z
    .object({
      user: z.object({ bot: z.boolean().optional() }).optional(),
      joined_at: z.string().nullish(),
      roles: z.array(zSnowflake).optional(),
    })
    .optional(),
});
export const zReactionRemove = z.object(zReaction);
export const zReactionRemoveAll = z.object(zPlace);
export const zReactionRemoveEmoji = z.object({ ...zPlace, emoji: zEmoji });

const zChannel = { guild_id: zSnowflake, channel_id: zSnowflake };
export const zMessageDelete = z.object({ ...zChannel, id: zSnowflake });
export const zMessageDeleteBulk = z.object({ ...zChannel, ids: z.array(zSnowflake) });
export const zChannelDelete = z.object({ guild_id: zSnowflake, id: zSnowflake });
export const zThreadDelete = z.object({
  guild_id: zSnowflake,
  id: zSnowflake,
  parent_id: zSnowflake,
});

export const emojiOf: Record<Direction, string> = { up: '👍', down: '👎' };

/** Skin tones and the emoji variation selector do not change the vote. */
const variation = /\p{Emoji_Modifier}|\ufe0f/gu;

/** The vote that a reaction stands for. */
export function directionOf(emoji: string): Direction | null {
  const plain = emoji.replace(variation, '');
  if (plain === emojiOf.up) return 'up';
  return plain === emojiOf.down ? 'down' : null;
}
