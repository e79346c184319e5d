import type { MemberLimits } from '../community/member-limits.ts';
import { z } from 'zod';
import { onPacket } from '../discord/gateway/packets.ts';
import type { ReactionQueue } from '../discord/requests/reaction-queue.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';
import { type Mutex, openMutex } from '../runtime/mutex.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { openReactions, type Reactions } from './events/reactions.ts';
import { openTakenAwayReactions, type TakenAwayReactions } from './events/taken-away-reactions.ts';
import { recountArticlesInVoting } from './recount/recount-guild.ts';
import { openUnreadArticles, type UnreadArticles } from './recount/unread-articles.ts';
import { openSeenReactions, type SeenReactions } from './seen-reactions.ts';
import { openSources, type Sources } from './sources.ts';
import type { VoteReadingNeeds } from './recount-needs.ts';

export interface VotesNeeds extends VoteReadingNeeds {
  /** Members' votes in a minute. */
  memberLimits: MemberLimits;
  /** Reactions that do not count are taken away in it. */
  queue: ReactionQueue;
  /** Long work that is not urgent. */
  tasks: TaskQueue;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  answersLagMs: number;
}

/** Reactions become votes, and stay equal to what Discord shows. */
export interface Votes {
  /** What this process has seen of the reactions under articles. */
  seen: SeenReactions;
  /** The messages in which articles were found. */
  sources: Sources;
  /** The articles that could not be recounted, so that each is said once. */
  unread: UnreadArticles;
  /** Recounts of one article or guild run one at a time: an older reading never overwrites a newer one. */
  recountInTurn: Mutex;
  /** Takes away reactions that do not count. */
  takenAwayReactions: TakenAwayReactions;
  /** Takes in the gateway's events about votes. */
  reactions: Reactions;
  /** Makes an article's votes equal to its reactions, by the lists of who reacted, as one of the `tasks`. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
}

/** Opens them, and follows the gateway's events. */
export function openVotes(needs: VotesNeeds): Votes {
  const seen = openSeenReactions(needs.answersLagMs);
  onPacket(needs.client, 'READY', z.unknown(), () => seen.beginSession(needs.clock.now()));
  const takenAwayReactions = openTakenAwayReactions({ ...needs, seen });
  const unread = openUnreadArticles();
  const sources = openSources();
  const shared = { seen, sources, unread, recountInTurn: openMutex(), takenAwayReactions };
  const recounting = { ...needs, ...shared };

  function recountArticleSoon(guild: Snowflake, article: Snowflake): void {
    needs.tasks.add(`lists of ${article}`, async () => {
      const one = { articles: [article], full: true, once: true };
      const { unread, unsettled } = await recountArticlesInVoting(recounting, guild, one);
      if (unread.length > 0) reactions.miss(guild, article);
      // Other tasks do not wait for that.
      const again = () => recountArticleSoon(guild, article);
      if (unsettled.length > 0) setTimeout(again, seen.lagMs).unref();
    });
  }

  const reactions = openReactions({ ...recounting, recountArticleSoon });
  return { ...shared, reactions, recountArticleSoon };
}
