import { type APIMessage, MessageType } from 'discord.js';
import { parseLink } from '../../ranking/links/parse.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { findLink } from '../../ranking/links/find.ts';
import { titleOfLink } from '../../text/clean.ts';
import { previewTitle } from '../messages/preview.ts';

/** A link in a member's message, with the title of Discord's preview. */
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

/** Reads the link of any message by the rules of /post. */
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
    previewTitle(embeds, canonical, content.match(links)?.length === 1) || titleOfLink(href);
  return { status: 'found', id, poster: author.id, link: { href, canonical }, title };
}

const links = /<?https?:\/\/[^\s<>|]+>?/gi;
