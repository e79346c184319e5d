import { html } from 'hono/html';
import { type Listed, listedNow } from '../../articles/lists/article-facts.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import type { ShownEdition } from '../../editions/edition-articles.ts';
import { type NamedEdition, SECTIONS, sectionNames } from '../../editions/stored-editions.ts';
import { editionHeadline, editionTitle } from '../../editions/edition-title.ts';
import { type Key, translate } from '../../text/catalogue.ts';
import { messageLink } from '../../text/mentions.ts';
import { type ItemContext, leadItem, listItem } from './article-html.ts';
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
    firstMs,
    isLed,
    ...items
  }: {
    period: ArchivePeriod;
    articles: readonly Article[];
    replies: Replies;
    /** Before it there is no article. */
    firstMs: number;
    /** The best leads: somebody besides its poster voted for it. */
    isLed: boolean;
  } & ItemContext,
): Html {
  const { guild, language, community, now } = frame;
  const title = periodTitle(language, period);
  const to = (atMs: number, rel: string) => {
    const other = periodAt(period.kind, atMs, period.zone);
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
  items,
  articles.map((article) => listedNow(article, { replies })),
  { isLed, empty: translate(language, 'web.empty', { view: title }) },
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
    older,
    newer,
    ...items
  }: {
    named: NamedEdition;
    shown: ShownEdition;
    /** The editions of the same digest beside this one, as far as everyone may see them. */
    older: NamedEdition | undefined;
    newer: NamedEdition | undefined;
  } & ItemContext,
): Html {
  const { guild, language, community } = frame;
  const { name, date, edition } = named;
  const title = editionTitle(language, named);
  const headline = editionHeadline(language, shown.articles);
  const beside = (other: NamedEdition | undefined, rel: 'prev' | 'next') =>
    other === undefined
      ? html`<span></span>`
      : html`<a href="${editionPath(guild, other.name, other.date, langOf(frame))}" rel="${rel}">${editionTitle(language, other)}</a>`;
  const section = (key: Key, articles: readonly Listed[]) =>
    articles.length === 0
      ? ''
      : html`<h2 class="section">${translate(language, key)}</h2>
<ul class="articles">${articles.map((each) => listItem(frame, items, { ...each, hasDay: true }, null))}</ul>`;
  return framed(frame, {
    title: `${headline ?? title} · ${community.name}`,
    description: `${title} · ${community.name}`,
    picture: shown.articles
      .map(({ article }) => items.abouts.get(article.id)?.picture ?? null)
      .find((picture) => picture !== null),
    path: editionPath(guild, name, date),
    inLanguage: (lang) => editionPath(guild, name, date, lang),
    main: html`<h2 class="of">${title}</h2>
${headline === null ? '' : html`<p class="headline"><bdi>${headline}</bdi></p>`}
${list(frame, items, shown.articles, {
  isLed: edition.isLarge,
  empty: translate(language, 'web.empty.edition'),
})}
${sectionNames.map((name) => section(SECTIONS[name], shown[name]))}
${edition.day === null ? '' : html`<p class="day">${translate(language, 'digest.day', edition.day)}</p>`}
<nav class="pages" aria-label="${translate(language, 'web.pages')}">
${beside(older, 'prev')}
<a href="${editionPath(guild, undefined, undefined, langOf(frame))}">${translate(language, 'web.editions')}</a>
${edition.message === null ? '' : html`<a href="${messageLink(guild, { channel: edition.channel, id: edition.message })}" rel="noopener nofollow">${translate(language, 'web.discuss')}</a>`}
${beside(newer, 'next')}
</nav>`,
  });
}

/** The articles in their order. The first one is larger than the others if it leads. */
function list(
  frame: Frame,
  items: ItemContext,
  all: readonly Listed[],
  { isLed, empty }: { isLed: boolean; empty: string },
): Html | string {
  if (all.length === 0) return html`<p class="empty">${empty}</p>`;
  const dated = all.map((each) => ({ ...each, hasDay: true }));
  return html`<ol class="articles">${dated.map((each, at) =>
    isLed && at === 0
      ? leadItem(frame, items, each, 1, null)
      : listItem(frame, items, each, at + 1),
  )}</ol>`;
}

/** The editions of all digests, the newest first. */
export function editionList(
  frame: Frame,
  {
    editions,
    beforeMs,
    hasOlder,
  }: {
    editions: readonly { named: NamedEdition; articles: readonly Listed[] }[];
    /** All were posted before it; null: the page begins with the newest. */
    beforeMs: number | null;
    hasOlder: boolean;
  },
): Html {
  const { guild, language, community } = frame;
  const pathBefore = (ms: number | null, lang = langOf(frame)) => {
    const query = new URLSearchParams({
      ...(ms === null ? {} : { before: String(ms) }),
      ...(lang === undefined ? {} : { lang }),
    });
    return `${editionPath(guild)}${query.size === 0 ? '' : `?${query.toString()}`}`;
  };
  const link = (ms: number | null, key: Key, rel: string) =>
    html`<a href="${pathBefore(ms)}" rel="${rel}">${translate(language, key)}</a>`;
  const title = translate(language, 'web.editions');
  const last = editions.at(-1);
  const older = hasOlder && last !== undefined ? last.named.edition.postedAtMs : null;
  return framed(frame, {
    title: `${title} · ${community.name}`,
    description: translate(language, 'web.description', { community: community.name }),
    path: `${editionPath(guild)}${beforeMs === null ? '' : `?before=${beforeMs}`}`,
    inLanguage: (lang) => pathBefore(beforeMs, lang),
    main: html`<h2 class="of">${title}</h2>
${editions.length > 0 ? '' : html`<p class="empty">${translate(language, 'web.empty.editions')}</p>`}
<ul class="editions">
${editions.map(({ named, articles }) => {
  const title = editionTitle(language, named);
  const headline = editionHeadline(language, articles);
  return html`<li><a href="${editionPath(guild, named.name, named.date, langOf(frame))}"><bdi>${headline ?? title}</bdi></a> <span>${headline === null ? '' : title}</span></li>
`;
})}</ul>
${
  beforeMs === null && older === null
    ? ''
    : html`<nav class="pages" aria-label="${translate(language, 'web.pages')}">
${beforeMs === null ? html`<span></span>` : link(null, 'web.newest', 'prev')}
${older === null ? '' : link(older, 'web.older', 'next')}
</nav>`
}`,
  });
}
