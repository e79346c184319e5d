import { parse as parseHost } from 'tldts';
import { z } from 'zod';
import { canonicalLink } from './canonical.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';
import { parseUrl } from '../../url.ts';

/** The link must fit in an article's message with the longest title, host and list of groups. */
export const MAX_LINK_LENGTH = 1000;

export type LinkRefusal = 'scheme' | 'userinfo' | 'address' | 'host' | 'malformed' | 'long';

export type ParsedLink =
  | {
      status: 'accepted';
      /** The posted link in WHATWG's form, to show and to open. */
      href: string;
      /** The form to compare, never to open: see `canonical.ts`. */
      canonical: string;
      /** In punycode, so that a look-alike host is visible. */
      host: string;
    }
  | { status: 'refused'; reason: LinkRefusal };

const zText = z.string().trim().min(1);

/** Checks a member's link by its text alone, without any network request. */
export function parseLink(text: unknown): ParsedLink {
  const parsed = zText.safeParse(text);
  if (!parsed.success) return refused('malformed');
  if (parsed.data.length > MAX_LINK_LENGTH) return refused('long');
  const url = parseUrl(parsed.data);
  if (!url) return refused(hasOtherScheme(parsed.data) ? 'scheme' : 'malformed');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('scheme');
  if (url.username !== '' || url.password !== '') return refused('userinfo');
  if (isAddress(url.hostname)) return refused('address');
  if (!isPublicName(url.hostname)) return refused('host');
  // Percent-encoding makes some links longer than they were typed.
  if (url.href.length > MAX_LINK_LENGTH) return refused('long');
  return { status: 'accepted', href: url.href, canonical: canonicalLink(url), host: url.hostname };
}

/** Checks a link as a member types it: without a scheme, https is meant. */
export function parseTypedLink(text: unknown): ParsedLink {
  const typed = typeof text === 'string' ? text.trim() : '';
  // `localhost:3000` has a host and a port; a parser of URLs would take `localhost` for the scheme.
  const hasNoScheme = /^[\p{L}\p{N}-]+(?:(?:\.[\p{L}\p{N}-]+)+(?::\d+)?|:\d{1,5})(?:[/?#]|$)/u.test(
    typed,
  );
  return parseLink(hasNoScheme ? `https://${typed}` : text);
}

/** The form of an article's link to compare. A link that is no longer accepted is compared as it is. */
export function canonicalOf(link: string): string {
  const parsed = parseLink(link);
  return parsed.status === 'accepted' ? parsed.canonical : link;
}

/**
 * The names of an article's link in the index, to try in this order. The last name belongs to the
 * article alone, so that every article has one.
 */
export function linkNames({
  id,
  link,
  home,
  listed,
}: Pick<Article, 'id' | 'link' | 'home' | 'listed'>): string[] {
  const canonical = canonicalOf(link);
  return [...namesInChannel(home, canonical, listed), `${id} ${canonical}`];
}

/**
 * The names that a channel's articles can have for a link, to try in this order. A listed channel uses
 * the guild's name, which is the link itself; its own only if an article that the poster may not view
 * has the guild's. A hidden channel uses only its own, so that its articles neither block a post
 * elsewhere nor become visible there. No two names are equal, since a link contains no space.
 */
export function namesInChannel(channel: Snowflake, canonical: string, listed: boolean): string[] {
  const own = `${channel} ${canonical}`;
  return listed ? [canonical, own] : [own];
}

/** The WHATWG parser has already turned every spelling of an IPv4 address into four decimal numbers. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+\.?$/.test(hostname);
}

/**
 * A name below a known public suffix. `localhost`, `printer.local` and `wiki.corp` have none.
 * `.example` is reserved for documentation (RFC 2606) and leads nowhere, private or public;
 * our own documents, tests and the sandbox use it.
 */
function isPublicName(hostname: string): boolean {
  const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
  // WHATWG also accepts characters, such as a backtick, that no host name has.
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name)) return false;
  if (name.endsWith('.example')) return true;
  const { domain, isIcann, isPrivate } = parseHost(name, { validateHostname: false });
  return domain !== null && (isIcann === true || isPrivate === true);
}

/** For text that is not a URL: `ftp//x` and `example.com` have no scheme, so they are malformed. */
function hasOtherScheme(text: string): boolean {
  return /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function refused(reason: LinkRefusal): ParsedLink {
  return { status: 'refused', reason };
}
