import { html } from 'hono/html';
import {
  articleFacts,
  type ArticleFacts,
  dressed,
  type Listed,
} from '../../articles/lists/article-facts.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Preview } from '../../ranking/articles/previews.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { shortened } from '../../text/clean.ts';
import { ageText, dateFormat, shortHost } from '../../text/facts.ts';
import { messageLink } from '../../text/mentions.ts';
import { articlePath } from './article-path.ts';
import { type Frame, type Html, langOf } from './page-frame.ts';
import { pathOf, placePath } from './list-view.ts';
import { hostWithoutWww } from '../../ranking/lists/search-articles.ts';

/** Who posted: member → name, without members who stay unnamed. Empty where the guild names nobody. */
export type Names = ReadonlyMap<Snowflake, string>;

/** An article of a page's list. */
export type PageItem = Listed & {
  /** The group whose page this is, which is not named again. */
  here?: Snowflake | null;
  /** A page that stays says the day of a post instead of its age. */
  hasDay?: boolean;
};

const SAID_LENGTH = 280;

/** What Discord found about articles, by id; nothing of a spoiler, before somebody asks what it is about. */
export type Abouts = ReadonlyMap<Snowflake, About>;
/** `picture`: the address of Discord's copy; null: none is shown. */
export type About = { description?: string | undefined; picture: string | null };

export type ItemContext = { names: Names; abouts: Abouts };

/** An item of a list. `rank`: null in a section, which has no order of its own, and no room for one. */
export function listItem(
  frame: Frame,
  { names, abouts }: ItemContext,
  item: PageItem,
  rank: number | null,
): Html {
  const { description, picture } = aboutOf(abouts, item.article);
  const all = articleFacts(item, { guild: frame.guild, locale: frame.language });
  const kinds = [...(picture === null ? [] : ['pictured']), ...(rank === null ? ['unranked'] : [])];
  const kind = kinds.length === 0 ? '' : html` class="${kinds.join(' ')}"`;
  return html`<li${kind}>${rank === null ? '' : html`<span class="rank" aria-hidden="true">${rank}</span>`}<article>
${heading(all)}
${description}
${said(names, item, all)}
${factsLine(frame, names, item, all)}
</article>${pictureHtml(frame, item.article, picture, 'small')}</li>
`;
}

/** The first item of a list, larger than the others. `label`: why it leads; null: the page says it. `rank`: null where it is alone. */
export function leadItem(
  frame: Frame,
  { names, abouts }: ItemContext,
  item: PageItem,
  rank: number | null,
  label: string | null,
): Html {
  const { description, picture } = aboutOf(abouts, item.article);
  const all = articleFacts(item, { guild: frame.guild, locale: frame.language });
  return html`<li class="lead${picture === null ? '' : ' pictured'}"><article>
${rank === null ? '' : html`<p class="label"><span class="rank" aria-hidden="true">${rank}</span> ${label ?? ''}</p>`}
${heading(all)}
${description}
${said(names, item, all)}
${factsLine(frame, names, item, all)}
</article>${pictureHtml(frame, item.article, picture, 'large')}</li>
`;
}

function aboutOf(abouts: Abouts, { id }: Article) {
  const { description, picture = null } = abouts.get(id) ?? {};
  return {
    picture,
    description: description ? html`<p class="description"><bdi>${description}</bdi></p>` : '',
  };
}

const PICTURE_SIZES = {
  small: { width: 120, height: 80, loading: 'lazy' },
  large: { width: 640, height: 400, loading: 'eager' },
} as const;

function pictureHtml(
  { language }: Frame,
  { link }: Article,
  picture: string | null,
  size: keyof typeof PICTURE_SIZES,
): Html | string {
  if (picture === null) return '';
  const { width, height, loading } = PICTURE_SIZES[size];
  const alt = translate(language, 'web.picture', { host: shortHost(link) });
  return html`<img src="${scaled(picture, PICTURE_SIZES[size])}" alt="${alt}" width="${width}" height="${height}" loading="${loading}" decoding="async" referrerpolicy="no-referrer">`;
}

/** Only Discord's own copies of pictures are loaded, from the origins that the page's policy allows. */
export function pictureOf({ copy }: Preview, origins: readonly string[]): string | null {
  return origins.some((origin) => copy?.startsWith(`${origin}/`)) ? copy! : null;
}

/** Discord scales its copies. Twice as large as they are shown, for fine screens. */
function scaled(picture: string, { width, height }: { width: number; height: number }): string {
  const size = `format=webp&width=${2 * width}&height=${2 * height}`;
  return `${picture}${picture.includes('?') ? '&' : '?'}${size}`;
}

