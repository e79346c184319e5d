import { Feed, type Item } from 'feed';
import { html } from 'hono/html';
import {
  articleFacts,
  type ArticleFacts,
  type Dress,
  dressed,
  type Listed,
  listedNow,
  NO_FACTS,
} from '../../articles/lists/article-facts.ts';
import type { ShownEdition } from '../../editions/edition-articles.ts';
import { editionHeadline, editionTitle, rhythmOf, titleOf } from '../../editions/edition-title.ts';
import { type NamedEdition, SECTIONS, sectionNames } from '../../editions/stored-editions.ts';
import { translate } from '../../text/catalogue.ts';
import { messageLink } from '../../text/mentions.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Replies } from '../../ranking/articles/discussions.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { editionPath } from './edition-path.ts';
import { jsonAddress } from './feed-address.ts';
import { commentsText, type ItemContext, type Names, saidText } from './article-html.ts';
import type { Community } from './list-view.ts';
import type { Html } from './page-frame.ts';

export type FeedFormat = 'atom' | 'json';
type FeedContent = ItemContext & {
  guild: Snowflake;
  community: Community;
  /** What it is a feed of, after the name of the community. */
  title: string;
  /** What it says while it has no articles. */
  empty: string;
  /** Of the page that shows the same. */
  path: string;
  articles: readonly Article[];
  replies: Replies;
  /** The public address of the pages, without a slash at the end. */
  address: string;
  /** The Atom feed's own address; the JSON feed's has `format=json`. */
  self: string;
  format: FeedFormat;
};

/**
 * Articles as a feed, in the guild's language. A vote changes the text of an item, but not its id or
 * its times, so feed readers do not show the item as new.
 */
export async function writeFeed(content: FeedContent): Promise<string> {
  const { guild, community, title, path, articles, empty } = content;
  const newestMs = Math.max(snowflakeTimeMs(guild), ...articles.map((it) => it.postedAtMs));
  const feed = openFeed(content, {
    title: `${community.name} · ${title}`,
    path,
    newestMs,
    empty: articles.length === 0 ? empty : null,
  });
  for (const article of articles) feed.addItem(await item(content, article));
  return written(feed, content);
}

type EditionFeedContent = Pick<
  FeedContent,
  'guild' | 'community' | 'address' | 'self' | 'format'
> & {
  /** The digest whose editions they are; undefined: those of all digests. */
  name: string | undefined;
  editions: { named: NamedEdition; shown: ShownEdition }[];
  names: Names;
};

/** Of whole days, so that no reader misses an edition: the newest, and the others that leave the feed below 40 kB. */
const EDITION_BYTES = 35_000;

/** The editions of a guild's digests, the newest first: an item each, with its articles. */
export async function writeEditionFeed(content: EditionFeedContent): Promise<string> {
  const { guild, community, address, editions, name } = content;
  const { locale } = community;
  const newestMs = Math.max(
    snowflakeTimeMs(guild),
    ...editions.map(({ named }) => named.edition.postedAtMs),
  );
  const [newest] = editions;
  const rhythm = newest && rhythmOf(newest.named.edition);
  const of = name === undefined ? translate(locale, 'web.editions') : titleOf(locale, name, rhythm);
  const title = `${community.name} · ${of}`;
  const path = editionPath(guild);
  const empty = editions.length === 0 ? translate(locale, 'web.empty.editions') : null;
  const feed = openFeed(content, { title, path, newestMs, empty });
  const days = new Map<string, Item[]>();
  for (const { named, shown } of editions) {
    const page = `${address}${editionPath(guild, named.name, named.date)}`;
    const date = new Date(named.edition.postedAtMs);
    const { articles } = shown;
    const items = (all: readonly Listed[]) =>
      all.map((one) => html`<li>${inEdition(content, one)}</li>`);
    const sections = sectionNames
      .filter((section) => shown[section].length > 0)
      .map(
        (section) =>
          html`<h2>${translate(locale, SECTIONS[section])}</h2><ul>${items(shown[section])}</ul>`,
      );
    const sum = named.edition.day;
    const sumLine = sum === null ? '' : html`<p>${translate(locale, 'digest.day', sum)}</p>`;
    const text = xmlText(String(await html`<ol>${items(articles)}</ol>${sections}${sumLine}`));
    const ofEdition = {
      title: xmlText(String(await html`${headline(content, { named, articles })}`)),
      id: page,
      link: page,
      date,
      published: date,
      description: xmlText(String(await html`${editionTitle(locale, named)}`)),
      content: text,
    };
    const day = dayOf(named);
    days.set(day, [...(days.get(day) ?? []), ofEdition]);
  }
  let bytes = 0;
  for (const items of days.values()) {
    const more = Buffer.byteLength(JSON.stringify(items));
    if (bytes > 0 && bytes + more > EDITION_BYTES) break;
    bytes += more;
    for (const one of items) feed.addItem(one);
  }
  return written(feed, { ...content, path });
}

/** The day of an edition: one by hand has its time beside it. */
export function dayOf({ date }: { date: string }): string {
  return date.slice(0, 10);
}

/** What readers of a feed see in its list: what an edition leads with, of which site, and which it is. */
function headline(
  of: Omit<Titled, 'names'>,
  { named, articles }: { named: NamedEdition; articles: readonly Listed[] },
): string {
  const { locale } = of.community;
  const best = editionHeadline(locale, articles, (text, listed) => {
    const { host, isSpoiler } = factsOf(of, listed).title;
    return isSpoiler || host === null ? text : `${text} (${host})`;
  });
  const title = editionTitle(locale, named);
  return best === null ? title : `${best} · ${title}`;
}

