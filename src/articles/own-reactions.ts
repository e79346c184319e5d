import { Routes } from 'discord.js';
import { fault } from '../log.ts';
import { mayRestore } from '../records/guilds.ts';
import { readArticle } from '../ranking/articles/articles.ts';
import type { Direction } from '../ranking/row.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { App } from '../app.ts';
import { emojiOf } from '../discord/packets.ts';

type Place = { guild: Snowflake; channel: Snowflake; message: Snowflake };

/**
 * Puts the bot's own reactions back under an article on which voting is open, once for each kind:
 * a moderator who takes them off again means it.
 */
export async function restoreReactions(
  app: App,
  { guild, channel, message }: Place,
  gone: readonly Direction[],
): Promise<void> {
  const article = await readArticle(app.ranking, guild, message);
  if (!article || article.closed || app.clock.now() >= article.closesAtMs) return;
  // 👍 first: their order under the message is the order in which they come.
  for (const direction of gone) {
    if (!(await mayRestore(app.store, guild, message, direction))) continue;
    try {
      await app.ownMessages.demand({ guild, channel, message });
      await app.client.rest.put(
        Routes.channelMessageOwnReaction(channel, message, encodeURIComponent(emojiOf[direction])),
      );
    } catch (error) {
      // An archived thread, a permission that is missing: members can add them by hand.
      app.log.info({ ...fault(error), guild, channel }, 'A reaction could not be put back.');
    }
  }
}
