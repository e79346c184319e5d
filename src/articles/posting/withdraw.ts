import { type APIMessage, Routes } from 'discord.js';
import { noteErasing } from '../../community/erasures.ts';
import { isApiError } from '../../discord/api-errors.ts';
import type { Requests } from '../../discord/requests/requests.ts';
import { type Article, deleteArticle, readArticle } from '../../ranking/articles/articles.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';
import { type Clock, MINUTE_MS } from '../../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';

// What the bot answered goes with what was said: an article beside a member's message, or beside one that a
// moderating bot deletes within moments.

/** Within this time, what becomes of the message is a correction of it, though others have voted. */
export const SOON_MS = 10 * MINUTE_MS;

export interface WithdrawNeeds {
  /** Where it stands which messages are to be deleted. */
  store: Store;
  /** Where the article is. */
  ranking: Ranking;
  /** Requests that can wait. */
  requests: Requests;
  /** Discord's time. */
  clock: Clock;
  /** Deletes the messages of articles that are gone, and names their threads anew. */
  finishErasing(guild: Snowflake): Promise<void>;
}

/**
 * Withdraws the article beside a member's message that is gone or says something else, and frees its link. False
 * if it stays, because others have voted on it meanwhile.
 */
export async function withdraw(
  needs: WithdrawNeeds,
  guild: Snowflake,
  { id, source }: { id: Snowflake; source: Snowflake },
): Promise<boolean> {
  const { store, ranking, clock } = needs;
  const article = await readArticle(ranking, guild, id);
  // A moderator or the poster has removed it: what stands there says so.
  if (article === null) return true;
  const isSoon = clock.now() - snowflakeTimeMs(source) < SOON_MS;
  if (article.closed || !(isSoon || hasOwnVoteAlone(article))) return false;
  await noteErasing(store, guild, article);
  await deleteArticle(ranking, guild, id);
  await needs.finishErasing(guild);
  return true;
}

function hasOwnVoteAlone({ up, down }: Article): boolean {
  return up === 1 && down === 0;
}

/**
 * Withdraws an article that stands beside a deleted message, of whose deletion no event told. Returns whether it
 * did: not if anybody else has voted on it.
 */
export async function withdrawIfAlone(
  needs: WithdrawNeeds,
  guild: Snowflake,
  article: Article,
  message: APIMessage,
): Promise<boolean> {
  const { channel, id } = article;
  const source = message.message_reference?.message_id;
  // A late answer to a command is a reply too.
  if (source === undefined || message.referenced_message !== null) return false;
  if (message.interaction_metadata !== undefined || !hasOwnVoteAlone(article)) return false;
  const asked = needs.requests.get({ guild, channel }, Routes.channelMessage(channel, source));
  const isGone = await asked.then(
    () => false,
    (error: unknown) => {
      if (isApiError(error, 'UnknownMessage')) return true;
      throw error;
    },
  );
  return isGone && withdraw(needs, guild, { id, source });
}