type Titled = { guild: Snowflake; community: Community; names: Names };

function factsOf(
  { guild, community: { locale } }: Omit<Titled, 'names'>,
  listed: Listed,
): ArticleFacts {
  return articleFacts(listed, { guild, locale });
}

/** An article as an edition's item has it: what the message said of it, in HTML. */
function inEdition(of: Titled, listed: Listed): Html {
  const { locale } = of.community;
  const { title, quote } = factsOf(of, listed);
  const said = quoteHtml(saidText(of.names, listed, { quote }));
  const line = factsHtml(of, listed, {
    site: ({ host }) => (title.isSpoiler ? '' : html`${host}`),
    poster: ({ member }) => {
      const name = of.names.get(member);
      return name === undefined ? '' : html`${translate(locale, 'web.by')} ${name}`;
    },
  });
  return html`<a href="${title.address}">${title.text}</a>${said}<p>${line}</p>`;
}

function quoteHtml(said: string): Html | string {
  return said === '' ? '' : html`<blockquote><p>${said}</p></blockquote>`;
}

/** `more`: what stands elsewhere in some feeds, and beside the other facts in this one. */
function factsHtml(of: Titled, listed: Listed, more: Partial<Dress<Html | string>> = {}): Html {
  const { locale, groups } = of.community;
  const written = dressed<Html | string>(factsOf(of, listed).facts, {
    ...NO_FACTS,
    votes: ({ text }) => text,
    star: () => `★ ${translate(locale, 'web.interesting')}`,
    channels: ({ groups: ids }) =>
      groups
        .filter(({ id }) => ids.includes(id))
        .map(({ name }) => `#${name}`)
        .join(' · '),
    comments: ({ count }) =>
      html`<a href="${messageLink(of.guild, listed.article)}">${commentsText(locale, count)}</a>`,
    ...more,
  });
  return html`${written
    .filter((part) => part !== '')
    .map((part, at) => html`${at === 0 ? '' : ' · '}${part}`)}`;
}

function openFeed(
  { community, address, self }: { community: Community; address: string; self: string },
  {
    title,
    path,
    newestMs,
    empty,
  }: {
    title: string;
    path: string;
    newestMs: number;
    /** Null: it has items. */
    empty: string | null;
  },
): Feed {
  const { locale } = community;
  const about = empty ?? translate(locale, 'web.description', { community: community.name });
  return new Feed({
    // Its own address: several feeds are of one page.
    id: self,
    title: xmlText(title),
    description: xmlText(about),
    link: `${address}${path}`,
    updated: new Date(newestMs),
    language: locale,
    author: { name: xmlText(community.name) },
    generator: 'Frontpage',
    feedLinks: { atom: self, json: jsonAddress(self) },
  });
}

/**
 * JSON Feed wants plain titles, and what the library makes of Atom's escaped ones is not plain. Its fields of
 * version 1.1 the library does not know, nor the language of Atom.
 */
function written(
  feed: Feed,
  {
    format,
    address,
    path,
    self,
    community,
  }: Pick<FeedContent, 'format' | 'address' | 'path' | 'self' | 'community'>,
): string {
  if (format === 'atom') {
    return feed.atom1().replace('<feed ', `<feed xml:lang="${community.locale}" `);
  }
  const made = JSON.parse(feed.json1()) as {
    author?: unknown;
    items: { title: string; summary?: string; author?: { name: string } }[];
  };
  const { author: _, ...rest } = made;
  const items = made.items.map(({ summary, title, author, ...other }) => ({
    ...other,
    title: plainOf(title),
    ...(author === undefined ? {} : { authors: [{ name: author.name }] }),
    content_html: (other as { content_html?: string }).content_html ?? summary ?? '',
  }));
  return JSON.stringify({
    ...rest,
    version: 'https://jsonfeed.org/version/1.1',
    language: community.locale,
    authors: [{ name: xmlText(community.name) }],
    home_page_url: `${address}${path}`,
    feed_url: jsonAddress(self),
    items,
  });
}

function plainOf(escaped: string): string {
  const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return escaped.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name] ?? '');
}

async function item(content: FeedContent, article: Article): Promise<Item> {
  const { guild, names, abouts, replies } = content;
  const listed = listedNow(article, { replies });
  const date = new Date(article.postedAtMs);
  const { title, quote } = factsOf(content, listed);
  const { text, address, host, isSpoiler } = title;
  const about = abouts.get(article.id)?.description;
  const poster = names.get(article.poster);
  const said = quoteHtml(saidText(names, listed, { quote }));
  const body = html`${about ? html`<p>${about}</p>` : ''}${said}<p>${factsHtml(content, listed)}</p>`;
  return {
    // The library writes titles as HTML.
    title: xmlText(String(await html`${isSpoiler || host === null ? text : `${text} · ${host}`}`)),
    id: messageLink(guild, article),
    link: address,
    date,
    published: date,
    description: xmlText(String(await body)),
    ...(poster === undefined ? {} : { author: [{ name: xmlText(poster) }] }),
  };
}

/**
 * XML cannot contain some characters, not even escaped. Those that turn the direction of a text would turn what stands
 * behind it, such as the host: a feed has no elements that keep them apart.
 */
function xmlText(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]|[\p{Cs}\ufffe\uffff]|[\u202a-\u202e\u2066-\u2069]/gu, '');
}
