import { InteractionContextType } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import {
  articlePage,
  type ArticlePageParts,
  PAGE_SIZE,
  TURNS,
  zPage,
} from '../src/articles/lists/article-page.ts';
import { pressPrivacy } from '../src/privacy/privacy-panel.ts';
import { readList } from '../src/ranking/lists/read-list.ts';
import type { Bot } from '../src/bot.ts';
import type { Command, GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { articleOption, completeArticles } from '../src/articles/find-article.ts';
import { MAX_TITLE_LENGTH } from '../src/text/clean.ts';
import { UserError } from '../src/discord/user-error.ts';
import {
  completedOption,
  localized,
  subcommand,
  textOption,
} from '../src/discord/commands/localized.ts';
import { requireWalk } from '../src/community/member-limits.ts';
import { translate } from '../src/text/catalogue.ts';
import { mayLackArticles } from '../src/history/rebuild/may-lack-articles.ts';
import type { Article } from '../src/ranking/articles/articles.ts';

/** `me|<turn>|<page>`; the other buttons are those of `/me data`. */
const zTurn = z.tuple([z.enum(TURNS), zPage]);

const article = completedOption('command.me.option.article');

export default {
  /** Erasing and opting out are everybody's right. */
  reads: (interaction) =>
    !interaction.isChatInputCommand() ||
    !['retitle', 'remove'].includes(interaction.options.getSubcommand(false) ?? ''),
  data: {
    ...localized('command.me'),
    contexts: [InteractionContextType.Guild, InteractionContextType.BotDM],
    options: [
      subcommand('command.me.articles'),
      subcommand('command.me.retitle', [
        article,
        textOption('command.me.option.title', { required: true, max_length: MAX_TITLE_LENGTH }),
      ]),
      subcommand('command.me.remove', [article]),
      subcommand('command.me.data'),
    ],
  },

  async run(interaction, app) {
    switch (interaction.options.getSubcommand()) {
      case 'articles':
        return answer(interaction, await ownArticles(interaction, app, 1));
      case 'retitle': {
        const title = interaction.options.getString('title', true);
        return app.moderation.retitle(interaction, await ownArticle(interaction, app), title);
      }
      case 'remove':
        return app.moderation.remove(interaction, await ownArticle(interaction, app), {
          own: true,
        });
      default:
        return answer(interaction, await app.privacy.page(interaction));
    }
  },

  async complete(interaction, app) {
    const { name, value } = interaction.options.getFocused(true);
    if (name !== 'article') return [];
    const isOwn = ({ poster }: Article) => poster === interaction.user.id;
    return completeArticles(interaction, app, value, isOwn);
  },

  async component(interaction, args, app) {
    const turned = zTurn.safeParse(args);
    if (!turned.success) return app.privacy.press(interaction, args);
    await updateMessage(interaction, await ownArticles(interaction, app, turned.data[1]));
  },

  /** In direct messages, `/me data` is about all servers. */
  direct: {
    async run(interaction, app) {
      if (interaction.options.getSubcommand() !== 'data') throw new UserError('guild.only');
      await answer(interaction, await app.privacy.page(interaction));
    },
    component: pressPrivacy,
  },
} satisfies Command<Bot>;

async function ownArticles(
  interaction: GuildCommand | GuildComponent,
  app: ArticlePageParts & Pick<Bot, 'store' | 'rebuilding' | 'memberLimits'>,
  page: number,
) {
  const { guildId: guild, locale, user } = interaction;
  requireWalk(app, guild, user.id);
  const accept = (articles: readonly Article[]) =>
    articles.filter(({ poster }) => poster === user.id);
  const list = { guild, order: 'time', page, pageSize: PAGE_SIZE, accept } as const;
  const found = await readList(app.ranking, list, app.clock.now());
  return articlePage(app, interaction, {
    title: translate(locale, 'me.articles.title'),
    empty: translate(locale, 'me.articles.empty'),
    page,
    mayLack: await mayLackArticles(app, guild, found.total === 0),
    found,
    idOf: (direction, target) => ['me', direction, target].join('|'),
  });
}

/** Throws `me.unknown` for another member's article and for one that the member may no longer view. */
async function ownArticle(
  interaction: GuildCommand,
  app: Pick<Bot, 'ranking' | 'clock'>,
): Promise<Article> {
  const found = await articleOption(interaction, app, 'me.unknown');
  if (found.poster !== interaction.user.id) throw new UserError('me.unknown');
  return found;
}
