import { html } from 'hono/html';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { ShownEdition } from '../../editions/edition-articles.ts';
import { type NamedEdition, SECTIONS, sectionNames } from '../../editions/stored-editions.ts';
import { editionTitle } from '../../editions/edition-title.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { messageLink } from '../../text/mentions.ts';
import { type ArticleFacts, type Lead, leadArticle, listItem, type Names } from './article-html.ts';
import { type ArchivePeriod, archivePath, periodAt, periodTitle } from './archive.ts';
import { editionPath } from './edition-path.ts';
import { type Frame, framed, type Html, langOf } from './page-frame.ts';

/** The best of a day, a week or a month. */
export function archivePage(
  frame: Frame,
  {
    period,
    articles,
    replies,
    names,
    firstMs,
    lead,
  }: {
    period: ArchivePeriod;
    articles: readonly Article[];
    replies: Replies;
    names: Names;
    /** Before it there is no article. */
    firstMs: number;
    /** The best, if somebody besides its poster voted for it. */
    lead: Lead | null;
  },
): Html {
  const { guild, language, community, now } = frame;
  const title = periodTitle(language, period);
  const to = (atMs: number, rel: string) => {
    const other = periodAt(period.kind, atMs);
    if (other.untilMs <= firstMs || other.fromMs > now) return html`<span></span>`;
    return html`<a href="${archivePath(guild, other, langOf(frame))}" rel="${rel}">${periodTitle(language, other)}</a>`;
  };
  return framed(frame, {
    title: `${title} · ${community.name}`,
    description: translate(language, 'web.archive.description', {
      community: community.name,
      when: title,
    }),
    path: archivePath(guild, period),
    inLanguage: (lang) => archivePath(guild, period, lang),
    main: html`<h2 class="of">${title}</h2>
${list(
  frame,
  names,
  articles.map((article) => ({
    article,
    net: article.up - article.down,
    replies: replies.get(article.id) ?? 0,
  })),
  lead,
)}
<nav class="pages" aria-label="${translate(language, 'web.pages')}">
${to(period.fromMs - 1, 'prev')}
${to(period.untilMs, 'next')}
</nav>`,
  });
}

/** An edition as it was posted, less what has left it since. */
export function editionPage(
  frame: Frame,
  {
    named,
    shown,
    names,
    lead,
  }: {
    named: NamedEdition;
    shown: ShownEdition;
    names: Names;
    /** The edition's first article. */
    lead: Lead | null;
  },
): Html {
  const { guild, language, community } = frame;
  const { name, date, edition } = named;
  const title = editionTitle(language, named);
  const section = (key: Key, articles: readonly Article[]) =>
    articles.length === 0
      ? ''
      : html`<h2 class="section">${translate(language, key)}</h2>
${list(frame, names, articles.map(factsNow), null)}`;
  return framed(frame, {
    title: `${title} · ${community.name}`,
    description: translate(language, 'web.archive.description', {
      community: community.name,
      when: title,
    }),
    path: editionPath(guild, name, date),
    inLanguage: (lang) => editionPath(guild, name, date, lang),
    main: html`<h2 class="of">${title}</h2>
${list(frame, names, shown.articles, lead)}
${sectionNames.map((name) => section(SECTIONS[name], shown[name]))}
<nav class="pages" aria-label="${translate(language, 'web.pages')}">
<a href="${editionPath(guild, undefined, undefined, langOf(frame))}">${translate(language, 'web.editions')}</a>
${edition.message === null ? '' : html`<a href="${messageLink(guild, { channel: edition.channel, id: edition.message })}" rel="noopener nofollow">${translate(language, 'web.discuss')}</a>`}
</nav>`,
  });
}

/** The articles in their order. The first one stands above the others if it leads. */
function list(
  frame: Frame,
  names: Names,
  all: readonly ArticleFacts[],
  lead: Lead | null,
): Html | string {
  const facts = all.map((each) => ({ ...each, hasDay: true }));
  const [first, ...others] = facts;
  if (first === undefined) {
    return html`<p class="empty">${translate(frame.language, 'web.empty')}</p>`;
  }
  const isLed = lead !== null && lead.article.id === first.article.id;
  const listed = isLed ? others : facts;
  const rank = isLed ? 2 : 1;
  const items = listed.map((each, at) => listItem(frame, names, each, rank + at));
  return html`${isLed ? leadArticle(frame, names, first, lead, null) : ''}
${items.length === 0 ? '' : html`<ol class="articles" start="${rank}">${items}</ol>`}`;
}

function factsNow(article: Article) {
  return { article, net: article.up - article.down, replies: 0 };
}

/** The editions of all digests, the newest first. */
export function editionList(
  frame: Frame,
  {
    editions,
    page,
    isLast,
  }: { editions: readonly NamedEdition[] /** From 1. */; page: number; isLast: boolean },
): Html {
  const { guild, language, community } = frame;
  const pathOf = (of: number, lang = langOf(frame)) => {
    const query = new URLSearchParams({
      ...(of > 1 ? { page: String(of) } : {}),
      ...(lang === undefined ? {} : { lang }),
    });
    return `${editionPath(guild)}${query.size === 0 ? '' : `?${query.toString()}`}`;
  };
  const link = (of: number, key: Key, rel: string) =>
    html`<a href="${pathOf(of)}" rel="${rel}">${translate(language, key)}</a>`;
  const title = translate(language, 'web.editions');
  return framed(frame, {
    title: `${title} · ${community.name}`,
    description: translate(language, 'web.description', { community: community.name }),
    path: `${editionPath(guild)}${page > 1 ? `?page=${page}` : ''}`,
    inLanguage: (lang) => pathOf(page, lang),
    main: html`<h2 class="of">${title}</h2>
<ul class="editions">
${editions.map(
  (named) =>
    html`<li><a href="${editionPath(guild, named.name, named.date, langOf(frame))}"><bdi>${editionTitle(language, named)}</bdi></a> <span>${translate(language, 'web.edition.count', { count: named.edition.articles.length })}</span></li>
`,
)}</ul>
${
  page === 1 && isLast
    ? ''
    : html`<nav class="pages" aria-label="${translate(language, 'web.pages')}">
${page > 1 ? link(page - 1, 'top.previous', 'prev') : html`<span></span>`}
${isLast ? '' : link(page + 1, 'top.next', 'next')}
</nav>`
}`,
  });
}
