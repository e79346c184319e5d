import type { APIMessage } from 'discord.js';
import type { App } from '../app.ts';
import { keepReplies } from '../articles/messages/discussion.ts';
import { isUpToDate } from '../articles/messages/message-updates.ts';
import { keepPreview } from '../articles/messages/preview.ts';
import { emojiOf } from '../discord/vote-emoji.ts';
import type { Article } from '../ranking/articles/articles.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import { titleOfLink } from '../text/clean.ts';
import { countsOf, directions } from './reactions/counts.ts';

type MendParts = Pick<App, 'client' | 'ranking' | 'messageUpdates' | 'ownReactions' | 'clock'>;

/** Keeps what Discord shows besides votes, and mends the message and the bot's own reactions. */
export async function mendMessage(
  app: MendParts,
  guild: Snowflake,
  article: Article,
  { message, hasChanged }: { message: APIMessage; hasChanged: boolean },
): Promise<void> {
  await keepReplies(app, guild, message);
  // Closing updates the message itself.
  if (app.clock.now() >= article.closesAtMs) return;
  const { embeds } = message;
  const isUntitled = article.title === titleOfLink(article.link);
  if (isUntitled) await keepPreview(app, guild, article, { embeds, isAlone: true });
  if (isArchived(app, guild, article)) return;
  if (!isUpToDate(article, message)) app.messageUpdates.note(guild, article.id);
  mendReactions(app, guild, article, { message, hasChanged });
}

/**
 * Whether the article's thread is archived. Discord takes no edits and reactions there, and the cache
 * has every thread that is open.
 */
function isArchived(
  { client }: Pick<App, 'client'>,
  guild: Snowflake,
  { channel, home }: Article,
): boolean {
  if (channel === home) return false;
  const place = client.guilds.cache.get(guild)?.channels.cache.get(channel);
  return place === undefined || (place.isThread() && place.archived === true);
}

/** Makes the bot show 👍 always, and 👎 only if no member shows it. */
function mendReactions(
  { ownReactions }: Pick<App, 'ownReactions'>,
  guild: Snowflake,
  { id, channel }: Article,
  { message, hasChanged }: { message: APIMessage; hasChanged: boolean },
): void {
  const place = { guild, channel, article: id };
  const wanted = { up: true, down: countsOf(message).down === 0 };
  for (const direction of directions) {
    // Members' votes meanwhile decide about 👎.
    if (direction === 'down' && hasChanged) continue;
    const shown = isOwn(message, direction);
    if (shown !== wanted[direction]) ownReactions.set(place, direction, wanted[direction]);
  }
}

function isOwn({ reactions = [] }: APIMessage, direction: Direction): boolean {
  return reactions.some(({ emoji, me }) => me && emoji.name === emojiOf[direction]);
}
