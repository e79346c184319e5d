import type { APIMessage, Client } from 'discord.js';
import { keepReplies } from '../../articles/messages/discussion.ts';
import { isPlaceholder, keepPreview } from '../../articles/messages/preview.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { RecountNeeds } from '../recount-needs.ts';
import { countsOf } from './counts.ts';

/** Keeps what Discord shows besides votes, and repairs the bot's own reactions. */
export async function repairMessage(
  needs: RecountNeeds,
  guild: Snowflake,
  article: Article,
  { message, hasChanged }: { message: APIMessage; hasChanged: boolean },
): Promise<void> {
  const { id, channel, closesAtMs, signs } = article;
  await keepReplies(needs, guild, message);
  // Closing updates the message itself.
  if (needs.clock.now() >= closesAtMs) return;
  const counts = countsOf(message, signs);
  // The ranking does not have the votes yet that the message shows.
  const hasVotes = counts.up + counts.down > 0;
  if (!hasVotes && (await needs.withdrawIfAlone(guild, article, message))) return;
  if (isPlaceholder(article)) {
    await keepPreview(needs, guild, article, { embeds: message.embeds, isAlone: true });
  }
  if (isArchived(needs, guild, article)) return;
  const downs = hasChanged ? null : counts.down;
  needs.ownReactions.repair({ guild, channel, article: id, signs }, message, downs);
}

/**
 * Whether the article's thread is archived. Discord takes no edits and reactions there, and the cache
 * has every thread that is open.
 */
export function isArchived(
  { client }: { client: Client },
  guild: Snowflake,
  { channel, home }: Pick<Article, 'channel' | 'home'>,
): boolean {
  if (channel === home) return false;
  const parent = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  return parent === undefined || (parent.isThread() && parent.archived === true);
}
