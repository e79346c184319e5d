import { html } from 'hono/html';
import { translate } from '../../text/catalogue.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { type ArticleFacts, type Lead, leadArticle, listItem, type Names } from './article-html.ts';
import { type Frame, framed, type Html, langOf, linkList } from './page-frame.ts';
import {
  LAST_WEB_PAGE,
  type ListContent,
  ordersOf,
  pathOf,
  type View,
  WEB_PAGE_SIZE,
} from './list-view.ts';

type PageContent = Frame &
  ListContent & {
    total: number;
    /** Groups with articles; only these are linked. */
    filled: ReadonlyMap<Snowflake, number>;
    names: Names;
    /** Above the list, on its first page: the best of the last day, or else the first of the list. */
    lead: (Lead & { isOfDay: boolean }) | null;
  };

/** A guild's page as HTML: a list, and on its first page the best of the day above it. */
export function guildPage(content: PageContent): Html {
  const { community, view, language, guild, names, lead } = content;
  const group = community.groups.find(({ id }) => id === view.group);
  const name = group === undefined ? community.name : `#${group.name} · ${community.name}`;
  const title = group === undefined ? `${name} · Frontpage` : name;
  const ofCommunity = translate(language, 'web.description', { community: community.name });
  const order = translate(language, `top.order.${view.order}`);
  return framed(content, {
    title,
    description: content.settings.about ?? ofCommunity,
    path: pathOf(guild, view),
    inLanguage: (lang) => pathOf(guild, view, { lang }),
    choices: [orderLinks(content), groupLinks(content)],
    main: html`<h2 class="unseen">${group === undefined ? '' : html`<bdi>#${group.name}</bdi> · `}${order}</h2>
${lead === null ? '' : leadArticle(content, names, factsOf(content, lead.article), lead, translate(language, lead.isOfDay ? 'web.lead' : 'web.lead.now'))}
${list(content)}
${pageLinks(content)}`,
  });
}

function list(content: PageContent): Html | string {
  const { articles, view, language, names, lead } = content;
  const first = (view.page - 1) * WEB_PAGE_SIZE + 1;
  const items = articles
    .map((article, at) => ({ article, rank: first + at }))
    .filter(({ article }) => article.id !== lead?.article.id);
  if (items.length === 0) {
    return lead === null ? html`<p class="empty">${translate(language, 'web.empty')}</p>` : '';
  }
  return html`<ol class="articles" start="${items[0]!.rank}">
${items.map(({ article, rank }) => listItem(content, names, factsOf(content, article), rank))}
</ol>`;
}

function factsOf({ replies, view }: PageContent, article: Article): ArticleFacts {
  const net = article.up - article.down;
  return { article, net, replies: replies.get(article.id) ?? 0, here: view.group };
}

function linkTo(content: PageContent, view: View): string {
  return pathOf(content.guild, view, { lang: langOf(content) });
}

function orderLinks(content: PageContent): Html {
  const { view, language } = content;
  const links = ordersOf(view.group).map((order) => ({
    href: linkTo(content, { ...view, order, page: 1 }),
    text: translate(language, `top.order.${order}`),
    isHere: order === view.order,
  }));
  return linkList('choices orders', translate(language, 'web.orders'), links);
}

function groupLinks(content: PageContent): Html | string {
  const { view, language, community, filled } = content;
  const shown = community.groups.filter(({ id }) => filled.has(id) || id === view.group);
  if (shown.length === 0) return '';
  const all = { id: null, text: translate(language, 'top.show.all') };
  const groups = shown.map(({ id, name }) => ({ id, text: `#${name}` }));
  const links = [all, ...groups].map(({ id, text }) => ({
    href: linkTo(content, {
      ...view,
      group: id,
      order: ordersOf(id).includes(view.order) ? view.order : 'score',
      page: 1,
    }),
    text,
    isHere: id === view.group,
  }));
  return linkList('choices groups', translate(language, 'web.groups'), links);
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
