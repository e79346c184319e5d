import { Routes } from 'discord.js';
import { fault } from '../log.ts';
import { mayRestore } from '../store/guilds.ts';
import { readArticle } from '../voting/articles.ts';
import type { Direction } from '../voting/row.ts';
import type { Snowflake } from '../voting/snowflake.ts';
import type { Bot } from './bot.ts';
import { emojiOf } from './reaction-packets.ts';

type Place = { guild: Snowflake; channel: Snowflake; message: Snowflake };

/**
 * Puts the bot's own reactions back under an article on which voting is open, once for each kind:
 * a moderator who takes them off again means it.
 */
export async function restoreReactions(
  bot: Bot,
  { guild, channel, message }: Place,
  gone: readonly Direction[],
): Promise<void> {
  const article = await readArticle(bot.ranking, guild, message);
  if (!article || article.closed || bot.clock.now() >= article.closesAtMs) return;
  // 👍 first: their order under the message is the order in which they come.
  for (const direction of gone) {
    if (!(await mayRestore(bot.store, guild, message, direction))) continue;
    try {
      await bot.client.rest.put(
        Routes.channelMessageOwnReaction(channel, message, encodeURIComponent(emojiOf[direction])),
      );
    } catch (error) {
      // An archived thread, a permission that is missing: members can add them by hand.
      bot.log.info({ ...fault(error), guild, channel }, 'A reaction could not be put back.');
    }
  }
}
