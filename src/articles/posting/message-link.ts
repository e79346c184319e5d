import { type APIMessage, MessageType } from 'discord.js';
import { parseLink } from '../../ranking/links/parse.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { trimEnd } from '../../ranking/links/trim-end.ts';
import { findLink } from '../../ranking/links/find.ts';
import { cleanTitle, titleOfLink } from '../../text/clean.ts';
import { previewTitle } from '../messages/preview.ts';

/** A link in a member's message, with the best title that the message contains. */
export type MessageLink = {
  id: Snowflake;
  poster: Snowflake;
  link: { href: string; canonical: string };
  title: string;
};

type MessageLinkOutcome =
  | ({ status: 'found' } & MessageLink)
  /** `refused`: there are links, but none can be posted. */
  | { status: 'bot' | 'linkless' | 'refused' };

/** The types that members write. The others are Discord's own notices, such as for a new pin. */
const WRITTEN_TYPES: readonly MessageType[] = [MessageType.Default, MessageType.Reply];

/** Reads the link of any message by the rules of /post, with a title from the embed or the text around. */
export function readMessageLink(message: APIMessage): MessageLinkOutcome {
  const { id, author, content, embeds, type, webhook_id: webhook } = message;
  if (author.bot === true || webhook !== undefined) return { status: 'bot' };
  if (!WRITTEN_TYPES.includes(type)) return { status: 'linkless' };
  const found = findLink(content);
  if (found.status === 'none') return { status: 'linkless' };
  if (found.status === 'refused') return { status: 'refused' };
  const link = parseLink(found.href);
  if (link.status === 'refused') return { status: 'refused' };
  const { href, canonical } = link;
  const title =
    previewTitle(embeds, canonical, content.match(links)?.length === 1) ||
    titleAround(content) ||
    titleOfLink(href);
  return { status: 'found', id, poster: author.id, link: { href, canonical }, title };
}

const links = /<?https?:\/\/[^\s<>|]+>?/gi;

/** The text in the link's line, or else in the nearest line before it, or after it. */
function titleAround(content: string): string {
  const lines = content.slice(0, 10_000).split('\n');
  const at = Math.max(
    0,
    lines.findIndex((line) => /https?:\/\//i.test(line)),
  );
  const nearest = [lines[at] ?? '', ...lines.slice(0, at).toReversed(), ...lines.slice(at + 1)];
  for (const line of nearest) {
    const title = cleanTitle(withoutMarkdown(line));
    if ((title.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 2) return title;
  }
  return '';
}

/** The visible text of a line, without links, mentions and Markdown. */
function withoutMarkdown(line: string): string {
  const text = line
    .replace(/\[([^\]\n]{1,500})\]\(<?https?:\/\/[^\s)>]+>?\)/gi, '$1')
    .replace(links, ' ')
    .replace(/<(?:@[!&]?|#)\d{1,20}>|<t:-?\d{1,15}(?::\w)?>|<a?:\w{1,32}:\d{1,20}>/g, ' ')
    .replace(/^\s*(?:>{1,3}\s+|#{1,3}\s+|-#\s+|[-*•]\s+|\d{1,3}\.\s+)+/, '')
    .replace(/\|\||[*~]{1,3}|__|`/g, '')
    .replace(/^[\s:;,–—\-→>|()]+/u, '');
  return trimEnd(text, (character) => /[\s:;,–—\-→<|(]/u.test(character));
}
