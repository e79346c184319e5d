import { z } from 'zod';
import { mayVote } from '../community/may-vote.ts';
import { signsOfGuild } from '../community/vote-offer.ts';
import { onPacket } from '../discord/gateway/packets.ts';
import {
  zCleared,
  zDeleted,
  zDeletedInBulk,
  zEmojiCleared,
  zReaction,
  zReactionAdded,
} from '../discord/gateway/reaction-packets.ts';
import { ChannelRefused } from '../discord/requests/refusals.ts';
import { remember } from '../discord/remember.ts';
import { directionOf } from '../discord/vote-emoji.ts';
import { fault } from '../runtime/log.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { mayBeLikedBy, orderOf } from './likes.ts';
import { LISTENING_AT_MOST, type Nominating } from './nominations-needs.ts';
import { takeBack } from './take-back.ts';
import { isTooOld, placeOf } from './wanted.ts';

/** Deleted messages that are remembered: their links may be being posted. */
const DELETED_AT_MOST = 1000;

/** Follows who likes which message of the nomination channels, and plans that it is read when enough do. */
export function followLikes(needs: Nominating): void {
  const { client, clock, self, rules, likes, listening, sources, deleted, stopping } = needs;

  /** The events of a guild whose rules are being read stay in their order. */
  function withRules(
    guild: Snowflake,
    act: (known: Awaited<ReturnType<typeof rules.read>>) => void,
  ) {
    if (stopping.aborted) return;
    const known = rules.known(guild);
    if (known) act(known);
    // Without Redis, the look that follows finds what was missed.
    else needs.hold(rules.read(guild).then(act, () => listening.clear()));
  }

  onPacket(client, 'READY', z.unknown(), () => listening.clear());
  onPacket(client, 'MESSAGE_REACTION_ADD', zReactionAdded, (packet) => {
    const { guild_id: guild, channel_id: channel, message_id: message, user_id: member } = packet;
    const { message_author_id: author, emoji, burst, member: facts } = packet;
    const isOwn = author === self || author === member;
    if (isOwn || facts?.user?.bot === true || sources.articleOf(message) !== null) return;
    withRules(guild, (known) => {
      const now = clock.now();
      if (isTooOld(message, now) || placeOf(needs, known, guild, channel) === null) return;
      if (directionOf(emoji, signsOfGuild(known.settings)) !== 'up') return;
      const sinceMs = listening.get(channel) ?? now;
      remember(listening, channel, sinceMs, LISTENING_AT_MOST);
      const joinedAtMs = Date.parse(facts?.joined_at ?? '');
      const of = {
        id: member,
        joinedAtMs: Number.isNaN(joinedAtMs) ? null : joinedAtMs,
        roles: facts?.roles ?? null,
      };
      if (!mayVote(known, of, now)) return;
      const like = { message, member, variant: { emoji, burst } };
      const liked = likes.add(guild, like, snowflakeTimeMs(message) >= sinceMs);
      if (!mayBeLikedBy(liked, known.settings.nominations)) return;
      liked.state = 'planned';
      needs.plan(guild, { channel, message, order: orderOf(liked) });
    });
  });
  onPacket(client, 'MESSAGE_REACTION_REMOVE', zReaction, (packet) => {
    const { guild_id: guild, message_id: message, user_id: member, emoji, burst } = packet;
    withRules(guild, ({ settings }) => {
      if (directionOf(emoji, signsOfGuild(settings)) !== 'up') return;
      likes.remove(guild, { message, member, variant: { emoji, burst } });
    });
  });
  onPacket(client, 'MESSAGE_REACTION_REMOVE_EMOJI', zEmojiCleared, (packet) => {
    const { guild_id: guild, message_id: message, emoji } = packet;
    withRules(guild, ({ settings }) => {
      if (directionOf(emoji, signsOfGuild(settings)) === 'up') likes.clear(guild, message, emoji);
    });
  });
  onPacket(client, 'MESSAGE_REACTION_REMOVE_ALL', zCleared, ({ guild_id, message_id }) =>
    withRules(guild_id, () => likes.forget(guild_id, message_id)),
  );
  function forget(guild: Snowflake, message: Snowflake): void {
    remember(deleted, message, true, DELETED_AT_MOST);
    likes.forget(guild, message);
    const article = sources.articleOf(message);
    if (article === null || stopping.aborted) return;
    const work = takeBack(needs, guild, { id: article, source: message });
    needs.hold(work.catch((error: unknown) => tell(needs, guild, error)));
  }
  onPacket(client, 'MESSAGE_DELETE', zDeleted, ({ guild_id, id }) => forget(guild_id, id));
  onPacket(client, 'MESSAGE_DELETE_BULK', zDeletedInBulk, ({ guild_id, ids }) => {
    for (const id of ids) forget(guild_id, id);
  });
}

function tell({ log, stopping }: Nominating, guild: Snowflake, error: unknown): void {
  if (stopping.aborted || error instanceof ChannelRefused) return;
  log.info({ ...fault(error), guild }, 'The article of a deleted message was not withdrawn.');
}
