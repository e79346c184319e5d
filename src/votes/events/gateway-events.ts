import type { Client } from 'discord.js';
import { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import { onPacket } from '../../discord/gateway/packets.ts';
import { directionOf } from '../../discord/vote-emoji.ts';
import type { Direction } from '../../ranking/row.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';

const zChannel = z.object({ guild_id: zSnowflake, channel_id: zSnowflake });
const zMessage = zChannel.extend({ message_id: zSnowflake });
/** Custom emoji have an id. */
const zEmoji = z.object({ id: z.null().optional(), name: z.string() });
const zReaction = zMessage.extend({
  user_id: zSnowflake,
  emoji: zEmoji,
  burst: z.boolean().default(false),
});
const zReactionAdd = zReaction.extend({
  message_author_id: zSnowflake.optional(),
  member: z
    .object({
      user: z.object({ bot: z.boolean().optional() }).optional(),
      joined_at: z.string().nullish(),
      roles: z.array(zSnowflake).optional(),
    })
    .optional(),
});
const zRemoveEmoji = zMessage.extend({ emoji: zEmoji });
const zDelete = zChannel.extend({ id: zSnowflake });
const zDeleteBulk = zChannel.extend({ ids: z.array(zSnowflake) });

/** A reaction of a member under an article. */
export type MemberReaction = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  member: Snowflake;
  direction: Direction;
};

export type ReactionEvent = MemberReaction & {
  kind: 'reaction';
  shown: boolean;
  /** The variant: a skin tone is another emoji, and super reactions are a list of their own. */
  emoji: string;
  burst: boolean;
  isBot: boolean;
  /** When the member joined (ms), and the member's roles. Null if the gateway did not send them. */
  joinedAtMs: number | null;
  roles: readonly Snowflake[] | null;
};

/** An event that changes the votes of an article. */
export type GatewayEvent = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  /** When the event arrived, which decides whether voting was open. */
  atMs: number;
} & (ReactionEvent | { kind: 'clear' } | { kind: 'removal' });

/** Reads the gateway's packets about votes and deleted messages, and passes them on in their order. */
export function followGatewayEvents(
  { client, clock, self }: { client: Client; clock: Clock; self: Snowflake },
  handle: (event: GatewayEvent) => void,
): void {
  const where = ({ guild_id, channel_id }: z.infer<typeof zChannel>, article: Snowflake) => ({
    guild: guild_id,
    channel: channel_id,
    article,
    atMs: clock.now(),
  });

  /** Does nothing for other emoji than 👍 and 👎, and for the bot's own reactions. */
  function handleReaction(
    packet: z.infer<typeof zReaction>,
    more: Pick<ReactionEvent, 'shown' | 'isBot' | 'joinedAtMs' | 'roles'>,
  ): void {
    const { message_id, user_id: member, emoji, burst } = packet;
    const direction = directionOf(emoji.name);
    if (!direction || member === self) return;
    const reaction = { kind: 'reaction', member, direction, emoji: emoji.name, burst } as const;
    handle({ ...where(packet, message_id), ...reaction, ...more });
  }

  const handleClear = (packet: z.infer<typeof zMessage>): void =>
    handle({ ...where(packet, packet.message_id), kind: 'clear' });

  onPacket(client, 'MESSAGE_REACTION_ADD', zReactionAdd, (packet) => {
    const { message_author_id, member } = packet;
    if (message_author_id !== undefined && message_author_id !== self) return;
    const joinedAtMs = Date.parse(member?.joined_at ?? '');
    handleReaction(packet, {
      shown: true,
      isBot: member?.user?.bot === true,
      joinedAtMs: Number.isNaN(joinedAtMs) ? null : joinedAtMs,
      roles: member?.roles ?? null,
    });
  });
  onPacket(client, 'MESSAGE_REACTION_REMOVE', zReaction, (packet) => {
    handleReaction(packet, { shown: false, isBot: false, joinedAtMs: null, roles: null });
  });
  onPacket(client, 'MESSAGE_REACTION_REMOVE_ALL', zMessage, handleClear);
  onPacket(client, 'MESSAGE_REACTION_REMOVE_EMOJI', zRemoveEmoji, (packet) => {
    if (directionOf(packet.emoji.name)) handleClear(packet);
  });
  onPacket(client, 'MESSAGE_DELETE', zDelete, (packet) => {
    handle({ ...where(packet, packet.id), kind: 'removal' });
  });
  onPacket(client, 'MESSAGE_DELETE_BULK', zDeleteBulk, (packet) => {
    for (const id of packet.ids) handle({ ...where(packet, id), kind: 'removal' });
  });
}
