import type { Rules } from '../../community/guild-rules.ts';
import { doVotesWait } from '../../community/dead-references.ts';
import { mayVote } from '../../community/may-vote.ts';
import { emitMetric } from '../../runtime/metrics.ts';
import { deleteArticle } from '../../ranking/articles/articles.ts';
import { recordReaction, type VoteOutcome } from '../../ranking/ballots/votes.ts';
import { limits } from '../../discord/limits.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import type { MemberLimits } from '../../community/member-limits.ts';
import type { TaskQueue } from '../../discord/requests/tasks.ts';
import type { GatewayEvent } from './gateway-events.ts';
import type { RecountNeeds } from '../recount-needs.ts';

/** What a recount uses, and what only a live vote does. */
export interface EventNeeds extends RecountNeeds {
  /** Members' votes in a minute. */
  memberLimits: MemberLimits;
  /** Long work that is not urgent. */
  tasks: TaskQueue;
  /** Makes an article's votes equal to its reactions, by the lists of who reacted. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
}

/** The poster's own reaction, and one that comes after the voting. */
const NOT_SHOWN = new Set<VoteOutcome['status']>(['poster', 'closed']);

type EventOf<K extends GatewayEvent['kind']> = GatewayEvent & { kind: K };

/** Whether another process may be posting what is no article yet, and take no more events itself. */
export function mayBePosted({ article, atMs }: Pick<GatewayEvent, 'article' | 'atMs'>): boolean {
  return atMs - snowflakeTimeMs(article) < limits.interactionMs;
}

/**
 * Writes one event to the ranking and does what follows from it. The call is issued before the function
 * returns, so that events keep their order. Only a guild's first event waits for its rules.
 */
export function openEventWriter(
  needs: EventNeeds,
): (event: GatewayEvent) => Promise<{ status: string }> {
  const { ranking, rules, clock, seen, takenAwayReactions } = needs;

  /** The message in which an article was found keeps its reactions. */
  function takeAway(event: EventOf<'reaction'>): void {
    if (!event.isAtSource) takenAwayReactions.takeAway(event);
  }

  async function writeVote(event: EventOf<'reaction'>, now: number): Promise<VoteOutcome> {
    const outcome = await recordReaction(ranking, event, now);
    needs.ownReactions.afterVote(event, outcome);
    return outcome;
  }

  async function writeAdded(
    event: EventOf<'reaction'>,
    rulesNow: Rules,
  ): Promise<{ status: string }> {
    const { guild, channel, article, member, atMs, joinedAtMs, roles } = event;
    seen.noteVariant(event);
    if (event.isBot || !mayVote(rulesNow, { id: member, joinedAtMs, roles }, atMs)) {
      if (!event.isBot && doVotesWait(needs, guild, rulesNow)) {
        seen.noteReading(article, { kind: 'waiting' });
        return { status: 'waiting' };
      }
      takeAway(event);
      return { status: 'ineligible' };
    }
    const outcome = await writeVote(event, atMs);
    if (NOT_SHOWN.has(outcome.status)) takeAway(event);
    if (outcome.status !== 'counted') return outcome;
    emitMetric('vote', { vote: outcome.vote });
    // The limit is checked after the vote, so that the check cannot change the order.
    if (needs.memberLimits.count('vote', guild, member) > 0) {
      await writeVote({ ...event, shown: false }, clock.now());
      takeAway(event);
    }
    if (outcome.older) {
      const older = { guild, channel, article, member, direction: outcome.older };
      takenAwayReactions.takeAway({ ...older, isReplaced: true });
    }
    return outcome;
  }

  async function writeRemoved(
    event: EventOf<'reaction'>,
    isRecounted: boolean,
  ): Promise<{ status: string }> {
    const { guild, article, atMs, isAtSource = false } = event;
    // The same can be shown in both places.
    const mayShowVariant = seen.noteVariant(event) || isAtSource;
    const outcome = await writeVote(event, atMs);
    // Only the lists tell whether another variant, or the other reaction, is the vote now.
    const mayShowOther = outcome.status === 'unchanged' && (isRecounted || mayShowBoth(article));
    if (mayShowVariant || mayShowOther) needs.recountArticleSoon(guild, article);
    if (outcome.status === 'counted') emitMetric('vote', { vote: outcome.vote });
    return outcome;
  }

  /** Whether a member may show both reactions, of whom no vote is known. */
  function mayShowBoth(article: Snowflake): boolean {
    const last = seen.lastReading(article);
    if (last.kind !== 'compared') return last.kind === 'undecided';
    return last.above.up > 0 && last.above.down > 0;
  }

  return async (event) => {
    switch (event.kind) {
      case 'reaction': {
        // A recount skips the member, whose other reaction only lists can tell.
        const isRecounted = seen.isWatched(event.article);
        // A removal needs no rules, but must not overtake an addition that waits for them.
        const rulesNow = rules.known(event.guild) ?? (await rules.read(event.guild));
        const outcome = await (event.shown
          ? writeAdded(event, rulesNow)
          : writeRemoved(event, isRecounted));
        if (outcome.status === 'unknown' && mayBePosted(event)) {
          seen.noteReading(event.article, { kind: 'missed event' });
        }
        return outcome;
      }
      case 'clear':
        needs.recountArticleSoon(event.guild, event.article);
        return { status: 'recounted' };
      case 'removal':
        return deleteArticle(ranking, event.guild, event.article);
      default:
        return event satisfies never;
    }
  };
}
