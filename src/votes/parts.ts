import type { APIMessage, Client } from 'discord.js';
import type { Articles } from '../articles/articles.ts';
import type { GuildRules } from '../community/guild-rules.ts';
import type { MemberLimits } from '../community/member-limits.ts';
import type { ReactionQueue } from '../discord/requests/reaction-queue.ts';
import type { Requests } from '../discord/requests/requests.ts';
import type { TaskQueue } from '../discord/requests/tasks.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Mutex } from '../runtime/mutex.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { TakenAwayReactions } from './events/taken-away-reactions.ts';
import type { SeenReactions } from './seen-reactions.ts';

export interface VotesNeeds extends Articles {
  client: Client;
  /** The bot's own user: its reactions are no votes. */
  self: Snowflake;
  store: Store;
  ranking: Ranking;
  /** The settings and blocks of each guild: who may vote. */
  rules: GuildRules;
  /** Members' votes in a minute. */
  memberLimits: MemberLimits;
  requests: Requests;
  /** Reactions that do not count are taken away in it. */
  queue: ReactionQueue;
  /** Long work that is not urgent. */
  tasks: TaskQueue;
  /** How long an answer of Discord may lag behind its gateway (ms). */
  answersLagMs: number;
  /** Replaces an article by what its message says. Null if the message is none of an article. */
  takeInAnew(guild: Snowflake, message: APIMessage): Promise<Article | null>;
  /** Has the messages since this time (ms) searched again for articles. */
  searchAgainFrom(guild: Snowflake, fromMs: number): Promise<void>;
  clock: Clock;
  log: Log;
  /** Aborted when the bot is stopping. Waits and retries must then end. */
  stopping: AbortSignal;
  /** Makes the end of the bot wait for this work, which should end early once `stopping` is aborted. */
  hold: (work: Promise<unknown>) => void;
}

/** What the files of this room share. */
export interface VotesParts extends VotesNeeds {
  /** What this process has seen of the reactions under articles. */
  seen: SeenReactions;
  /** Recounts of one article or guild run one at a time: an older reading never overwrites a newer one. */
  recountInTurn: Mutex;
  /** Takes away reactions that do not count. */
  takenAwayReactions: TakenAwayReactions;
}
