import { openMutex } from '../runtime/mutex.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { openReactions, type Reactions } from './events/reactions.ts';
import { openTakenAwayReactions } from './events/taken-away-reactions.ts';
import type { VotesNeeds, VotesParts } from './parts.ts';
import { recountArticlesInVoting } from './recount/compare.ts';
import { openSeenReactions } from './seen-reactions.ts';

export type { VotesNeeds, VotesParts };

/** Reactions become votes, and stay equal to what Discord shows. */
export interface Votes extends VotesParts {
  /** Takes in the gateway's events about votes. */
  reactions: Reactions;
  /** Makes an article's votes equal to its reactions, by the lists of who reacted, as one of the `tasks`. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
}

/** Opens them, and follows the gateway's events. */
export function openVotes(needs: VotesNeeds): Votes {
  const seen = openSeenReactions(needs.answersLagMs);
  const takenAwayReactions = openTakenAwayReactions({ ...needs, seen });
  const parts = { ...needs, seen, recountInTurn: openMutex(), takenAwayReactions };

  function recountArticleSoon(guild: Snowflake, article: Snowflake): void {
    needs.tasks.add(`lists of ${article}`, async () => {
      const one = { articles: [article], full: true, once: true };
      const { unread, unsettled } = await recountArticlesInVoting(parts, guild, one);
      if (unread.length > 0) reactions.miss(guild, article);
      // Other tasks do not wait for that.
      const again = () => recountArticleSoon(guild, article);
      if (unsettled.length > 0) setTimeout(again, seen.lagMs).unref();
    });
  }

  const reactions = openReactions({ ...parts, recountArticleSoon });
  return { ...parts, reactions, recountArticleSoon };
}
