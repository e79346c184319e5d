import { z } from 'zod';
import type { Article } from '../../ranking/articles/articles.ts';
import { isOfGroups, WEB_ORDERS, type WebOrder } from '../../ranking/lists/orders.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import { type Snowflake, zSnowflake } from '../../runtime/snowflake.ts';

/** A guild as its public page shows it. */
export type Community = {
  name: string;
  /** A Discord locale. */
  locale: string;
  /** The hash of the icon's picture; null: the guild has none. */
  icon: string | null;
  /** The groups that @everyone may view and that are not age-restricted, in the guild's order. */
  groups: { id: Snowflake; name: string }[];
  /** The other groups. */
  hidden: Snowflake[];
};

export const WEB_PAGE_SIZE = 25;
/** The number of pages of a list. Older articles are found by search. */
export const LAST_WEB_PAGE = 40;

const zQuery = z.object({
  group: zSnowflake.nullable(),
  order: z.enum(WEB_ORDERS).default('score'),
  page: z.coerce.number().pipe(z.int().min(1).max(LAST_WEB_PAGE)).default(1),
});

/** The part of a guild's articles that a page or feed shows. */
export type View = z.infer<typeof zQuery>;

/** A view of a guild with its articles. */
export type ListContent = {
  guild: Snowflake;
  community: Community;
  view: View;
  articles: readonly Article[];
  replies: Replies;
  /** The public address of the pages, without a slash at the end. */
  address: string;
};

/** Null for a view that does not exist. A group has no front order, which is fair between groups. */
export function parseView(
  group: string | null,
  query: { order?: string; page?: string },
): View | null {
  const { data } = zQuery.safeParse({ ...query, group });
  return data && ordersOf(data.group).includes(data.order) ? data : null;
}

/** The orders that a page leads to. The others are answered by their addresses. */
export const OFFERED_ORDERS = ['score', 'time', 'votes'] as const satisfies readonly WebOrder[];

export function ordersOf(group: Snowflake | null): readonly WebOrder[] {
  return group === null ? WEB_ORDERS : WEB_ORDERS.filter(isOfGroups);
}

/** The shortest path and query of a view of a guild's pages, or of its feeds. */
export function pathOf(
  guild: Snowflake,
  view: View,
  of: { lang?: string | undefined } | 'feeds' = {},
): string {
  const { group, order, page } = view;
  const query = new URLSearchParams();
  if (order !== 'score') query.set('order', order);
  if (page > 1) query.set('page', String(page));
  if (of !== 'feeds' && of.lang !== undefined) query.set('lang', of.lang);
  const root = of === 'feeds' ? `/feeds/${guild}` : `/g/${guild}`;
  const path = group === null ? root : `${root}/${group}`;
  return query.size === 0 ? path : `${path}?${query.toString()}`;
}

/** What was posted of a site or by a member, or has these words in its title. */
export type Place = { site: string } | { by: Snowflake } | { words: string };

export function placePath(
  guild: Snowflake,
  place: Place,
  lang?: string,
  root: 'g' | 'feeds' = 'g',
): string {
  const query = new URLSearchParams({
    ...('words' in place ? { q: place.words } : {}),
    ...(lang === undefined ? {} : { lang }),
  });
  const path =
    'site' in place
      ? `site/${encodeURIComponent(place.site)}`
      : 'by' in place
        ? `by/${place.by}`
        : 'search';
  return `/${root}/${guild}/${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
}
