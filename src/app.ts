import type { Client, Guild } from 'discord.js';
import type PQueue from 'p-queue';
import type { Clock } from './clock.ts';
import type { MessageUpdates } from './articles/messages/message-updates.ts';
import type { OwnReactions } from './articles/messages/own-reactions.ts';
import type { PendingPosts } from './articles/posting/pending.ts';
import type { OwnMessages } from './discord/requests/own-messages.ts';
import type { DeployedCommands } from './discord/commands/deployed-commands.ts';
import type { MemberLimits } from './discord/access/member-limits.ts';
import type { Pace } from './discord/requests/pace.ts';
import type { PacedRequests } from './discord/requests/paced-requests.ts';
import type { Refusals } from './discord/requests/refusals.ts';
import type { TaskQueue } from './discord/requests/tasks.ts';
import type { GuildRules } from './eligibility/guild-rules.ts';
import type { Log } from './log.ts';
import type { Mutex } from './mutex.ts';
import type { Query } from './ranking/lists/search-articles.ts';
import type { TopLists } from './ranking/lists/top-lists.ts';
import type { Ranking } from './ranking/ranking.ts';
import type { Direction } from './ranking/row.ts';
import type { Snowflake } from './ranking/snowflake.ts';
import type { Store } from './redis/store.ts';
import type { ConcurrentVotes } from './voting/concurrent-votes.ts';
import type { EmojiVariants } from './voting/emoji-variants.ts';
import type { Reactions } from './voting/reactions.ts';
import type { TakenAwayReactions } from './voting/taken-away-reactions.ts';

export type Search = { member: Snowflake; query: Query; title: string };

export type RebuildStep = {
  phase: 'recent' | 'older';
  /** The channels and threads already read in this phase; `places` is their total number. */
  done: number;
  places: number;
  /** Articles recognised since the rebuild began, by all processes. */
  articles: number;
};

/** What recounts, rebuilds and imports use. */
export type RecountParts = {
  client: Client;
  /** The bot's own user, the author of all articles' messages. */
  self: Snowflake;
  ranking: Ranking;
  store: Store;
  clock: Clock;
  log: Log;
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
  pendingPosts: PendingPosts;
  /** Checks a message or channel before a request about it. */
  ownMessages: OwnMessages;
  /** Checks a channel before any other request that can wait. */
  refusals: Refusals;
  requests: PacedRequests;
  messageUpdates: MessageUpdates;
  takenAwayReactions: TakenAwayReactions;
  ownReactions: OwnReactions;
  concurrentVotes: ConcurrentVotes;
  /** The skin tones and super reactions seen under articles. */
  emojiVariants: EmojiVariants;
  /** Each guild's settings, blocks and opted-out members, cached in the process. */
  rules: GuildRules;
  /** Recounts of one article or guild run one at a time: an older reading never overwrites a newer one. */
  recountInTurn: Mutex;
  /**
   * Discord's counts of an article above the ranking's, when its lists were last read: bots, the poster,
   * and members whose votes do not count. While that stays the same, the lists need not be read again.
   * NaN where an event could not be written, so that they are read, whatever the counts.
   */
  uncounted: Map<Snowflake, Record<Direction, number>>;
  /** Aborted when the bot is stopping. Waits and retries must then end. */
  stopping: AbortSignal;
};

/** The parts of the bot that commands and jobs use. */
export type App = RecountParts & {
  /** The first pages of the ranking's lists, cached in the process. */
  lists: TopLists;
  pace: Pace;
  memberLimits: MemberLimits;
  /** The restores of attached files. */
  restores: PQueue;
  /** The last searches by their interactions, so that members can turn to further pages. */
  searches: Map<Snowflake, Search>;
  deployedCommands: DeployedCommands;
  /** Makes an article's votes equal to its reactions, by the lists of who reacted, as one of the `tasks`. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
  /** Looks for messages of the last minutes that were sent but not committed. */
  takeIn(guild: Guild): Promise<unknown>;
  /** The same, a few times with growing pauses. */
  takeInSoon(guild: Snowflake): void;
  /** Long work that is not urgent. */
  tasks: TaskQueue;
  /** The rebuilds of guilds that this process knows of. */
  rebuilding: Map<Snowflake, RebuildStep>;
  /** Where the host serves web pages, without a slash at the end; null if it serves none. */
  webAddress: string | null;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold(work: Promise<unknown>): void;
};

export type RunningApp = {
  app: App;
  reactions: Reactions;
  /** Rejects with `GatewayRefusal` when Discord ends the connection for good. */
  lost: Promise<never>;
  /** Takes no new work, waits for the work under way, and disconnects from Discord. */
  stop(): Promise<void>;
};
