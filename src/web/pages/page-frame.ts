import { html, raw } from 'hono/html';
import { languageName, languages, translate } from '../../text/catalogue.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { WebSettings } from '../web-settings.ts';
import { ARCHIVE_KINDS, archivePath, periodAt } from './archive.ts';
import { editionPath } from './edition-path.ts';
import { jsonAddress } from './feed-address.ts';
import { type Community, pathOf } from './list-view.ts';

export type Html = ReturnType<typeof html>;

/** What each page of a guild has around what it is about. */
export type Frame = {
  guild: Snowflake;
  community: Community;
  settings: WebSettings;
  /** The page's language, and whether the visitor chose it, so that links keep it. */
  language: string;
  isChosen: boolean;
  /** The public address of the pages, without a slash at the end. */
  address: string;
  styleAddress: string;
  /** The page's feed; null if the guild has no feeds. */
  feed: PageFeed | null;
  /** It has editions of digests to read. */
  hasEditions: boolean;
  now: number;
  /** The community's, whose days are shown. */
  zone: string;
};

/** The path of a feed, and what it is of: the list that the page shows, all editions, or the front page, which is no page's own. */
export type PageFeed = { path: string; of: 'list' | 'editions' | 'front' };

/** One page. Everything that a member or moderator wrote is escaped by the template. */
export function framed(
  frame: Frame,
  page: {
    title: string;
    description: string;
    /** The page's path in the guild's own language. */
    path: string;
    /** The same page in another language. */
    inLanguage: (lang: string) => string;
    /** The address of a picture for programs that unfold links. Default: the icon. */
    picture?: string | null | undefined;
    /** It has the form of a search itself. */
    hasSearch?: boolean;
    /** The lists of links above the content. */
    choices?: (Html | string)[];
    main: Html | string;
  },
): Html {
  const { community, language, guild, address, settings, feed } = frame;
  const { title, description, choices = [] } = page;
  const icon = iconPath(frame);
  const home = pathOf(guild, START, { lang: langOf(frame) });
  return html`${headStart(language, frame.styleAddress, title)}
<meta name="description" content="${description}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${community.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${address}${page.path}">
<meta property="og:locale" content="${language.replace('-', '_')}">
<meta name="twitter:card" content="${page.picture ? 'summary_large_image' : 'summary'}">
${page.picture ? html`<meta property="og:image" content="${page.picture}">` : ''}
${
  icon === null
    ? ''
    : html`${page.picture ? '' : html`<meta property="og:image" content="${address}${icon}">`}
<link rel="icon" type="image/png" href="${icon}">`
}
<link rel="canonical" href="${address}${page.path}">
${feed === null ? '' : feedLinks(frame, feed)}
</head>
<body>
<a class="skip" href="#articles">${translate(language, 'web.skip')}</a>
<header class="masthead">
${icon === null ? '' : html`<img class="icon" src="${icon}" alt="" width="56" height="56">`}
<div class="name">
<h1><a href="${home}"><bdi>${community.name}</bdi></a></h1>
${settings.about === null ? '' : html`<p class="about"><bdi>${settings.about}</bdi></p>`}
</div>
${joinLink(frame)}
</header>
${choices}
<div class="columns">
<main id="articles" tabindex="-1">
${page.main}
</main>
${sideBar(frame, page.hasSearch ?? false)}
</div>
<footer>
${linkList('languages', translate(language, 'web.languages'), languageLinks(frame, page.inLanguage))}
<p>${translate(language, 'web.about')}</p>
</footer>
</body>
</html>
`;
}

export const START = { group: null, order: 'score', page: 1 } as const;

export function langOf({ isChosen, language }: Frame): string | undefined {
  return isChosen ? language : undefined;
}

/** The icon's address changes with the icon, so that browsers keep it. */
function iconPath({ guild, community: { icon } }: Frame): string | null {
  return icon === null ? null : `/g/${guild}/icon/${icon}.png`;
}

function feedLinks({ guild, language }: Frame, { path, of }: PageFeed): Html {
  return html`<link rel="alternate" type="application/atom+xml" title="Atom" href="${path}">
<link rel="alternate" type="application/feed+json" title="JSON Feed" href="${jsonAddress(path)}">
${of === 'front' ? '' : html`<link rel="alternate" type="application/atom+xml" title="${translate(language, 'web.front')}" href="${frontFeed(guild)}">`}`;
}

