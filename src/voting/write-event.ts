import type { MessageUpdates } from '../articles/messages/message-updates.ts';
import type { OwnReactions } from '../articles/messages/own-reactions.ts';
import type { Clock } from '../clock.ts';
import type { GuildRules, Rules } from '../eligibility/guild-rules.ts';
import type { MemberLimits } from '../discord/access/member-limits.ts';
import { mayVote } from '../eligibility/may-vote.ts';
import { emitMetric } from '../metrics.ts';
import { deleteArticle } from '../ranking/articles/articles.ts';
import { recordReaction, type VoteOutcome } from '../ranking/ballots/votes.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { EmojiVariants } from './emoji-variants.ts';
import type { ConcurrentVotes } from './concurrent-votes.ts';
import type { GatewayEvent } from './gateway-events.ts';
import type { TakenAwayReactions } from './taken-away-reactions.ts';

export type EventWriterParts = {
  ranking: Ranking;
  rules: GuildRules;
  memberLimits: MemberLimits;
  clock: Clock;
  emojiVariants: EmojiVariants;
  messageUpdates: MessageUpdates;
  ownReactions: OwnReactions;
  takenAwayReactions: TakenAwayReactions;
  concurrentVotes: Pick<ConcurrentVotes, 'isUnderWay'>;
  /** How many reactions of an article are no votes, if some are. */
  uncounted: ReadonlyMap<Snowflake, Record<Direction, number>>;
  recountArticleSoon: (guild: Snowflake, article: Snowflake) => void;
};

type EventOf<K extends GatewayEvent['kind']> = GatewayEvent & { kind: K };

/**
 * Writes one event to the ranking and does what follows from it. The call is issued before the function
 * returns, so that events keep their order. Only a guild's first event waits for its rules.
 */
export function openEventWriter(
  parts: EventWriterParts,
): (event: GatewayEvent) => Promise<{ status: string }> {
  const { ranking, rules, memberLimits, clock, emojiVariants, recountArticleSoon } = parts;
  const { takenAwayReactions, concurrentVotes, uncounted } = parts;

  async function writeVote(event: EventOf<'reaction'>, now: number): Promise<VoteOutcome> {
    const outcome = await recordReaction(ranking, event, now);
    updateOwnDown(parts, event, outcome);
    const isCrossing = outcome.status === 'counted' && outcome.crossedMark;
    if (isCrossing) parts.messageUpdates.note(event.guild, event.article);
    return outcome;
  }

  async function writeAdded(
    event: EventOf<'reaction'>,
    rulesNow: Rules,
  ): Promise<{ status: string }> {
    const { guild, channel, article, member, atMs, joinedAtMs, roles } = event;
    emojiVariants.note(event);
    if (event.isBot || !mayVote(rulesNow, { id: member, joinedAtMs, roles }, atMs)) {
      takenAwayReactions.takeAway(event);
      return { status: 'ineligible' };
    }
    const outcome = await writeVote(event, atMs);
    if (outcome.status === 'poster') takenAwayReactions.takeAway(event);
    if (outcome.status !== 'counted') return outcome;
    emitMetric('vote', { vote: outcome.vote });
    // The limit is checked after the vote, so that the check cannot change the order.
    if (memberLimits.count('vote', guild, member) > 0) {
      await writeVote({ ...event, shown: false }, clock.now());
      takenAwayReactions.takeAway(event);
    }
    if (outcome.older) {
      takenAwayReactions.takeAway({ guild, channel, article, member, direction: outcome.older });
    }
    return outcome;
  }

  async function writeRemoved(
    event: EventOf<'reaction'>,
    isRecounted: boolean,
  ): Promise<{ status: string }> {
    const { guild, article, atMs } = event;
    const mayShowVariant = emojiVariants.note(event);
    const outcome = await writeVote(event, atMs);
    // Only the lists tell whether another variant, or the other reaction, is the vote now.
    const mayShowOther = outcome.status === 'unchanged' && (isRecounted || mayShowBoth(article));
    if (mayShowVariant || mayShowOther) recountArticleSoon(guild, article);
    if (outcome.status === 'counted') emitMetric('vote', { vote: outcome.vote });
    return outcome;
  }

  /** Whether a member may show both reactions, of whom no vote is known. */
  function mayShowBoth(article: Snowflake): boolean {
    const { up, down } = uncounted.get(article) ?? { up: 0, down: 0 };
    return up > 0 && down > 0;
  }

  return async (event) => {
    switch (event.kind) {
      case 'reaction': {
        // A recount skips the member, whose other reaction only lists can tell.
        const isRecounted = concurrentVotes.isUnderWay(event.article);
        // A removal needs no rules, but must not overtake an addition that waits for them.
        const rulesNow = rules.known(event.guild) ?? (await rules.read(event.guild));
        return event.shown ? writeAdded(event, rulesNow) : writeRemoved(event, isRecounted);
      }
      case 'clear':
        recountArticleSoon(event.guild, event.article);
        return { status: 'recounted' };
      case 'removal':
        return deleteArticle(ranking, event.guild, event.article);
    }
  };
}

/** Removes the bot's own 👎 after the first member's 👎, and adds it again after the last one is removed. */
function updateOwnDown(
  { ownReactions }: EventWriterParts,
  { guild, channel, article, direction, shown }: EventOf<'reaction'>,
  outcome: VoteOutcome,
): void {
  if (direction === 'up' || outcome.status !== 'counted') return;
  const isFirst = shown && outcome.down === 1;
  const wasLast = !shown && outcome.down === 0;
  if (isFirst || wasLast) ownReactions.set({ guild, channel, article }, 'down', wasLast);
}
