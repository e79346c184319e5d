import type { Client } from 'discord.js';
import type { z } from 'zod';
import type { Clock } from '../../runtime/clock.ts';
import { onPacket } from '../../discord/gateway/packets.ts';
import {
  type ChannelPacket,
  zCleared,
  zDeleted,
  zDeletedInBulk,
  zEmojiCleared,
  zReaction,
  zReactionAdded,
} from '../../discord/gateway/reaction-packets.ts';
import { directionOf } from '../../discord/vote-emoji.ts';
import type { Direction } from '../../ranking/row.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { atSource, type Sources } from '../sources.ts';
import type { SignsOfArticles } from './signs-of-articles.ts';

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
  /** The variant, as requests name it: a skin tone is another emoji, and super reactions are a list of their own. */
  emoji: string;
  burst: boolean;
  /** It is shown under the message in which the article was found, which is somebody else's. */
  isAtSource?: boolean;
  isBot: boolean;
  /** When the member joined (ms), and the member's roles. Null if the gateway did not send them. */
  joinedAtMs: number | null;
  roles: readonly Snowflake[] | null;
};

type Where = {
  guild: Snowflake;
  channel: Snowflake;
  article: Snowflake;
  /** When the event arrived, which decides whether voting was open. */
  atMs: number;
};

/** An event that changes the votes of an article. */
export type GatewayEvent = Where & (ReactionEvent | { kind: 'clear' } | { kind: 'removal' });

interface GatewayNeeds {
  /** Tells of what happens. */
  client: Client;
  /** Discord's time. */
  clock: Clock;
  /** The bot's own user: its reactions are no votes. */
  self: Snowflake;
  /** What members vote with under each article. */
  signs: SignsOfArticles;
  /** The messages in which articles were found: their 👍 are votes too. */
  sources: Sources;
}

/** Reads the gateway's packets about votes and deleted messages, and passes them on in their order. */
export function followGatewayEvents(
  needs: GatewayNeeds,
  handle: (event: GatewayEvent) => void,
  /** What becomes of events of which nobody knows whether they are votes: the article's signs are not known. */
  otherwise: {
    /** They could not be read. */
    failed: (error: unknown, of: Where) => void;
    /** A member added an emoji to a message of the bot's that is no article, or is none yet. */
    unknown: (of: Where) => void;
  },
): void {
  const { client, clock, self, signs, sources } = needs;
  /** The article of a message, or the one that was found in it. */
  const where = (packet: ChannelPacket, message: Snowflake): Where => ({
    guild: packet.guild_id,
    channel: packet.channel_id,
    article: sources.articleOf(message) ?? message,
    atMs: clock.now(),
  });

  /**
   * Passes on what is made of an emoji under an article, if it is a vote there. Discord says of an added one alone
   * whose message it is, so that what is taken back is looked up only while its article could be in voting.
   */
  function handleEmoji(
    of: Where,
    { emoji, isAdded }: { emoji: string; isAdded: boolean },
    eventOf: (direction: Direction) => GatewayEvent | null,
  ): void {
    const thumb = directionOf(emoji);
    const isOpen = isAdded || of.atMs - snowflakeTimeMs(of.article) < VOTING_OPEN_MS;
    signs.with(
      of,
      thumb === null && isOpen,
      (found) => {
        const direction = thumb ?? (found && directionOf(emoji, found));
        const event = direction && eventOf(direction);
        if (event) handle(event);
        else if (!direction && found === null && isAdded) otherwise.unknown(of);
      },
      (error) => otherwise.failed(error, of),
    );
  }

  /** After the events on its article that came before. */
  function handleInTurn(event: GatewayEvent): void {
    signs.with(event, false, () => handle(event));
  }

  /** Does nothing for emoji that are no votes under that article, and for the bot's own reactions. */
  function handleReaction(
    packet: z.infer<typeof zReaction>,
    more: Pick<ReactionEvent, 'shown' | 'isBot' | 'joinedAtMs' | 'roles'>,
  ): void {
    const { message_id, user_id: member, emoji, burst } = packet;
    const of = where(packet, message_id);
    const isAtSource = of.article !== message_id;
    if (member === self) return;
    const shown = { emoji: isAtSource ? atSource(emoji) : emoji, burst, isAtSource };
    const reaction = { kind: 'reaction', member, ...shown } as const;
    handleEmoji(of, { emoji, isAdded: more.shown }, (direction) =>
      // Somebody else's message is liked, and not voted against.
      isAtSource && direction === 'down' ? null : { ...of, ...reaction, direction, ...more },
    );
  }

  onPacket(client, 'MESSAGE_REACTION_ADD', zReactionAdded, (packet) => {
    const { message_author_id, member } = packet;
    const isFound = sources.articleOf(packet.message_id) !== null;
    // Nobody votes for what they wrote.
    if (isFound && message_author_id === packet.user_id) return;
    if (!isFound && message_author_id !== undefined && message_author_id !== self) return;
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
  onPacket(client, 'MESSAGE_REACTION_REMOVE_ALL', zCleared, (packet) => {
    handleInTurn({ ...where(packet, packet.message_id), kind: 'clear' });
  });
  onPacket(client, 'MESSAGE_REACTION_REMOVE_EMOJI', zEmojiCleared, (packet) => {
    const of = where(packet, packet.message_id);
    handleEmoji(of, { emoji: packet.emoji, isAdded: false }, () => ({ ...of, kind: 'clear' }));
  });
  followDeletions(needs, handleInTurn);
}

/** What stands in another's message goes by itself when that is deleted. */
function followDeletions(
  { client, clock }: GatewayNeeds,
  handle: (event: GatewayEvent) => void,
): void {
  const gone = (packet: ChannelPacket, article: Snowflake): void =>
    handle({
      guild: packet.guild_id,
      channel: packet.channel_id,
      article,
      atMs: clock.now(),
      kind: 'removal',
    });
  onPacket(client, 'MESSAGE_DELETE', zDeleted, (packet) => gone(packet, packet.id));
  onPacket(client, 'MESSAGE_DELETE_BULK', zDeletedInBulk, (packet) => {
    for (const id of packet.ids) gone(packet, id);
  });
}
