import { parse as parseHost } from 'tldts';
import { z } from 'zod';
import { canonicalLink } from './canonical.ts';
import { parseUrl } from '../../runtime/url.ts';

/** The link must fit in an article's message with the longest title, host and list of groups. */
export const MAX_LINK_LENGTH = 1000;

export type LinkRefusal =
  | 'scheme'
  | 'userinfo'
  | 'address'
  | 'host'
  | 'malformed'
  | 'long'
  /** A space stands within it. */
  | 'space';

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

/** Checks a member's link by its text alone, without any network request. */
export function parseLink(text: string): ParsedLink {
  const url = checkLink(text);
  if (typeof url === 'string') return { status: 'refused', reason: url };
  return { status: 'accepted', href: url.href, canonical: canonicalLink(url), host: url.hostname };
}

/** Whether `parseLink` accepts it, without the cost of the form to compare. */
export function isAcceptedLink(text: string): boolean {
  return typeof checkLink(text) !== 'string';
}

function checkLink(text: string): URL | LinkRefusal {
  if (text.length > MAX_LINK_LENGTH) return 'long';
  const url = parseUrl(text);
  if (!url) return hasOtherScheme(text) ? 'scheme' : 'malformed';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'scheme';
  if (url.username !== '' || url.password !== '') return 'userinfo';
  if (isAddress(url.hostname)) return 'address';
  if (!isPublicName(url.hostname)) return 'host';
  // Percent-encoding makes some links longer than they were typed.
  return url.href.length > MAX_LINK_LENGTH ? 'long' : url;
}

const zTyped = z.string().trim();

/** Checks a link as a member types it: without a scheme, https is meant. */
export function parseTypedLink(text: unknown): ParsedLink {
  const typed = zTyped.safeParse(text).data ?? '';
  // `localhost:3000` has a host and a port; a parser of URLs would take `localhost` for the scheme.
  const hasNoScheme = /^[\p{L}\p{N}-]+(?:(?:\.[\p{L}\p{N}-]+)+(?::\d+)?|:\d{1,5})(?:[/?#]|$)/u.test(
    typed,
  );
  return parseLink(hasNoScheme ? `https://${typed}` : typed);
}

/** The form of an article's link to compare. A link that is no longer accepted is compared as it is. */
export function canonicalOf(link: string): string {
  const parsed = parseLink(link);
  return parsed.status === 'accepted' ? parsed.canonical : link;
}

/** The WHATWG parser has already turned every spelling of an IPv4 address into four decimal numbers. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+\.?$/.test(hostname);
}

/** WHATWG also accepts characters, such as a backtick, that no host name has. */
function isPublicName(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '');
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name) && isBelowPublicSuffix(name);
}

/**
 * False for `localhost`, `printer.local` and `wiki.corp`.
 * `.example` is reserved for documentation (RFC 2606) and leads nowhere, private or public;
 * our own documents, tests and the sandbox use it.
 */
export function isBelowPublicSuffix(name: string): boolean {
  const { domain, isIcann } = parseHost(name, { validateHostname: false });
  return name.endsWith('.example') || (domain !== null && isIcann === true);
}

/** For text that is not a URL: `ftp//x` and `example.com` have no scheme, so they are malformed. */
function hasOtherScheme(text: string): boolean {
  return /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(text);
}
