import { ApplicationCommandOptionType } from 'discord.js';
import { z } from 'zod';
import { answer, updateMessage } from '../src/discord/interactions/answer.ts';
import {
  articlePage,
  type ArticlePageNeeds,
  PAGE_SIZE,
  TURNS,
  zPage,
} from '../src/articles/lists/article-page.ts';
import type { BotCommand } from '../src/bot.ts';
import type { Articles, Search } from '../src/articles/articles.ts';
import type { Community } from '../src/community/community.ts';
import type { History } from '../src/history/history.ts';
import type { TopLists } from '../src/ranking/lists/top-lists.ts';
import type { GuildCommand, GuildComponent } from '../src/discord/commands/command.ts';
import { requireWalk } from '../src/community/member-limits.ts';
import { groupOption, parseArgs, validOption } from '../src/discord/commands/checked-options.ts';
import { cleanTitle, shortened, shownHost } from '../src/text/clean.ts';
import { remember } from '../src/discord/remember.ts';
import { UserError } from '../src/discord/user-error.ts';
import { seesMoreThanLists, groupName, requireView } from '../src/discord/access/visibility.ts';
import { channelOption, localized, textOption } from '../src/discord/commands/localized.ts';
import { translate } from '../src/text/catalogue.ts';
import { parseUrl } from '../src/runtime/url.ts';
import { hasWholeWords, hostWithoutWww, matching } from '../src/ranking/lists/search-articles.ts';
import type { Article } from '../src/ranking/row.ts';
import { isShownTo, readMuted } from '../src/personal/muted.ts';
import { LOOKED_THROUGH } from '../src/ranking/lists/ranked.ts';
import { zSnowflake } from '../src/runtime/snowflake.ts';
import { limits } from '../src/discord/limits.ts';

const WORDS_AT_MOST = 100;
const HOST_AT_MOST = 253;

const SEARCHES_AT_MOST = 10_000;

/** `search|<turn>|<search>|<page>`. */
const zArgs = z.tuple([z.enum(TURNS), zSnowflake, zPage]);
const zWords = z.string().max(WORDS_AT_MOST).default('');
const zHost = z.string().max(HOST_AT_MOST).default('');

interface SearchNeeds extends ArticlePageNeeds, Articles, Community, History {
  /** Where the articles are searched, newest first. */
  lists: TopLists;
}

export default {
  reads: true,
  data: {
    ...localized('command.search'),
    options: [
      textOption('command.search.words', { max_length: WORDS_AT_MOST }),
      textOption('command.search.site', { max_length: HOST_AT_MOST }),
      { type: ApplicationCommandOptionType.User, ...localized('command.search.poster') },
      channelOption('command.search.channel'),
    ],
  },

  async run(interaction, needs) {
    const search = searchOf(interaction);
    if (Object.keys(search.query).length === 0) throw new UserError('search.nothing');
    const page = await show(interaction, needs, interaction.id, search, 1);
    if (page.components.length > 0) {
      remember(needs.searches, interaction.id, search, SEARCHES_AT_MOST);
    }
    await answer(interaction, page);
  },

  async component(interaction, args, needs) {
    const [, id, page] = parseArgs(zArgs, args);
    const search = needs.searches.get(id);
    // Another member's search counts as expired.
    if (!search || search.member !== interaction.user.id) throw new UserError('search.gone');
    const { group } = search.query;
    if (group) requireView(interaction.member, group);
    await updateMessage(interaction, await show(interaction, needs, id, search, page));
  },
} satisfies BotCommand<SearchNeeds>;

/** What was asked for. The title says all of it. */
function searchOf(interaction: GuildCommand): Search {
  const { locale, options, user } = interaction;
  const words = cleanTitle(validOption(interaction, 'words', zWords));
  const host = asHost(validOption(interaction, 'site', zHost).trim());
  const poster = validOption(interaction, 'poster', zSnowflake.optional());
  const group = groupOption(interaction, 'channel');
  const query = {
    ...(words !== '' && { words }),
    ...(host !== '' && { host }),
    ...(poster !== undefined && { poster }),
    ...(group !== null && { group: group.id }),
  };
  const name = options.get('poster')?.user?.displayName;
  const inGroup = group && `#${groupName(group)}`;
  const filter = [words, shownHost(host), name, inGroup].filter(Boolean).join(' · ');
  const title = translate(locale, 'search.title', { filter: cleanTitle(filter) });
  return { member: user.id, query, title: shortened(title, limits.embedTitleLength) };
}

/** `https://Bücher.de/x` and `bücher.de` mean xn--bcher-kva.de. */
function asHost(typed: string): string {
  const address = /^https?:\/\//i.test(typed) ? typed : `https://${typed}`;
  return parseUrl(address) === null ? typed.toLowerCase() : hostWithoutWww(address);
}

async function show(
  interaction: GuildCommand | GuildComponent,
  needs: SearchNeeds,
  id: string,
  { query, title }: Search,
  page: number,
) {
  const { guildId: guild, locale, user } = interaction;
  requireWalk(needs, guild, user.id, 'search');
  const { group = null } = query;
  const all = { guild, group, order: 'time', page: 1, pageSize: 1 } as const;
  const isShown = isShownTo(user.id, await readMuted(needs.store, guild, user.id));
  const isMatch = matching(query);
  const accept = (articles: readonly Article[]) => isMatch(articles).filter(isShown);
  const found = await needs.lists.page({
    ...all,
    page,
    pageSize: PAGE_SIZE,
    accept,
    prefer: hasWholeWords(query),
  });
  const idOf = (turn: string, target: number) => ['search', turn, id, target].join('|');
  // Only if there are articles beyond, the text says how far the search went.
  const isAll = found.total > 0 || (await needs.lists.page(all)).total <= LOOKED_THROUGH;
  const isClosed = found.total === 0 && group === null && seesMoreThanLists(interaction.member);
  const empty = isAll
    ? translate(locale, isClosed ? 'search.empty.closed' : 'search.empty')
    : translate(locale, 'search.empty.newest', { most: LOOKED_THROUGH });
  const mayLack = await needs.mayLackArticles(guild, found.total === 0);
  return articlePage(needs, interaction, { title, empty, mayLack, page, found, group, idOf });
}
