import { Feed, type Item } from 'feed';
import { html } from 'hono/html';
import type { EditionArticle } from '../../editions/edition-articles.ts';
import { editionTitle } from '../../editions/edition-title.ts';
import type { NamedEdition } from '../../editions/stored-editions.ts';
import { translate } from '../../text/catalogue.ts';
import { isSpoiler } from '../../text/clean.ts';
import { hostBeside, netVotesText } from '../../text/facts.ts';
import { listedTitle } from '../../text/spoiler.ts';
import { messageLink } from '../../text/mentions.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { editionPath } from './edition-path.ts';
import { type Community, type ListContent, pathOf } from './list-view.ts';

export type FeedFormat = 'atom' | 'json';
/** `self`: the Atom feed's own address; the JSON feed's has `format=json`. */
type FeedContent = ListContent & { self: string; format: FeedFormat };

/**
 * A list as a feed, in the guild's language. A vote changes the text of an item, but not its id or
 * its times, so feed readers do not show the item as new.
 */
export async function writeFeed(content: FeedContent): Promise<string> {
  const { guild, community, view, articles, address } = content;
  const { locale } = community;
  const group = community.groups.find(({ id }) => id === view.group);
  const list = translate(locale, `top.order.${view.order}`);
  const name = group === undefined ? community.name : `#${group.name} · ${community.name}`;
  const newestMs = Math.max(snowflakeTimeMs(guild), ...articles.map((it) => it.postedAtMs));
  const path = pathOf(guild, view);
  const feed = openFeed(content, { title: `${name} · ${list}`, path, newestMs });
  for (const article of articles) feed.addItem(await item(content, article));
  return written(feed, content.format, { address, path });
}

type EditionFeedContent = Pick<
  FeedContent,
  'guild' | 'community' | 'address' | 'self' | 'format'
> & {
  /** The guild's pages can be read. Otherwise its feed leads to Discord. */
  isOpen: boolean;
  /** The digest whose editions they are; undefined: those of all digests. */
  name: string | undefined;
  editions: { named: NamedEdition; articles: EditionArticle[] }[];
};

/** The editions of a guild's digests, the newest first: an item each, with its articles. */
export async function writeEditionFeed(content: EditionFeedContent): Promise<string> {
  const { guild, community, address, editions, name } = content;
  const { locale } = community;
  const newestMs = Math.max(
    snowflakeTimeMs(guild),
    ...editions.map(({ named }) => named.edition.postedAtMs),
  );
  const of = name === undefined ? 'web.editions' : 'digest.show.title';
  const title = `${community.name} · ${translate(locale, of, { name: name ?? '' })}`;
  const path = editionPath(guild);
  const feed = openFeed(content, { title, path, newestMs });
  for (const { named, articles } of editions) {
    const page = `${address}${editionPath(guild, named.name, named.date)}`;
    const date = new Date(named.edition.postedAtMs);
    const list = html`<ol>${articles.map(
      ({ article, net }) =>
        html`<li><a href="${isSpoiler(article.title) ? messageLink(guild, article) : article.link}">${listedTitle(article.title, locale)}</a> · ${netVotesText(locale, { up: net, down: 0 })}</li>`,
    )}</ol>`;
    const text = xmlText(String(await list));
    feed.addItem({
      title: xmlText(String(await html`${editionTitle(locale, named)}`)),
      id: page,
      link: content.isOpen ? page : onDiscord(guild, named),
      date,
      published: date,
      description: text,
      content: text,
    });
  }
  return written(feed, content.format, { address, path });
}

/** The address of an edition's message; of its channel where the message is not known. */
function onDiscord(guild: Snowflake, { edition: { channel, message } }: NamedEdition): string {
  return message === null
    ? `https://discord.com/channels/${guild}/${channel}`
    : messageLink(guild, { channel, id: message });
}

function openFeed(
  { community, address, self }: { community: Community; address: string; self: string },
  { title, path, newestMs }: { title: string; path: string; newestMs: number },
): Feed {
  const { locale } = community;
  return new Feed({
    id: `${address}${path}`,
    title: xmlText(title),
    description: xmlText(translate(locale, 'web.description', { community: community.name })),
    link: `${address}${path}`,
    updated: new Date(newestMs),
    language: locale,
    author: { name: xmlText(community.name) },
    generator: 'Frontpage',
    feedLinks: { atom: self, json: `${self}${self.includes('?') ? '&' : '?'}format=json` },
  });
}

/** JSON Feed wants plain titles, and what the library makes of Atom's escaped ones is not plain. */
function written(
  feed: Feed,
  format: FeedFormat,
  { address, path }: { address: string; path: string },
): string {
  if (format === 'atom') return feed.atom1();
  const made = JSON.parse(feed.json1()) as { items: { title: string; summary?: string }[] };
  const items = made.items.map(({ summary, title, ...rest }) => ({
    ...rest,
    title: plainOf(title),
    content_html: (rest as { content_html?: string }).content_html ?? summary ?? '',
  }));
  return JSON.stringify({ ...made, home_page_url: `${address}${path}`, items });
}

function plainOf(escaped: string): string {
  const signs: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
  return escaped.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => signs[name] ?? '');
}

async function item(
  content: Pick<FeedContent, 'guild' | 'community' | 'replies'>,
  article: Article,
): Promise<Item> {
  const { guild, community, replies } = content;
  const { locale } = community;
  const message = messageLink(guild, article);
  const date = new Date(article.postedAtMs);
  const count = replies.get(article.id);
  const host = hostBeside(article);
  const groups = community.groups.filter(({ id }) => article.groups.includes(id));
  const facts = [
    netVotesText(locale, article),
    ...(count === undefined ? [] : [translate(locale, 'web.replies', { count })]),
    ...(article.interesting ? [`★ ${translate(locale, 'web.interesting')}`] : []),
    ...(host === null ? [] : [host]),
    ...groups.map((group) => `#${group.name}`),
  ];
  const discuss = html`<a href="${message}">${translate(locale, 'web.discuss')}</a>`;
  return {
    // The library writes titles as HTML.
    title: xmlText(String(await html`${listedTitle(article.title, locale)}`)),
    id: message,
    link: isSpoiler(article.title) ? message : article.link,
    date,
    published: date,
    description: xmlText(String(await html`<p>${facts.join(' · ')} · ${discuss}</p>`)),
  };
}

/** XML cannot contain these characters, not even escaped. */
function xmlText(text: string): string {
  return text.replace(/[^\P{Cc}\t\n\r]|[\p{Cs}\ufffe\uffff]/gu, '');
}
