import type { APIMessage, Client } from 'discord.js';
import type { Articles } from '../articles/articles.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Mutex } from '../runtime/mutex.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { TakenAwayReactions } from './events/taken-away-reactions.ts';
import type { UnreadArticles } from './recount/unread-articles.ts';
import type { SeenReactions } from './seen-reactions.ts';
import type { Sources } from './sources.ts';

/** What it takes to read votes from Discord. */
export interface VoteReadingNeeds extends Articles {
  /** Its cache tells which channels the bot may read. */
  client: Client;
  /** The bot's own user: its reactions are no votes. */
  self: Snowflake;
  /** Where it stands which articles are members' own messages. */
  store: Store;
  /** The votes that are compared and repaired. */
  ranking: Ranking;
  /** The settings and blocks of each guild: who may vote. */
  rules: GuildRules;
  /** Messages and lists of reactions are read by it. */
  requests: Requests;
  /** Replaces an article by what its message says. Null if the message is none of an article. */
  takeInAnew(guild: Snowflake, message: APIMessage): Promise<Article | null>;
  /** Has the messages since this time (ms) searched again for articles. */
  searchAgainFrom(guild: Snowflake, fromMs: number): Promise<void>;
  /** Discord's time. */
  clock: Clock;
  /** Says what was repaired, and what could not be read. */
  log: Log;
  /** Aborted when the bot is stopping. Waits and retries must then end. */
  stopping: AbortSignal;
}

/** What a recount needs, and whatever else writes votes that it read. */
export interface RecountNeeds extends VoteReadingNeeds {
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
}
