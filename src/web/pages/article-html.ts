import { html } from 'hono/html';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Preview } from '../../ranking/articles/previews.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { translate } from '../../text/catalogue.ts';
import { isSpoiler, shortened } from '../../text/clean.ts';
import { listedTitle } from '../../text/spoiler.ts';
import { ageText, hostBeside, netVotesText } from '../../text/facts.ts';
import { messageLink } from '../../text/mentions.ts';
import { type Frame, type Html, langOf } from './page-frame.ts';
import { pathOf } from './list-view.ts';

/** Who posted: member → name, without members who stay unnamed. Empty where the guild names nobody. */
export type Names = ReadonlyMap<Snowflake, string>;

export type ArticleFacts = {
  article: Article;
  /** Up minus down. */
  net: number;
  replies: number;
  /** The group whose page this is, which is not named again. */
  here?: Snowflake | null;
  /** A page that stays says the day of a post instead of its age. */
  hasDay?: boolean;
};

const SAID_LENGTH = 280;

/** An item of a list. */
export function listItem(frame: Frame, names: Names, facts: ArticleFacts, rank: number): Html {
  return html`<li><span class="rank" aria-hidden="true">${rank}</span><article>
${titleLink(frame, facts.article)}
${said(names, facts.article)}
${factsLine(frame, names, facts)}
</article></li>
`;
}

/** What stands above a list. `picture`: the address of Discord's copy; null: none is shown. */
export type Lead = { article: Article; preview: Preview; picture: string | null };

/** The first article, with what Discord found about it. `label`: why it stands here; null: the page says it. */
export function leadArticle(
  frame: Frame,
  names: Names,
  facts: ArticleFacts,
  { preview: { description }, picture }: Lead,
  label: string | null,
): Html {
  return html`<article class="lead${picture === null ? '' : ' pictured'}">
${picture === null ? '' : html`<img src="${picture}" alt="" width="640" height="400" loading="eager" referrerpolicy="no-referrer">`}
<div>
${label === null ? '' : html`<p class="label">${label}</p>`}
${titleLink(frame, facts.article)}
${description === undefined ? '' : html`<p class="description"><bdi>${description}</bdi></p>`}
${said(names, facts.article)}
${factsLine(frame, names, facts)}
</div>
</article>`;
}

/** Only Discord's own copies of pictures are loaded, from the hosts that the page's policy allows. */
export function pictureOf({ copy }: Preview): string | null {
  return copy !== undefined && /^https:\/\/images-ext-[12]\.discordapp\.net\//.test(copy)
    ? copy
    : null;
}

/** A spoiler is named by a word, and leads to its message, where Discord hides what it is. */
function titleLink({ guild, language }: Frame, article: Article): Html {
  const address = isSpoiler(article.title) ? messageLink(guild, article) : article.link;
  return html`<h3><a href="${address}" rel="noopener nofollow ugc"><bdi>${listedTitle(article.title, language)}</bdi></a></h3>`;
}

/** The parts are separated by spaces in the text, because a style sheet may be missing. */
function factsLine(
  frame: Frame,
  names: Names,
  { article, net, replies, here = null, hasDay = false }: ArticleFacts,
): Html {
  const { language, now, guild, community } = frame;
  const posted = new Date(article.postedAtMs).toISOString();
  const host = isSpoiler(article.title) ? null : hostBeside(article);
  const groups = community.groups.filter(({ id }) => id !== here && article.groups.includes(id));
  const tally = netVotesText(language, { up: net, down: 0 });
  const text =
    replies === 0
      ? translate(language, 'web.discuss')
      : translate(language, 'web.replies', { count: replies });
  return html`<p class="facts"><span class="votes">${seenAndRead(tally, translate(language, 'web.net', { count: net }))}</span>
${article.interesting ? html`<span class="star">${seenAndRead('★', translate(language, 'web.interesting'))}</span>` : ''}
${host === null ? '' : html`<span>${host}</span>`}
${by(frame, names, article)}
<time datetime="${posted}">${hasDay ? dayText(language, article.postedAtMs) : ageText(language, article.postedAtMs, now)}</time>
${groups.map(({ id, name }) => html`<a href="${pathOf(guild, { group: id, order: 'score', page: 1 }, { lang: langOf(frame) })}"><bdi>#${name}</bdi></a> `)}
<a href="${messageLink(guild, article)}" rel="noopener nofollow">${text}</a></p>`;
}

function dayText(language: string, atMs: number): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' }).format(atMs);
}

/** Who posted it; empty where the guild or the member does not want that. */
function by({ language }: Frame, names: Names, { poster }: Article): Html | string {
  const name = names.get(poster);
  if (name === undefined) return '';
  return html`<span>${translate(language, 'web.by')} <cite><bdi>${name}</bdi></cite></span>`;
}

/** What the poster said, beside whose name alone it stands. */
function said(names: Names, { poster, title, comment = '' }: Article): Html | string {
  const text = shortened(webText(comment), SAID_LENGTH);
  if (text === '' || !names.has(poster) || isSpoiler(title)) return '';
  return html`<blockquote><p><bdi>${text}</bdi></p></blockquote>`;
}

/** A member's comment without what only Discord shows: mentions, own emoji, and what is behind a spoiler. */
function webText(comment: string): string {
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
