import { Routes } from 'discord.js';
import type { Requests } from '../../discord/requests/requests.ts';
import { type Article, deleteArticle } from '../../ranking/articles/articles.ts';
import { moveArticle } from '../../ranking/articles/edit.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import type { RecountNeeds } from '../recount-needs.ts';

/** Deletes an article whose message is not where its row says. If it is elsewhere, it is found again. */
export async function deleteGone(
  needs: RecountNeeds,
  guild: Snowflake,
  { id: article, channel }: Pick<Article, 'id' | 'channel'>,
): Promise<'deleted' | 'unknown'> {
  await needs.searchAgainFrom(guild, snowflakeTimeMs(article));
  const { status } = await deleteArticle(needs.ranking, guild, article);
  if (status !== 'deleted') return 'unknown';
  needs.log.info({ guild, channel, article }, 'The message of an article is gone from there.');
  return 'deleted';
}

/** Whether only the thread is gone. In an outage Discord knows no channel, so its parent is asked for too. */
export async function isThreadGone(
  { requests }: { requests: Requests },
  guild: Snowflake,
  { channel, home }: Article,
): Promise<boolean> {
  if (channel === home) return false;
  const asked = requests.get({ guild, channel: home }, Routes.channel(home));
  return asked.then(
    () => true,
    () => false,
  );
}

/**
 * Hides an article whose thread was deleted while the bot was away. Only Discord's own event, or that the
 * message is unknown, deletes one. If its row names a wrong thread, it is found again.
 * The thread becomes its home: nobody may view that, while what is at home in the parent is listed again
 * whenever channels are compared, and answers whoever posts its link.
 */
export async function hideGone(
  needs: RecountNeeds,
  guild: Snowflake,
  { id, channel }: Article,
): Promise<void> {
  await needs.searchAgainFrom(guild, snowflakeTimeMs(id));
  await moveArticle(needs.ranking, { guild, article: id, home: channel, listed: false });
}