/** What reached the first ten, whatever the page is about. */
export function frontFeed(guild: Snowflake): string {
  return `/feeds/${guild}/front`;
}

function joinLink({ settings: { invite }, language }: Frame): Html | string {
  if (invite === null) return '';
  return html`<p class="join"><a href="${invite}" rel="noopener nofollow">${translate(language, 'web.join')}</a></p>`;
}

const FEED_TITLES = { list: 'web.feeds', editions: 'web.editions', front: 'web.front' } as const;

/** What this is, how to take part, and the ways to the past. */
function sideBar(frame: Frame, hasSearch: boolean): Html {
  const { community, language, guild, settings, feed, hasEditions, now, zone } = frame;
  const lang = langOf(frame);
  const how = settings.invite === null ? 'web.side.ask' : 'web.side.join';
  return html`<aside>
<section>
<h2>${translate(language, 'web.side.title')}</h2>
<p>${translate(language, 'web.side.what', { community: community.name })}</p>
<p><span class="star" aria-hidden="true">★</span> ${translate(language, 'web.side.star')}</p>
<p>${translate(language, how, { community: community.name })}</p>
</section>
${
  hasSearch
    ? ''
    : html`<section>
<h2>${translate(language, 'web.search')}</h2>
${searchForm(frame, '')}
</section>`
}
<nav aria-labelledby="archive">
<h2 id="archive">${translate(language, 'web.archive')}</h2>
<ul>
${ARCHIVE_KINDS.map(
  (
    kind,
  ) => html`<li><a href="${archivePath(guild, periodAt(kind, now, zone), lang)}">${translate(language, `web.archive.${kind}`)}</a></li>
`,
)}
${hasEditions ? html`<li><a href="${editionPath(guild, undefined, undefined, lang)}">${translate(language, 'web.editions')}</a></li>` : ''}
</ul>
</nav>
${
  feed === null
    ? ''
    : html`<nav aria-labelledby="feeds">
<h2 id="feeds">${translate(language, FEED_TITLES[feed.of])}</h2>
<ul><li><a href="${feed.path}">Atom</a></li><li><a href="${jsonAddress(feed.path)}">JSON Feed</a></li>${feed.of === 'front' ? '' : html`<li><a href="${frontFeed(guild)}">${translate(language, 'web.front')}</a></li>`}</ul>
</nav>`
}
</aside>`;
}

/** A search without a script. */
export function searchForm(frame: Frame, words: string): Html {
  const { guild, language } = frame;
  const lang = langOf(frame);
  const label = translate(language, 'web.search.words');
  return html`<form class="search" role="search" action="/g/${guild}/search">
<input type="search" name="q" value="${words}" maxlength="100" aria-label="${label}" placeholder="${label}">
${lang === undefined ? '' : html`<input type="hidden" name="lang" value="${lang}">`}
<button type="submit">${translate(language, 'web.search')}</button>
</form>`;
}

export type Link = { href: string; text: string; isHere: boolean; lang?: string };

/** `kind` is the list's class in the style sheet. */
export function linkList(
  kind: 'choices orders' | 'choices groups' | 'languages',
  label: string,
  links: readonly Link[],
): Html {
  return html`<nav class="${kind}" aria-label="${label}"><ul>
${links.map(
  ({ href, text, isHere, lang }) =>
    html`<li><a href="${href}"${lang === undefined ? '' : html` lang="${lang}" hreflang="${lang}"`}${isHere ? raw(' aria-current="page"') : ''}><bdi>${text}</bdi></a></li>
`,
)}</ul></nav>`;
}

function languageLinks({ language }: Frame, inLanguage: (lang: string) => string): Link[] {
  return [...languages.keys()].map((lang) => ({
    href: inLanguage(lang),
    text: languageName(lang),
    lang,
    isHere: lang === language,
  }));
}

/** The beginning of each page's head, which the caller goes on with and closes. */
export function headStart(language: string, styleAddress: string, title: string): Html {
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
<body class="plain">
<main>
<h1>${title}</h1>
${more === '' ? '' : html`<p>${more}</p>`}
</main>
</body>
</html>
`;
}
