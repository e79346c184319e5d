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
import { type Mutex, openMutex } from '../runtime/mutex.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import { openReactions, type Reactions } from './events/reactions.ts';
import { openTakenAwayReactions, type TakenAwayReactions } from './events/taken-away-reactions.ts';
import { recountArticlesInVoting } from './recount/compare.ts';
import { openUnreadArticles, type UnreadArticles } from './recount/unread-articles.ts';
import { openSeenReactions, type SeenReactions } from './seen-reactions.ts';

export interface VotesNeeds extends Articles {
  /** The connection to Discord. Its events are followed. */
  client: Client;
  /** The bot's own user: its reactions are no votes. */
  self: Snowflake;
  /** Where it stands which articles are members' own messages. */
  store: Store;
  /** Where the votes are written. */
  ranking: Ranking;
  /** The settings and blocks of each guild: who may vote. */
  rules: GuildRules;
  /** Members' votes in a minute. */
  memberLimits: MemberLimits;
  /** Messages and lists of reactions are read by it. */
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
  /** Discord's time. */
  clock: Clock;
  /** Says what could not be written or read. */
  log: Log;
  /** Aborted when the bot is stopping. Waits and retries must then end. */
  stopping: AbortSignal;
}

/** Reactions become votes, and stay equal to what Discord shows. */
export interface Votes {
  /** What this process has seen of the reactions under articles. */
  seen: SeenReactions;
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
  const takenAwayReactions = openTakenAwayReactions({ ...needs, seen });
  const unread = openUnreadArticles();
  const shared = { seen, unread, recountInTurn: openMutex(), takenAwayReactions };
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
