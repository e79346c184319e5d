import type { MessageUpdates } from '../articles/messages/message-updates.ts';
import type { LogChannelParts } from '../community/admin-messages.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { TakenAwayReactions } from '../votes/events/taken-away-reactions.ts';
import type { Listing } from '../articles/listing.ts';

/** What the acts of moderators need. */
export interface ModerationNeeds extends LogChannelParts {
  ranking: Ranking;
  store: Store;
  clock: Clock;
  /** Edits the messages of the articles that are moderated. */
  messageUpdates: MessageUpdates;
  /** Keeps the lists equal to what everyone may view, also while an article is moved. */
  listing: Listing;
  /** Takes away the reactions of a member who may not vote any more. */
  takenAwayReactions: TakenAwayReactions;
  /** Work that can wait, such as the retraction of a member's votes. */
  tasks: TaskQueue;
  /** Reads who reacted to an article that is open again. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
}
