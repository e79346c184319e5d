import type { Client, Guild } from 'discord.js';
import PQueue from 'p-queue';
import { openBoard } from './board/board.ts';
import { communityOf, listedIn } from './discord/access/visibility.ts';
import { openListing } from './articles/listing.ts';
import { editionAddress } from './web/edition-address.ts';
import { openMessageUpdates } from './articles/messages/message-updates.ts';
import { openOwnReactions } from './articles/messages/own-reactions.ts';
import { trackPendingPosts } from './articles/posting/pending.ts';
import type { Clock } from './runtime/clock.ts';
import { openMemberLimits } from './community/member-limits.ts';
import { openDeployedCommands } from './discord/commands/deploy.ts';
import { openRequests } from './discord/requests/requests.ts';
import type { ReactionQueue } from './discord/requests/reaction-queue.ts';
import { openTasks } from './discord/requests/tasks.ts';
import { openGuildRules } from './community/guild-rules.ts';
import type { Log } from './runtime/log.ts';
import { openMutex } from './runtime/mutex.ts';
import type { Query } from './ranking/lists/search-articles.ts';
import { TopLists } from './ranking/lists/top-lists.ts';
import { openRanking } from './ranking/ranking.ts';
import type { Snowflake } from './runtime/snowflake.ts';
import type { Store } from './redis/store.ts';
import type { GatewayEvent } from './votes/events/gateway-events.ts';
import { openTakenAwayReactions } from './votes/events/taken-away-reactions.ts';
import { openSeenReactions } from './votes/seen-reactions.ts';

export type Search = { member: Snowflake; query: Query; title: string };

export type RebuildStep = {
  phase: 'recent' | 'older';
  /** The channels and threads already read in this phase; `channels` is their total number. */
  done: number;
  channels: number;
  /** Articles recognised since the rebuild began, by all processes. */
  articles: number;
};

/** Each may hold 25 MB. */
const RESTORES_AT_MOST = 4;

type Base = {
  client: Client;
  /** The bot's own user, the author of all articles' messages. */
  self: Snowflake;
  store: Store;
  clock: Clock;
  log: Log;
  /** Where the host serves web pages, without a slash at the end; null if it serves none. */
  webAddress: string | null;
  /** Whether the host has switched on the Message Content intent. */
  messageContent: boolean;
  queue: ReactionQueue;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  answersLagMs: number;
  /** Aborted when the bot is stopping. Waits and retries must then end. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
};

/** Opens what recounts, rebuilds and imports use. */
function openRecountParts(base: Base) {
  const { client, store, log } = base;
  const ranking = openRanking(store.redis, store.applicationId, listedIn(client));
  const parts = {
    ...base,
    ranking,
    /** Keeps the guild's lists equal to what everyone may view. */
    listing: openListing({ client, ranking, log }),
    /** Each guild's settings, blocks and opted-out members, cached in the process. */
    rules: openGuildRules(store, log),
    pendingPosts: trackPendingPosts(),
    /** What this process has seen of the reactions under articles. */
    seen: openSeenReactions(base.answersLagMs),
    requests: openRequests(base),
    /** Recounts of one article or guild run one at a time: an older reading never overwrites a newer one. */
    recountInTurn: openMutex(),
  };
  return {
    ...parts,
    messageUpdates: openMessageUpdates(parts),
    ownReactions: openOwnReactions(parts),
    takenAwayReactions: openTakenAwayReactions(parts),
  };
}

export type RecountParts = ReturnType<typeof openRecountParts>;

/** Opens what the rooms rest on. It imports only what names no `App`; `start.ts` adds the others. */
export function openParts(base: Base) {
  const parts = openRecountParts(base);
  const lists = new TopLists(parts.ranking, base.clock);
  return {
    ...parts,
    /** The first pages of the ranking's lists, cached in the process. */
    lists,
    board: openBoard({ ...parts, lists }),
    /** The address of an edition's page on the web; null where nobody can read it there. */
    editionAddress: (edition: Parameters<typeof editionAddress>[1]) =>
      editionAddress(
        {
          store: base.store,
          address: base.webAddress,
          community: (guild) => communityOf(base.client, guild),
        },
        edition,
      ),
    /** Long work that is not urgent. */
    tasks: openTasks(base.log),
    /** The rebuilds of guilds that this process knows of. */
    rebuilding: new Map<Snowflake, RebuildStep>(),
    memberLimits: openMemberLimits(),
    /** The restores of attached files. */
    restores: new PQueue({ concurrency: RESTORES_AT_MOST }),
    /** The last searches by their interactions, so that members can turn to further pages. */
    searches: new Map<Snowflake, Search>(),
    deployedCommands: openDeployedCommands(base.client, base.store.applicationId),
  };
}

/** The parts of the bot that commands and jobs use. */
export type App = ReturnType<typeof openParts> & {
  /** Makes an article's votes equal to its reactions, by the lists of who reacted, as one of the `tasks`. */
  recountArticleSoon(guild: Snowflake, article: Snowflake): void;
  /** Looks for messages of the last minutes that were sent but not committed. */
  takeIn(guild: Guild): Promise<unknown>;
  /** The same, a few times with growing pauses. */
  takeInSoon(guild: Snowflake): void;
};

/** Takes in the gateway's events about votes. */
export type Reactions = {
  /** Ignores new events, and resolves when no write is in flight. */
  stop(): Promise<void>;
  /** Writes an event, as one of the gateway. Events reach Redis in the order of the calls. */
  handle(event: GatewayEvent): void;
  /** Has an article's lists read by a recount of its guild, which is repeated until they can be. */
  miss(guild: Snowflake, article: Snowflake): void;
  /** Calls back for a guild that needs a recount, because events were not written or may be lost. */
  onMissed(listener: (guild: Snowflake) => void): void;
  /** The channels of each guild with events since the last comparison of counts, which deletes them. */
  active: Map<Snowflake, Set<Snowflake>>;
};

export type RunningApp = {
  app: App;
  reactions: Reactions;
  /** Rejects with `CannotStart` when Discord ends the connection for good. */
  lost: Promise<never>;
  /** Takes no new work, waits for the work under way, and disconnects from Discord. */
  stop(): Promise<void>;
};
