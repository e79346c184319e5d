import { type APIApplicationCommandBasicOption, ApplicationCommandOptionType } from 'discord.js';
import { answer } from '../src/discord/answer.ts';
import { messageLink } from '../src/articles/lists/item.ts';
import type { App } from '../src/app.ts';
import type { Command, GuildCommand } from '../src/discord/commands/command.ts';
import { completeArticles } from '../src/articles/lists/autocomplete.ts';
import { type Act, removeBy, retitleBy } from '../src/admin/moderation/actions.ts';
import { cleanTitle, MAX_TITLE_LENGTH } from '../src/text/clean.ts';
import { UserError } from '../src/discord/user-error.ts';
import { mayView } from '../src/discord/visibility.ts';
import { words } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { type Article, readArticle } from '../src/ranking/articles/articles.ts';
import { zSnowflake } from '../src/ranking/snowflake.ts';

const article: APIApplicationCommandBasicOption = {
  type: ApplicationCommandOptionType.String,
  required: true,
  autocomplete: true,
  ...words('command.mine.option.article'),
};

export default {
  data: {
    ...words('command.mine'),
    options: [
      {
        type: ApplicationCommandOptionType.Subcommand,
        ...words('command.mine.retitle'),
        options: [
          article,
          {
            type: ApplicationCommandOptionType.String,
            required: true,
            max_length: MAX_TITLE_LENGTH,
            ...words('command.mine.option.title'),
          },
        ],
      },
      {
        type: ApplicationCommandOptionType.Subcommand,
        ...words('command.mine.remove'),
        options: [article],
      },
    ],
  },

  async run(interaction, app) {
    const own = await ownArticle(interaction, app);
    if (interaction.options.getSubcommand() === 'remove') await remove(interaction, app, own);
    else await retitle(interaction, app, own);
  },

  async complete(interaction, app) {
    const { name, value } = interaction.options.getFocused(true);
    if (name !== 'article') return [];
    const isOwn = ({ poster }: Article) => poster === interaction.user.id;
    return completeArticles(interaction, app, value, isOwn);
  },
} satisfies Command;

/** Another's article, another guild's, or one where the asker may no longer look, is unknown. */
async function ownArticle(interaction: GuildCommand, { ranking }: App): Promise<Article> {
  const id = zSnowflake.safeParse(interaction.options.get('article')?.value);
  const found = id.success ? await readArticle(ranking, interaction.guildId, id.data) : null;
  const isOwn = found?.poster === interaction.user.id;
  if (!found || !isOwn || !mayView(interaction.member, found.home)) {
    throw new UserError('mine.unknown');
  }
  return found;
}

async function remove(interaction: GuildCommand, app: App, own: Article): Promise<void> {
  const outcome = await removeBy(app, own, actOf(interaction));
  if (outcome === 'unknown' || outcome === 'unchanged') throw new UserError('mine.unknown');
  const lines = [translate(interaction.locale, 'mine.removed')];
  if (outcome === 'unedited') lines.push(translate(interaction.locale, 'mod.unedited'));
  if (outcome === 'foreign') lines.push(translate(interaction.locale, 'mod.imported'));
  await answer(interaction, lines.join('\n'));
}

async function retitle(interaction: GuildCommand, app: App, own: Article): Promise<void> {
  const title = cleanTitle(String(interaction.options.get('title')?.value ?? ''));
  if (title === '') throw new UserError('mod.title.empty');
  switch (await retitleBy(app, own, title, actOf(interaction))) {
    case 'retitled': {
      const message = messageLink(interaction.guildId, own);
      return answer(interaction, translate(interaction.locale, 'mod.retitled', { message }));
    }
    case 'unchanged':
      throw new UserError('mod.retitle.unchanged');
    case 'unknown':
      throw new UserError('mine.unknown');
  }
}

function actOf({ id, member }: GuildCommand): Act {
  return { id, by: member, reason: '', own: true };
}
