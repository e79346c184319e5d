import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import {
  articlePage,
  type ArticlePageParts,
  LAST_PAGE,
  PAGE_SIZE,
  TURNS,
} from '../src/articles/lists/article-page.ts';
import type { App, Search } from '../src/app.ts';
import type { Command, GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { demandWithinLimit } from '../src/discord/access/member-limits.ts';
import { groupOption, parseArgs, validOption } from '../src/discord/commands/checked-options.ts';
import { cleanTitle, shortened } from '../src/text/clean.ts';
import { remember } from '../src/discord/remember.ts';
import { UserError } from '../src/discord/user-error.ts';
import { groupName, mayView } from '../src/discord/access/visibility.ts';
import { channelOption, localized, textOption } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { parseUrl } from '../src/url.ts';
import { hostWithoutWww, searchArticles } from '../src/ranking/lists/search-articles.ts';
import { LOOKED_THROUGH } from '../src/ranking/lists/walk-lists.ts';
import { type Snowflake, zSnowflake } from '../src/ranking/snowflake.ts';
import { limits } from '../src/discord/limits.ts';

const WORDS_AT_MOST = 100;
const HOST_AT_MOST = 253;

const SEARCHES_AT_MOST = 10_000;

/** `search|<turn>|<search>|<page>`. */
const zArgs = z.tuple([
  z.enum(TURNS),
  zSnowflake,
  z.coerce.number().pipe(z.int().min(1).max(LAST_PAGE)),
]);
const zWords = z.string().max(WORDS_AT_MOST).optional();
const zHost = z.string().max(HOST_AT_MOST).optional();

export default {
  data: {
    ...localized('command.search'),
    options: [
      textOption('command.search.words', { max_length: WORDS_AT_MOST }),
      textOption('command.search.host', { max_length: HOST_AT_MOST }),
      { type: ApplicationCommandOptionType.User, ...localized('command.search.poster') },
      channelOption('command.search.group'),
    ],
  },

  async run(interaction, app) {
    const query = queryOf(interaction);
    if (Object.keys(query).length === 0) throw new UserError('search.nothing');
    const title = titleOf(interaction, query);
    const search = { member: interaction.user.id, query, title };
    const page = await show(interaction, app, interaction.id, search, 1);
    if (page.components.length > 0) {
      remember(app.searches, interaction.id, search, SEARCHES_AT_MOST);
    }
    await answer(interaction, page);
  },

  async component(interaction, args, app) {
    const [, id, page] = parseArgs(zArgs, args);
    const search = app.searches.get(id);
    // Another member's search counts as expired.
    if (!search || search.member !== interaction.user.id) throw new UserError('search.gone');
    const { group } = search.query;
    if (group !== undefined && !mayView(interaction.member, group))
      throw new UserError('channel.unknown');
    await updateMessage(interaction, await show(interaction, app, id, search, page));
  },
} satisfies Command;

function queryOf(interaction: GuildCommand): Search['query'] {
  const words = cleanTitle(validOption(interaction, 'words', zWords) ?? '');
  const host = validOption(interaction, 'host', zHost)?.trim();
  const poster = validOption(interaction, 'poster', zSnowflake.optional());
  const group = groupOption(interaction, 'group');
  return {
    ...(words ? { words } : {}),
    ...(host ? { host: asHost(host) } : {}),
    ...(poster === undefined ? {} : { poster }),
    ...(group === null ? {} : { group: group.id }),
  };
}

/** The results' title, with all that was asked for. */
function titleOf(interaction: GuildCommand, { words, host }: Search['query']): string {
  const { locale, options } = interaction;
  const group = groupOption(interaction, 'group');
  const filter = [
    words,
    host,
    options.get('poster')?.user?.displayName,
    group && `#${groupName(group)}`,
  ].filter(Boolean);
  const title = translate(locale, 'search.title', { filter: cleanTitle(filter.join(' · ')) });
  return shortened(title, limits.embedTitleLength);
}

/** `https://Bücher.de/x` and `bücher.de` mean xn--bcher-kva.de. */
function asHost(typed: string): string {
  const address = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return parseUrl(address) === null ? typed.toLowerCase() : hostWithoutWww(address);
}

async function show(
  { guildId, locale, user }: GuildCommand | GuildComponent,
  app: ArticlePageParts & Pick<App, 'lists' | 'memberLimits'>,
  id: string,
  { query, title }: Search,
  page: number,
) {
  demandWithinLimit(app, guildId, user.id, 'search');
  const search = { guild: guildId, query, page, pageSize: PAGE_SIZE };
  const { articles, total } = await searchArticles(app.ranking, search, app.clock.now());
  return articlePage(app, {
    guild: guildId,
    locale,
    title,
    empty: total === 0 ? await emptyText(app, guildId, locale, query) : '',
    page,
    articles,
    total,
    idOf: (turn, target) => ['search', turn, id, target].join('|'),
  });
}

/** Says how far the search went only if there are articles beyond. */
async function emptyText(
  { lists }: Pick<App, 'lists'>,
  guild: Snowflake,
  locale: string,
  { group }: Search['query'],
): Promise<string> {
  const list = { guild, group: group ?? null, order: 'time', page: 1, pageSize: 1 } as const;
  const { total } = await lists.page(list);
  return total > LOOKED_THROUGH
    ? translate(locale, 'search.empty.newest', { most: LOOKED_THROUGH })
    : translate(locale, 'search.empty');
}
