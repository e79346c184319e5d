import { InteractionContextType } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import {
  articlePage,
  type ArticlePageNeeds,
  PAGE_SIZE,
  TURNS,
  zPage,
} from '../src/articles/lists/article-page.ts';
import { readList } from '../src/ranking/lists/read-list.ts';
import type { BotCommand } from '../src/bot.ts';
import type { GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
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
import type { Community } from '../src/community/community.ts';
import type { History } from '../src/history/history.ts';
import type { Moderation } from '../src/moderation/moderation.ts';
import type { Privacy } from '../src/privacy/privacy.ts';
import type { TopLists } from '../src/ranking/lists/top-lists.ts';
import type { Article } from '../src/ranking/articles/articles.ts';

/** `me|<turn>|<page>`; the other buttons are those of `/me data`. */
const zTurn = z.tuple([z.enum(TURNS), zPage]);

const article = completedOption('command.me.option.article');

interface MeNeeds extends ArticlePageNeeds, Community, History {
  /** Completes the article while it is typed. */
  lists: TopLists;
  /** Retitles and removes members' own articles. */
  moderation: Moderation;
  /** What is stored about the member. */
  privacy: Privacy;
}

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

  async run(interaction, needs) {
    switch (interaction.options.getSubcommand()) {
      case 'articles':
        return answer(interaction, await ownArticles(interaction, needs, 1));
      case 'retitle': {
        const title = interaction.options.getString('title', true);
        return needs.moderation.retitle(interaction, await ownArticle(interaction, needs), title);
      }
      case 'remove':
        return needs.moderation.remove(interaction, await ownArticle(interaction, needs), {
          own: true,
        });
      case 'data':
        return answer(interaction, await needs.privacy.page(interaction));
      default:
        throw new UserError('stale');
    }
  },

  async complete(interaction, needs) {
    const { name, value } = interaction.options.getFocused(true);
    if (name !== 'article') return [];
    const isOwn = ({ poster }: Article) => poster === interaction.user.id;
    return completeArticles(interaction, needs, value, isOwn);
  },

  async component(interaction, args, needs) {
    const turned = zTurn.safeParse(args);
    if (!turned.success) return needs.privacy.press(interaction, args);
    await updateMessage(interaction, await ownArticles(interaction, needs, turned.data[1]));
  },

  /** In direct messages, `/me data` is about all servers. */
  direct: {
    async run(interaction, needs) {
      if (interaction.options.getSubcommand() !== 'data') throw new UserError('guild.only');
      await answer(interaction, await needs.privacy.page(interaction));
    },
    component: (interaction, args, needs) => needs.privacy.press(interaction, args),
  },
} satisfies BotCommand<MeNeeds>;

async function ownArticles(
  interaction: GuildCommand | GuildComponent,
  needs: MeNeeds,
  page: number,
) {
  const { guildId: guild, locale, user } = interaction;
  requireWalk(needs, guild, user.id);
  const accept = (articles: readonly Article[]) =>
    articles.filter(({ poster }) => poster === user.id);
  const list = { guild, order: 'time', page, pageSize: PAGE_SIZE, accept } as const;
  const found = await readList(needs.ranking, list, needs.clock.now());
  return articlePage(needs, interaction, {
    title: translate(locale, 'me.articles.title'),
    empty: translate(locale, 'me.articles.empty'),
    page,
    mayLack: await needs.mayLackArticles(guild, found.total === 0),
    found,
    idOf: (direction, target) => ['me', direction, target].join('|'),
  });
}

/** Throws `me.unknown` for another member's article and for one that the member may no longer view. */
async function ownArticle(interaction: GuildCommand, needs: MeNeeds): Promise<Article> {
  // A title is searched among many articles.
  requireWalk(needs, interaction.guildId, interaction.user.id);
  const found = await articleOption(interaction, needs, 'me.unknown');
  if (found.poster !== interaction.user.id) throw new UserError('me.unknown');
  return found;
}
