import type { APIMessage, Client, Guild } from 'discord.js';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Due } from '../due/due.ts';
import type { MemberLimits } from '../community/member-limits.ts';
import type { ReactionQueue } from '../discord/requests/reaction-queue.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { Query } from '../ranking/lists/search-articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Article } from '../ranking/row.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { type Listing, openListing } from './listing.ts';
import { followDiscussions } from './messages/discussion.ts';
import { followFirstWords } from './messages/first-word.ts';
import { type MessageUpdates, openMessageUpdates } from './messages/message-updates.ts';
import { openOwnReactions, type OwnReactions } from './messages/own-reactions.ts';
import { followPreviews } from './messages/preview.ts';
import { type PendingPosts, trackPendingPosts } from './pending-posts.ts';
import { followPastedLinks } from './posting/pasted-links.ts';
import { withdrawIfAlone } from './posting/withdraw.ts';

export interface ArticlesNeeds {
  /** Sends the messages of articles, and tells what happens to channels and messages. */
  client: Client;
  /** The bot's own user: the author of all articles' messages. */
  self: Snowflake;
  /** Where it stands which articles are members' own messages. */
  store: Store;
  /** Where posted articles and their lists are. */
  ranking: Ranking;
  /** The settings and blocks of each guild. */
  rules: GuildRules;
  /** Members' posts in an hour. */
  memberLimits: MemberLimits;
  /** Requests that can wait. */
  requests: Requests;
  /** The bot's reactions under older articles wait in it. */
  queue: ReactionQueue;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** What is due. */
  due: Due;
  /** Whether the host has switched on the Message Content intent: links that members write are then posted. */
  messageContent: boolean;
  /** Looks for messages of the last minutes that were sent but not committed. */
  takeIn(guild: Guild): Promise<unknown>;
  /** The same, a few times with growing pauses. */
  takeInSoon(guild: Snowflake): void;
  /** Resolves when the messages are taken in of which Redis may have lost the articles. */
  takenIn(guild: Snowflake): Promise<void>;
  /** Deletes the messages of articles that are gone, and names their threads anew. */
  finishErasing(guild: Snowflake): Promise<void>;
  /** Aborted when the bot is stopping: nothing is posted or stored any more. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work. */
  hold: (work: Promise<unknown>) => void;
}

/** A search of a member, for its further pages. */
export type Search = { member: Snowflake; query: Query; title: string };

/** The article as a message: what is posted, what the message shows, which lists it is in. */
export interface Articles {
  /** The articles whose message is being sent or committed. */
  pendingPosts: PendingPosts;
  /** Edits articles' messages to match the ranking. */
  messageUpdates: MessageUpdates;
  /** The bot's own 👍 and 👎. */
  ownReactions: OwnReactions;
  /** Keeps the guild's lists equal to what everyone may view. */
  listing: Listing;
  /**
   * Withdraws the article of a message that stands beside a deleted one, unless others have voted on it. Returns
   * whether it did.
   */
  withdrawIfAlone(guild: Snowflake, article: Article, message: APIMessage): Promise<boolean>;
  /** The last searches by their interactions, so that members can turn to further pages. */
  searches: Map<Snowflake, Search>;
}

/** Opens them, and follows previews, discussions and pasted links. */
export function openArticles(needs: ArticlesNeeds): Articles {
  const articles = {
    pendingPosts: trackPendingPosts(),
    messageUpdates: openMessageUpdates(needs),
    ownReactions: openOwnReactions(needs),
    listing: openListing(needs),
    withdrawIfAlone: (guild: Snowflake, article: Article, message: APIMessage) =>
      withdrawIfAlone(needs, guild, article, message),
    searches: new Map<Snowflake, Search>(),
  };
  const parts = { ...needs, ...articles };
  followPreviews(parts);
  followDiscussions(parts);
  followFirstWords(parts);
  if (needs.messageContent) followPastedLinks(parts);
  return articles;
}
