import { Feed, type Item } from 'feed';
import { html } from 'hono/html';
import { translate } from '../../text/catalogue.ts';
import { isSpoiler } from '../../text/clean.ts';
import { hostBeside, netVotesText } from '../../text/facts.ts';
import { listedTitle } from '../../text/spoiler.ts';
import { messageLink } from '../../text/mentions.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { type ListContent, pathOf } from './view.ts';

/** `self`: the feed's own address. */
type FeedContent = ListContent & { self: string };

/**
 * A list as an Atom feed, in the guild's language. A vote changes the text of an item, but not its id or
 * its times, so feed readers do not show the item as new.
 */
export async function writeFeed(content: FeedContent): Promise<string> {
  const { guild, community, view, articles, address, self } = content;
  const { locale } = community;
  const group = community.groups.find(({ id }) => id === view.group);
  const list = translate(locale, `top.order.${view.order}`);
  const name = group === undefined ? community.name : `#${group.name} · ${community.name}`;
  const newestMs = Math.max(snowflakeTimeMs(guild), ...articles.map((it) => it.postedAtMs));
  const feed = new Feed({
    id: `${address}${pathOf(guild, view)}`,
    title: xmlText(`${name} · ${list}`),
    description: xmlText(translate(locale, 'web.description', { community: community.name })),
    link: `${address}${pathOf(guild, view)}`,
    updated: new Date(newestMs),
    language: locale,
    author: { name: xmlText(community.name) },
    generator: 'Frontpage',
    feedLinks: { atom: self },
  });
  for (const article of articles) feed.addItem(await item(content, article));
  return feed.atom1();
}

async function item(content: FeedContent, article: Article): Promise<Item> {
  const { guild, community, replies } = content;
  const { locale } = community;
  const message = messageLink(guild, article);
  const date = new Date(article.postedAtMs);
  const count = replies.get(article.id);
  const host = hostBeside(article);
  const groups = community.groups.filter(({ id }) => article.groups.includes(id));
  const facts = [
    netVotesText(article),
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
