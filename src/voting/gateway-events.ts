import type { Client, GatewayMessageReactionRemoveDispatchData } from 'discord.js';
import type { Clock } from '../clock.ts';
import { onGuildPacket } from '../discord/gateway/packets.ts';
import { directionOf } from '../discord/vote-emoji.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';

/** A reaction of a member under an article. */
export type MemberReaction = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  member: Snowflake;
  direction: Direction;
};

type ReactionEvent = MemberReaction & {
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

type Place = { guild_id: string; channel_id: string };

/** Reads the gateway's packets about votes and deleted messages, and passes them on in their order. */
export function followGatewayEvents(
  client: Client,
  { clock, self }: { clock: Clock; self: Snowflake },
  handle: (event: GatewayEvent) => void,
): void {
  const where = ({ guild_id: guild, channel_id: channel }: Place, article: Snowflake) => ({
    guild,
    channel,
    article,
    atMs: clock.now(),
  });

  /** Does nothing for other emoji than 👍 and 👎, and for the bot's own reactions. */
  function handleReaction(
    packet: GatewayMessageReactionRemoveDispatchData & Place,
    more: Pick<ReactionEvent, 'shown' | 'isBot' | 'joinedAtMs' | 'roles'>,
  ): void {
    const { message_id, user_id: member, emoji, burst } = packet;
    const direction = voteOf(emoji);
    if (!direction || member === self) return;
    const reaction = { kind: 'reaction', member, direction, emoji: emoji.name!, burst } as const;
    handle({ ...where(packet, message_id), ...reaction, ...more });
  }

  onGuildPacket(client, 'MESSAGE_REACTION_ADD', (packet) => {
    const { message_author_id, member } = packet;
    if (message_author_id !== undefined && message_author_id !== self) return;
    const joinedAtMs = Date.parse(member?.joined_at ?? '');
    handleReaction(packet, {
      shown: true,
      isBot: member?.user.bot === true,
      joinedAtMs: Number.isNaN(joinedAtMs) ? null : joinedAtMs,
      roles: member?.roles ?? null,
    });
  });
  onGuildPacket(client, 'MESSAGE_REACTION_REMOVE', (packet) => {
    handleReaction(packet, { shown: false, isBot: false, joinedAtMs: null, roles: null });
  });
  onGuildPacket(client, 'MESSAGE_REACTION_REMOVE_ALL', (packet) => {
    handle({ ...where(packet, packet.message_id), kind: 'clear' });
  });
  onGuildPacket(client, 'MESSAGE_REACTION_REMOVE_EMOJI', (packet) => {
    if (voteOf(packet.emoji)) handle({ ...where(packet, packet.message_id), kind: 'clear' });
  });
  onGuildPacket(client, 'MESSAGE_DELETE', (packet) => {
    handle({ ...where(packet, packet.id), kind: 'removal' });
  });
  onGuildPacket(client, 'MESSAGE_DELETE_BULK', (packet) => {
    for (const id of packet.ids) handle({ ...where(packet, id), kind: 'removal' });
  });
}

/** Custom emoji have an id. */
function voteOf({ id, name }: { id: string | null; name: string | null }): Direction | null {
  return id || !name ? null : directionOf(name);
}
