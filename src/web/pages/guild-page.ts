import { html, raw } from 'hono/html';
import { languageName, languages, translate } from '../../text/catalogue.ts';
import { ageText, hostBeside, netVotesText } from '../../text/facts.ts';
import { isSpoiler } from '../../text/clean.ts';
import { listedTitle } from '../../text/spoiler.ts';
import { messageLink } from '../../text/mentions.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import {
  LAST_WEB_PAGE,
  type ListContent,
  ordersOf,
  pathOf,
  type View,
  WEB_PAGE_SIZE,
} from './view.ts';

type PageContent = ListContent & {
  /** The page's language, and whether the visitor chose it, so that links keep it. */
  language: string;
  isChosen: boolean;
  total: number;
  /** Groups with articles; only these are linked. */
  filled: ReadonlyMap<Snowflake, number>;
  invite: string | null;
  /** The path of the list's feed; null if the guild has no feeds. */
  feed: string | null;
  styleAddress: string;
  now: number;
};

type Html = ReturnType<typeof html>;

/** A guild's page as HTML. Everything that a member or moderator wrote is escaped by the template. */
export function guildPage(content: PageContent): Html {
  const { community, view, language, styleAddress, articles } = content;
  const group = community.groups.find(({ id }) => id === view.group);
  const title =
    group === undefined ? `${community.name} · Frontpage` : `#${group.name} · ${community.name}`;
  const description = translate(language, 'web.description', { community: community.name });
  const order = translate(language, `top.order.${view.order}`);
  return html`${headStart(language, styleAddress, title)}
<meta name="description" content="${description}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<link rel="canonical" href="${content.address}${pathOf(content.guild, view)}">
${content.feed === null ? '' : html`<link rel="alternate" type="application/atom+xml" title="Atom" href="${content.feed}">`}
</head>
<body>
<a class="skip" href="#articles">${translate(language, 'web.skip')}</a>
<header>
<h1><a href="${linkTo(content, { group: null, order: 'score', page: 1 })}"><bdi>${community.name}</bdi></a></h1>
${joinLink(content)}
</header>
${orderLinks(content)}
${groupLinks(content)}
<main id="articles" tabindex="-1">
<h2 class="unseen">${group === undefined ? '' : html`<bdi>#${group.name}</bdi> · `}${order}</h2>
${
  articles.length === 0
    ? html`<p>${translate(language, 'web.empty')}</p>`
    : html`<ol class="articles" start="${(view.page - 1) * WEB_PAGE_SIZE + 1}">
${articles.map((article, at) => listItem(content, article, (view.page - 1) * WEB_PAGE_SIZE + at + 1))}
</ol>`
}
${pageLinks(content)}
</main>
<footer>
${languageLinks(content)}
${content.feed === null ? '' : html`<p><a href="${content.feed}">${translate(language, 'web.feeds')}</a></p>`}
<p>${translate(language, 'web.about')}</p>
</footer>
</body>
</html>
`;
}

function joinLink({ invite, language }: PageContent): Html | string {
  if (invite === null) return '';
  return html`<p class="join"><a href="${invite}" rel="noopener nofollow">${translate(language, 'web.join')}</a></p>`;
}

function linkTo({ guild, language, isChosen }: PageContent, view: View): string {
  return pathOf(guild, view, { lang: isChosen ? language : undefined });
}

type Link = { href: string; text: string; isHere: boolean; lang?: string };

/** `kind` is the list's class in the style sheet. */
function linkList(kind: 'choices' | 'languages', label: string, links: readonly Link[]): Html {
  return html`<nav class="${kind}" aria-label="${label}"><ul>
${links.map(
  ({ href, text, isHere, lang }) =>
    html`<li><a href="${href}"${lang === undefined ? '' : html` lang="${lang}" hreflang="${lang}"`}${isHere ? raw(' aria-current="page"') : ''}><bdi>${text}</bdi></a></li>
`,
)}</ul></nav>`;
}

function languageLinks({ guild, view, language }: PageContent): Html {
  const links = [...languages.keys()].map((lang) => ({
    href: pathOf(guild, view, { lang }),
    text: languageName(lang),
    lang,
    isHere: lang === language,
  }));
  return linkList('languages', translate(language, 'web.languages'), links);
}

function orderLinks(content: PageContent): Html {
  const { view, language } = content;
  const links = ordersOf(view.group).map((order) => ({
    href: linkTo(content, { ...view, order, page: 1 }),
    text: translate(language, `top.order.${order}`),
    isHere: order === view.order,
  }));
  return linkList('choices', translate(language, 'web.orders'), links);
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
      // A group has no front order.
      order: id !== null && view.order === 'front' ? 'score' : view.order,
      page: 1,
    }),
    text,
    isHere: id === view.group,
  }));
  return linkList('choices', translate(language, 'web.groups'), links);
}

function listItem(content: PageContent, article: Article, rank: number): Html {
  const { language, now, guild, view, community } = content;
  const posted = new Date(article.postedAtMs).toISOString();
  const net = article.up - article.down;
  const replies = content.replies.get(article.id);
  const host = hostBeside(article);
  const groups = community.groups.filter(
    ({ id }) => id !== view.group && article.groups.includes(id),
  );
  // The parts are separated by spaces in the text, because a style sheet may be missing.
  return html`<li><span class="rank" aria-hidden="true">${rank}</span><article>
<h3><a href="${isSpoiler(article.title) ? messageLink(guild, article) : article.link}" rel="noopener nofollow ugc"><bdi>${listedTitle(article.title, language)}</bdi></a></h3>
<p><span class="votes">${seenAndRead(netVotesText(article), translate(language, 'web.net', { count: net }))}</span>
${replies === undefined ? '' : html`<span>${translate(language, 'web.replies', { count: replies })}</span>`}
${article.interesting ? html`<span class="interesting">${seenAndRead('★', translate(language, 'web.interesting'))}</span>` : ''}
${host === null ? '' : html`<span>${host}</span>`}
<time datetime="${posted}">${ageText(language, article.postedAtMs, now)}</time>
${groups.map(({ id, name }) => html`<a href="${linkTo(content, { group: id, order: 'score', page: 1 })}"><bdi>#${name}</bdi></a> `)}
<a href="${messageLink(guild, article)}" rel="noopener nofollow">${translate(language, 'web.discuss')}</a></p>
</article></li>
`;
}

/** A short text to see, and one that a screen reader reads instead, which also stands under the mouse. */
function seenAndRead(seen: string, read: string): Html {
  return html`<span aria-hidden="true" title="${read}">${seen}</span> <span class="unseen">${read}</span>`;
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

/** The beginning of each page's head, which the caller goes on with and closes. */
function headStart(language: string, styleAddress: string, title: string): Html {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="stylesheet" href="${styleAddress}">`;
}

/** A page with one text, such as an error. It does not say what is wrong with the address. */
export function plainPage(language: string, styleAddress: string, title: string, more = ''): Html {
  return html`${headStart(language, styleAddress, title)}
</head>
<body>
<main>
<h1>${title}</h1>
${more === '' ? '' : html`<p>${more}</p>`}
</main>
</body>
</html>
`;
}
