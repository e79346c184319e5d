import { parse as parseHost } from 'tldts';
import { z } from 'zod';
import { canonicalLink } from './canonical.ts';
import type { Article } from '../row.ts';

/** Beside the longest title, host and list of groups, the link must fit an article's message. */
export const MAX_LINK_LENGTH = 1000;

export type LinkRefusal = 'scheme' | 'userinfo' | 'address' | 'host' | 'malformed' | 'long';

export type ParsedLink =
  | {
      status: 'accepted';
      /** For display and for opening: as posted, as WHATWG writes it. */
      href: string;
      /** What is compared, and never opened: see `canonical-link.ts`. */
      canonical: string;
      /** In punycode, so that no look-alike passes for another. */
      host: string;
    }
  | { status: 'refused'; reason: LinkRefusal };

const zText = z.string().trim().min(1);

/** Judges a link that a member gave, by its text alone: nothing is looked up or fetched. */
export function parseLink(text: unknown): ParsedLink {
  const parsed = zText.safeParse(text);
  if (!parsed.success) return refused('malformed');
  if (parsed.data.length > MAX_LINK_LENGTH) return refused('long');
  const url = URL.canParse(parsed.data) ? new URL(parsed.data) : null;
  if (!url) return refused(hasOtherScheme(parsed.data) ? 'scheme' : 'malformed');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return refused('scheme');
  if (url.username !== '' || url.password !== '') return refused('userinfo');
  if (isAddress(url.hostname)) return refused('address');
  if (!isPublicName(url.hostname)) return refused('host');
  // Percent-encoding makes some links longer than they were typed.
  if (url.href.length > MAX_LINK_LENGTH) return refused('long');
  return { status: 'accepted', href: url.href, canonical: canonicalLink(url), host: url.hostname };
}

/**
 * The names under which an article's link can stand in the index, to be tried in this order. A
 * channel that not everyone may see has names of its own, so that what is posted there neither
 * blocks nor shows elsewhere; the last is the article's alone, so that none is without. No link holds
 * a space.
 */
export function linkNames({
  id,
  link,
  home,
  listed,
}: Pick<Article, 'id' | 'link' | 'home' | 'listed'>): string[] {
  const parsed = parseLink(link);
  const canonical = parsed.status === 'accepted' ? parsed.canonical : link;
  return [...(listed ? [canonical] : []), `${home} ${canonical}`, `${id} ${canonical}`];
}

/** WHATWG has turned every spelling of an IPv4 address into four decimal numbers by now. */
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
  // WHATWG also lets through characters, such as a backtick, that no host name has.
  if (!/^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(name)) return false;
  if (name.endsWith('.example')) return true;
  const { domain, isIcann, isPrivate } = parseHost(name, { validateHostname: false });
  return domain !== null && (isIcann === true || isPrivate === true);
}

/** `javascript:…` parses; `ftp//x` and `example.com` are merely no link. */
function hasOtherScheme(text: string): boolean {
  return /^(?!https?:)[a-z][a-z0-9+.-]*:\/\//i.test(text);
}

function refused(reason: LinkRefusal): ParsedLink {
  return { status: 'refused', reason };
}
