import { type APIEmbed, type APIMessage, MessageType } from 'discord.js';
import { parseLink } from '../../ranking/links/parse.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { findLink } from '../../ranking/links/find.ts';
import { cleanTitle, titleOfLink } from '../../text/clean.ts';

/** A link that a member wrote into a message, with the best title that the message has for it. */
export type MessageLink = {
  id: Snowflake;
  poster: Snowflake;
  link: { href: string; canonical: string };
  title: string;
};

export type MessageLinkOutcome =
  | ({ status: 'found' } & MessageLink)
  /** `refused`: there are links, and none can be posted. */
  | { status: 'bot' | 'linkless' | 'refused' };

/** Answers are messages as well; the others are Discord's own words, such as of a new pin. */
const written: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/** Reads a message that nobody wrote for us: its link by the rules of /post, its title from around it. */
export function readMessageLink(message: APIMessage): MessageLinkOutcome {
  const { id, author, content, type, webhook_id: webhook } = message;
  if (author.bot === true || webhook !== undefined) return { status: 'bot' };
  if (!written.includes(type)) return { status: 'linkless' };
  const found = findLink(content);
  if (found.status === 'none') return { status: 'linkless' };
  if (found.status === 'refused') return { status: 'refused' };
  const link = parseLink(found.href);
  if (link.status === 'refused') return { status: 'refused' };
  const { href, canonical } = link;
  const title =
    cleanTitle(embedOf(message, canonical)?.title ?? '') ||
    titleAround(content) ||
    titleOfLink(href);
  return { status: 'found', id, poster: author.id, link: { href, canonical }, title };
}

const links = /<?https?:\/\/[^\s<>|]+>?/gi;

/** What Discord unfurled of this link, and not of another one in the message. */
function embedOf({ embeds, content }: APIMessage, canonical: string): APIEmbed | undefined {
  const titled = embeds.filter(({ title }) => title);
  const own = titled.find(({ url }) => {
    const link = parseLink(url);
    return link.status === 'accepted' && link.canonical === canonical;
  });
  if (own) return own;
  // A page can call itself otherwise than the link to it; with one of each there is no doubt.
  const isAlone = embeds.length === 1 && content.match(links)?.length === 1;
  return isAlone ? titled[0] : undefined;
}

/** The line of the link without the link, or else the nearest line before it, or after it. */
function titleAround(content: string): string {
  const lines = content.slice(0, 10_000).split('\n');
  const at = Math.max(
    0,
    lines.findIndex((line) => /https?:\/\//i.test(line)),
  );
  const nearest = [lines[at] ?? '', ...lines.slice(0, at).toReversed(), ...lines.slice(at + 1)];
  for (const line of nearest) {
    const title = cleanTitle(withoutMarks(line));
    if ((title.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2) return title;
  }
  return '';
}

/** A line as its readers saw it, as far as a title can show that: without links, names and layout. */
function withoutMarks(line: string): string {
  return line
    .replace(/\[([^\]\n]{1,500})\]\(<?https?:\/\/[^\s)>]+>?\)/gi, '$1')
    .replace(links, ' ')
    .replace(/<(?:@[!&]?|#)\d{1,20}>|<t:-?\d{1,15}(?::\w)?>|<a?:\w{1,32}:\d{1,20}>/g, ' ')
    .replace(/^\s*(?:>{1,3}\s+|#{1,3}\s+|-#\s+|[-*•]\s+|\d{1,3}\.\s+)+/, '')
    .replace(/\|\||[*~]{1,3}|__|`/g, '')
    .replace(/^[\s:;,–—\-→>|()]+|[\s:;,–—\-→<|(]+$/gu, '');
}
