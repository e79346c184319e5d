import type { Client, Guild } from 'discord.js';
import type { Listing } from '../../articles/listing.ts';
import type { Due } from '../../due/due.ts';
import type { GuildRules } from '../../community/guild-rules.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { SeenReactions } from '../../votes/seen-reactions.ts';
import type { ImportState, LostImport, Plan } from './stored-imports.ts';

/** What imports need of the bot. */
export interface ImportNeeds {
  /** Its cache tells which guilds are there; it sends the reports. */
  client: Client;
  /** The bot's own user, the author of its reports. */
  self: Snowflake;
  /** Where the states of imports are. */
  store: Store;
  /** Where imported articles and their votes are written. */
  ranking: Ranking;
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be done. */
  log: Log;
  /** Each guild's settings, blocks and opted-out members. */
  rules: GuildRules;
  /** Requests that can wait: an import never takes the place of a member's. */
  requests: Requests;
  /** Writes articles into the lists of those who may view their channels. */
  listing: Listing;
  /** Tells which messages were deleted while they were read. */
  seen: Pick<SeenReactions, 'watch' | 'wasDeleted'>;
  /** Whether the guild's ranking is complete: before that, duplicates cannot be recognized. */
  isComplete(guild: Snowflake): Promise<boolean>;
  /** Whether the host has switched on the Message Content intent, without which nothing can be imported. */
  messageContent: boolean;
  /** Aborted when the bot is stopping. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
  /** Has imports begun, and gone on with. */
  due: Due;
}

/** What Discord's message search says of a guild's channels. */
export type LinkCounts = {
  /** The readable groups with messages with links, those with most first. `ofBots`: of many, those of bots and webhooks. */
  channels: { id: Snowflake; links: number; ofBots: number; isListed: boolean }[];
  /** Groups that could not be counted: Discord refuses the search, or has not indexed the messages. */
  uncounted: Snowflake[];
};

/** A link as it would come, with the votes that its message shows. */
export type PreviewedLink = {
  id: Snowflake;
  channel: Snowflake;
  title: string;
  link: string;
  up: number;
  down: number;
};

/** What an import would bring, by the newest messages. */
export type Preview = {
  messages: number;
  articles: number;
  /** The five best so far. */
  best: PreviewedLink[];
  left: { duplicate: number; unwanted: number; known: number; refused: number; bot: number };
  /** All messages of the plan were read, but for those in threads. */
  isWhole: boolean;
};

/** What somebody can do with an import. */
export type Change = 'pause' | 'resume' | 'stop' | 'undo';

/** Takes in the links that a guild posted before the bot came. */
export interface Imports {
  /** The messages with links of a guild's channels, by Discord's search. */
  counts: {
    /** The counts if they are known; null: call `read`. */
    known(guild: Snowflake): LinkCounts | null;
    /** In background pace: some seconds for many channels. The counts are kept for some minutes. */
    read(guild: Guild): Promise<LinkCounts>;
    /** What is counted after this time at most, the liveliest channels first; null: nothing. */
    soon(guild: Guild, withinMs: number): Promise<LinkCounts | null>;
  };
  /** Whether the guild's ranking is complete, so that an import can begin. */
  isComplete(guild: Snowflake): Promise<boolean>;
  /** The guild's last import; null: none. */
  read(guild: Snowflake): Promise<ImportState | null>;
  /** The imports that Redis lost and whose reports a rebuild found, the newest first. */
  lost(guild: Snowflake): Promise<LostImport[]>;
  /**
   * Tells what would come of a plan that may take a while to make. A new preview of the same member in a guild
   * ends the one before, which resolves with null.
   */
  preview(
    guild: Guild,
    of: { makePlan: () => Promise<Plan>; member: Snowflake; onStep: (preview: Preview) => void },
  ): Promise<Preview | null>;
  /** Ends a member's preview. */
  endPreview(guild: Snowflake, member: Snowflake): void;
  /** Begins an import that goes on by itself. `held`: another one is not over. */
  begin(
    guild: Guild,
    begun: { plan: Plan; by: Snowflake; channel: Snowflake },
  ): Promise<{ status: 'begun' | 'held' }>;
  /** Changes an import. `stale`: it is not in a state in which that can be done. */
  change(guild: Guild, change: Change): Promise<{ status: 'changed' | 'stale' }>;
}
