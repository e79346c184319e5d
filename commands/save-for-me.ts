import { ApplicationCommandType } from 'discord.js';
import { targetArticle } from '../src/articles/find-article.ts';
import type { ArticlePageNeeds } from '../src/articles/lists/article-page.ts';
import type { BotCommand } from '../src/bot.ts';
import { localizedName } from '../src/discord/commands/localized.ts';
import { answer } from '../src/discord/interactions/answer.ts';
import type { Personal } from '../src/personal/personal.ts';
import { translate } from '../src/text/catalogue.ts';

interface SaveNeeds extends ArticlePageNeeds {
  /** What the member keeps for themself. */
  personal: Personal;
}

/** A message command on an article: keeps it for the member alone. */
export default {
  reads: true,
  data: { type: ApplicationCommandType.Message, ...localizedName('command.save-for-me.name') },

  async runOnMessage(interaction, needs) {
    const { guildId, locale, user } = interaction;
    const { id } = await targetArticle(interaction, needs);
    const status = await needs.personal.save(guildId, user.id, id);
    await answer(interaction, translate(locale, `personal.save.${status}`));
  },
} satisfies BotCommand<SaveNeeds>;
