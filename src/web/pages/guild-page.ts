import { html } from 'hono/html';
import { numberText, translate } from '../../text/catalogue.ts';
import { listedNow } from '../../articles/lists/article-facts.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { WebOrder } from '../../ranking/lists/orders.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type ItemContext, leadItem, listItem, type PageItem } from './article-html.ts';
import { type Frame, framed, type Html, langOf, linkList, searchForm } from './page-frame.ts';
import {
  type Community,
  LAST_WEB_PAGE,
  type ListContent,
  OFFERED_ORDERS,
  ordersOf,
  pathOf,
  type Place,
  placePath,
  type View,
  WEB_PAGE_SIZE,
} from './list-view.ts';

type PageContent = Frame &
  ListContent & {
    total: number;
    /** Groups with articles; only these are linked. */
    filled: ReadonlyMap<Snowflake, number>;
    /** The first item is larger, on the first page of the best; null: none leads. */
    lead: { isOfDay: boolean } | null;
  } & ItemContext;

/** A guild's page as HTML: a list, whose first item leads. */
export function guildPage(content: PageContent): Html {
  const { community, view, language, guild } = content;
  const group = community.groups.find(({ id }) => id === view.group);
  const name = group === undefined ? community.name : `#${group.name} · ${community.name}`;
  const title = group === undefined ? `${name} · Frontpage` : name;
  const ofCommunity = translate(language, 'web.description', { community: community.name });
  const order = orderText(language, view.order);
  return framed(content, {
    title,
    description: content.settings.about ?? ofCommunity,
    path: pathOf(guild, view),
    inLanguage: (lang) => pathOf(guild, view, { lang }),
    choices: [orderLinks(content), groupLinks(content)],
    main: html`<h2 class="unseen">${group === undefined ? '' : html`<bdi>#${group.name}</bdi> · `}${order}</h2>
${list(content)}
${pageLinks(content)}`,
  });
}

function list(content: PageContent): Html | string {
  const { articles, view, language, lead } = content;
  const first = (view.page - 1) * WEB_PAGE_SIZE + 1;
  if (articles.length === 0) return html`<p class="empty">${emptyListText(content)}</p>`;
  return html`<ol class="articles" start="${first}">
${articles.map((article, at) => {
  const item = itemOf(content, article);
  if (lead === null || at > 0) return listItem(content, content, item, first + at);
  const label = translate(language, lead.isOfDay ? 'web.lead' : 'web.lead.now');
  return leadItem(content, content, item, first, label);
})}
</ol>`;
}

function emptyListText({ view: shown, language, total, community }: PageContent): string {
  const { page } = shown;
  const pages = Math.ceil(total / WEB_PAGE_SIZE);
  if (page > 1 && total > 0) return translate(language, 'top.empty.page', { page, total, pages });
  return translate(language, 'web.empty', { view: viewText(language, shown, community) });
}

/** What a list is called: its channel and its order. */
export function viewText(language: string, { group, order }: View, { groups }: Community): string {
  const channel = groups.find(({ id }) => id === group);
  const text = orderText(language, order);
  return channel === undefined ? text : `#${channel.name} · ${text}`;
}

/** What an order is called in a row of tabs; one that has no tab, by its whole name. */
export function orderText(language: string, order: WebOrder): string {
  const offered = OFFERED_ORDERS.find((one) => one === order);
  return translate(language, offered === undefined ? `top.order.${order}` : `web.order.${offered}`);
}

function itemOf({ replies, view }: PageContent, article: Article): PageItem {
  return { ...listedNow(article, { replies }), here: view.group };
}

function linkTo(content: PageContent, view: View): string {
  return pathOf(content.guild, view, { lang: langOf(content) });
}

function orderLinks(content: PageContent): Html {
  const { view, language } = content;
  const links = OFFERED_ORDERS.map((order) => ({
    href: linkTo(content, { ...view, order, page: 1 }),
    text: orderText(language, order),
    isHere: order === view.order,
  }));
  return linkList('choices orders', translate(language, 'web.orders'), links);
}

/** More channels than these are on a page of their own. */
const GROUPS_SHOWN = 8;

function groupLinks(content: PageContent): Html | string {
  const { view, language, community, filled, guild } = content;
  const fullest = [...filled].sort((a, b) => b[1] - a[1]).slice(0, GROUPS_SHOWN);
  const shownIds = new Set([...fullest.map(([id]) => id), view.group]);
  const shown = community.groups.filter(({ id }) => shownIds.has(id));
  if (shown.length === 0) return '';
  const all = { id: null, text: translate(language, 'top.show.all') };
  const groups = shown.map(({ id, name }) => ({ id, text: `#${name}` }));
  const links = [all, ...groups].map(({ id, text }) => ({
    href: linkTo(content, { ...view, group: id, order: orderIn(view, id), page: 1 }),
    text,
    isHere: id === view.group,
  }));
  const more =
    filled.size > GROUPS_SHOWN
      ? [
          {
            href: channelsPath(guild, langOf(content)),
            text: translate(language, 'web.channels.all'),
            isHere: false,
          },
        ]
      : [];
  return linkList('choices groups', translate(language, 'web.groups'), [...links, ...more]);
}

function orderIn({ order }: View, group: Snowflake | null): WebOrder {
  return ordersOf(group).includes(order) ? order : 'score';
}

export function channelsPath(guild: Snowflake, lang?: string): string {
  return `/g/${guild}/channels${lang === undefined ? '' : `?lang=${lang}`}`;
}

/** All channels that have articles, in the guild's order, each with their number. */
export function channelsPage(
  frame: Frame,
  { filled }: { filled: ReadonlyMap<Snowflake, number> },
): Html {
  const { guild, language, community } = frame;
  const title = translate(language, 'web.channels.all');
  const lang = langOf(frame);
  return framed(frame, {
    title: `${title} · ${community.name}`,
    description: translate(language, 'web.description', { community: community.name }),
    path: channelsPath(guild),
    inLanguage: (other) => channelsPath(guild, other),
    main: html`<h2 class="of">${title}</h2>
<ul class="editions">
${community.groups
  .filter(({ id }) => filled.has(id))
  .map(
    ({ id, name }) =>
      html`<li><a href="${pathOf(guild, { group: id, order: 'score', page: 1 }, { lang })}"><bdi>#${name}</bdi></a> <span>${numberText(language, filled.get(id)!)}</span></li>
`,
  )}</ul>`,
  });
}

/** What was found of a site, by a member or by words, the newest first. */
export function placePage(
  frame: Frame,
  {
    place,
    title,
    articles,
    total,
    starred,
    replies,
    ...items
  }: {
    place: Place;
    /** Of a search without words: empty. */
    title: string;
    articles: readonly Article[];
    total: number;
    starred: number;
    replies: Replies;
  } & ItemContext,
): Html {
  const { guild, language, community } = frame;
  const facts = translate(language, 'web.found', { count: total, starred });
  const heading = title === '' ? translate(language, 'web.search') : title;
  return framed(frame, {
    title: `${heading} · ${community.name}`,
    description: title === '' ? heading : `${heading}: ${facts}`,
    path: placePath(guild, place),
    inLanguage: (lang) => placePath(guild, place, lang),
    hasSearch: 'words' in place,
    main: html`<h2 class="of"><bdi>${heading}</bdi></h2>
${'words' in place ? searchForm(frame, place.words) : ''}
${total === 0 ? '' : html`<p class="found">${facts}</p>`}
${
  articles.length === 0
    ? emptyText(language, place)
    : html`<ol class="articles">
${articles.map((article, at) =>
  listItem(frame, items, { ...listedNow(article, { replies }), hasDay: true }, at + 1),
)}
</ol>`
}`,
  });
}

/** Of a search that found nothing, as no other place does; one without words has found nothing yet. */
function emptyText(language: string, place: Place): Html | string {
  if (!('words' in place) || place.words === '') return '';
  const { words } = place;
  return html`<p class="empty">${translate(language, 'web.empty.search', { words })}</p>`;
}

function pageLinks(content: PageContent): Html | string {
  const { view, language, total } = content;
  const pages = Math.min(LAST_WEB_PAGE, Math.max(1, Math.ceil(total / WEB_PAGE_SIZE)));
  if (pages === 1 && view.page === 1) return '';
  const link = (page: number, key: 'top.previous' | 'top.next', rel: string) =>
    page < 1 || page > pages
      ? html`<span></span>`
      : html`<a href="${linkTo(content, { ...view, page })}" rel="${rel}">${translate(language, key)}</a>`;
  return html`<nav class="pages" aria-label="${translate(language, 'web.pages')}">
${link(Math.min(view.page - 1, pages), 'top.previous', 'prev')}
<span>${translate(language, 'web.page', { page: view.page, pages })}</span>
${link(view.page + 1, 'top.next', 'next')}
</nav>`;
}