function heading({ title: { text, address } }: ArticleFacts): Html {
  return html`<h3><a href="${address}" rel="noopener nofollow ugc"><bdi>${text}</bdi></a></h3>`;
}

/** The parts are separated by spaces in the text, because a style sheet may be missing. */
function factsLine(
  frame: Frame,
  names: Names,
  item: PageItem,
  { title, facts }: ArticleFacts,
): Html {
  const { language, now, guild, community } = frame;
  const { article, net, here = null, hasDay = false } = item;
  const written = dressed<Html | string | Html[]>(facts, {
    votes: ({ text }) =>
      html`<span class="votes">${seenAndRead(text, translate(language, 'web.net', { count: net }))}</span>`,
    site: ({ host }) => (title.isSpoiler ? '' : siteLink(frame, article, host)),
    star: () =>
      html`<span class="star">${seenAndRead('★', translate(language, 'web.interesting'))}</span>`,
    poster: ({ member }) => by(frame, names, member),
    channels: ({ groups }) =>
      community.groups
        .filter(({ id }) => id !== here && groups.includes(id))
        .map(
          ({ id, name }) =>
            html`<a href="${pathOf(guild, { group: id, order: 'score', page: 1 }, { lang: langOf(frame) })}"><bdi>#${name}</bdi></a> `,
        ),
    posted: ({ atMs }) =>
      html`<a href="${articlePath(guild, article.id, langOf(frame))}"><time datetime="${new Date(atMs).toISOString()}">${hasDay ? dayText(frame, atMs) : ageText(language, atMs, now)}</time></a>`,
    comments: ({ count }) =>
      html`<a href="${messageLink(guild, article)}" rel="noopener nofollow">${commentsText(language, count)}</a>`,
  });
  return html`<p class="facts">${written.map((part) => html`${part}\n`)}</p>`;
}

/** The way to an article's discussion, and how much there is of it. */
export function commentsText(language: string, count: number): string {
  return translate(language, count === 0 ? 'web.discuss' : 'web.replies', { count });
}

function dayText({ language, zone: timeZone }: Frame, atMs: number): string {
  return dateFormat(language, { dateStyle: 'medium', timeZone }).format(atMs);
}

/** Who posted it; empty where the guild or the member does not want that. */
function by(frame: Frame, names: Names, poster: Snowflake): Html | string {
  const { language, guild } = frame;
  const name = names.get(poster);
  if (name === undefined) return '';
  const address = placePath(guild, { by: poster }, langOf(frame));
  return html`<span><span class="by">${translate(language, 'web.by')}</span> <a href="${address}"><cite><bdi>${name}</bdi></cite></a></span>`;
}

/** What else of this site was posted. */
function siteLink(frame: Frame, { link }: Article, host: string): Html {
  const address = placePath(frame.guild, { site: hostWithoutWww(link) }, langOf(frame));
  return html`<a href="${address}">${breakingAtDots(host)}</a>`;
}

/** A host that is wider than a line breaks before a dot, and not within a word. */
function breakingAtDots(host: string): Html {
  return html`${host.split('.').map((label, at) => (at === 0 ? label : html`<wbr>.${label}`))}`;
}

function said(names: Names, item: Listed, all: ArticleFacts): Html | string {
  const text = saidText(names, item, all);
  return text === '' ? '' : html`<blockquote><p><bdi>${text}</bdi></p></blockquote>`;
}

/** What the poster said, beside whose name alone it stands; empty for nothing. */
export function saidText(
  names: Names,
  { article, isNamed }: Listed,
  { quote }: Pick<ArticleFacts, 'quote'>,
): string {
  return isNamed && names.has(article.poster) ? shortened(webText(quote), SAID_LENGTH) : '';
}

/** A member's comment without what only Discord shows: mentions, own emoji, and what is behind a spoiler. */
export function webText(comment: string): string {
  return comment
    .replace(/\|\|[\s\S]*?(?:\|\||$)/g, '…')
    .replace(/<a?(:\w+:)\d+>/g, '$1')
    .replace(/<(?:@[!&]?|#|t:|\/[^:>]*:)[^>]*>/g, '…')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A short text to see, and one that a screen reader reads instead, which also stands under the mouse. */
function seenAndRead(seen: string, read: string): Html {
  return html`<span aria-hidden="true" title="${read}">${seen}</span> <span class="unseen">${read}</span>`;
}
