import type { APIEmbed } from 'discord.js';
import { z } from 'zod';
import type { GuildCommand, GuildComponent } from '../../discord/commands/command.ts';
import { button, card, type ActionRow, row } from '../../discord/interactions/components.ts';
import { translate } from '../../text/catalogue.ts';
import type { Page } from '../../ranking/lists/ranked.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { limits } from '../../discord/limits.ts';
import { articleItems } from './article-item.ts';
import { itemContext } from './item-context.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Store } from '../../redis/store.ts';

export const PAGE_SIZE = 10;
export const LAST_PAGE = 100_000;
export const TURNS = ['previous', 'next'] as const;
type Turn = (typeof TURNS)[number];

/** A page's number in a custom id. */
export const zPage = z.coerce.number().pipe(z.int().min(1).max(LAST_PAGE));

/** The custom id of a button. It contains everything that the page needs. */
type PageId = (turn: Turn, page: number) => string;

type Pages = {
  title: string;
  /** A line above the articles. Default: none. */
  head?: string;
  /** Lines below them. Default: none. */
  tail?: string;
  /** The text if the whole list is empty. */
  empty: string;
  page: number;
  found: Page;
  idOf: PageId;
  /** Articles may be missing, because the guild's ranking is not complete; the page says so. */
  mayLack: boolean;
  /** The list is of this group. Default: of more than one. */
  group?: Snowflake | null;
  /** Whether ages tell something here. Default: they do. */
  hasAges?: boolean;
  /** A further line below each article. Default: none. */
  notes?: readonly string[];
  /** Its articles are all of who asks. Default: posters are named. */
  namesNobody?: boolean;
  /** Under the buttons. */
  selects?: readonly ActionRow[];
};

export interface ArticlePageNeeds {
  /** Where the articles are, and the numbers of messages in their discussions. */
  ranking: Ranking;
  /** Where the members who opted out are. */
  store: Store;
  /** Ages are said at its time. */
  clock: Clock;
}

/** A page of articles with buttons for other pages. The buttons still work after a restart. */
export async function articlePage(
  needs: ArticlePageNeeds,
  { guildId: guild, locale }: GuildCommand | GuildComponent,
  pages: Pages,
) {
  const { title, page, found, group = null, hasAges = true, head = '', tail = '' } = pages;
  const { articles, total } = found;
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE));
  const beyond = translate(locale, 'top.empty.page', { page, pages: last, total });
  const ages = hasAges ? { at: needs.clock.now() } : 'none';
  const { notes = [], namesNobody = false } = pages;
  const read = await itemContext(needs, articles, { guild, locale, ages, group });
  const unnamed = namesNobody ? new Set(articles.map(({ poster }) => poster)) : read.unnamed;
  const below = notes.map((note) => `\n-# ${note}`);
  const length =
    limits.embedDescriptionLength - head.length - tail.length - below.join('').length - 2;
  const of = { rank: (page - 1) * PAGE_SIZE + 1, length };
  const items = articleItems(articles, { ...read, unnamed }, of).map(
    (item, at) => `${item}${below[at] ?? ''}`,
  );
  const hasOthers = last > 1 || page > 1;
  const values = { page: Math.min(page, last), pages: last, total };
  const embed: APIEmbed = {
    ...card(
      title,
      [head, items.join('\n') || (total === 0 ? pages.empty : beyond), tail].filter(Boolean),
    ),
    ...(hasOthers ? { footer: { text: translate(locale, 'top.footer', values) } } : {}),
  };
  return {
    content: pages.mayLack ? translate(locale, 'rebuild.gappy') : '',
    embeds: [embed],
    components: [
      ...(hasOthers ? [pageButtons(locale, pages, last)] : []),
      ...(pages.selects ?? []),
    ],
  };
}

/** Buttons that lead to the page before and the page after. */
export function pageButtons(
  locale: string,
  { page, idOf }: { page: number; idOf: PageId },
  last: number,
): ActionRow {
  // On a page beyond the end, "previous" leads to the last page.
  const targets = { previous: Math.min(page - 1, last), next: page + 1 };
  const usable = { previous: page > 1, next: page < last };
  return row(
    ...TURNS.map((turn) => ({
      ...button(idOf(turn, Math.max(1, targets[turn])), translate(locale, `top.${turn}`)),
      disabled: !usable[turn],
    })),
  );
}
