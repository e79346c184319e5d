import { parseUrl } from '../../forms/url.ts';

type Link = {
  /** Null: it has an address that Discord does not open, and stays text. */
  url: string | null;
  isSuppressed: boolean;
  end: number;
};

const SCHEMES = ['http:', 'https:', 'discord:'];

/** Discord's links have one of three schemes. */
function opened(address: string): string | null {
  const url = parseUrl(address);
  return url !== null && SCHEMES.includes(url.protocol) ? address : null;
}

const run = /(?:https?|steam):\/\/[^\s<]{2,}/y;

/**
 * A bare link ends at a white space or `<`. Punctuation at its end is not part of it, nor is one
 * bracket that closes more than were opened.
 */
export function bareLink(text: string, at: number): (Link & { shown: string }) | null {
  run.lastIndex = at;
  const [found] = run.exec(text) ?? [];
  if (found === undefined) return null;
  let shown = found.replace(/[.,:;"'\]]{1,100}$/, '');
  if (!/^\w+:\/\/..+/su.test(shown)) return null;
  const closing = /\)*$/.exec(shown)![0].length;
  if (closing > shown.split('(').length - 1) shown = shown.slice(0, -1);
  return { url: opened(shown), shown, isSuppressed: false, end: at + shown.length };
}

const angled = /<([^: <>]+:\/[^ <>]+)>/y;

/** A link between angles has no preview. */
export function suppressedLink(text: string, at: number): (Link & { shown: string }) | null {
  angled.lastIndex = at;
  const [whole, shown = ''] = angled.exec(text) ?? [];
  if (whole === undefined) return null;
  return { url: opened(shown), shown, isSuppressed: true, end: at + whole.length };
}

const target = /\(\s*(<)?((?:\([^\s()]*\)|[^\s()<>])+)>?(?:\s+(?:"([^"\n]*)"|'([^'\n]*)'))?\s*\)/y;

/** `hover`: what a desktop client shows where the pointer rests; empty if there is nothing. */
type MaskedLink = Link & { body: string; hover: string };

/** `[body](address "hover")`: of several ways to read it, the one with the longest body. */
export function maskedLink(text: string, at: number): MaskedLink | null {
  if (text[at] !== '[') return null;
  let longest: MaskedLink | null = null;
  for (let i = text.indexOf('](', at); i >= 0; i = text.indexOf('](', i + 1)) {
    const body = text.slice(at + 1, i);
    // A bracket that is opened must be closed, once more or less.
    if (body === '' || /\[/.test(body.replace(/\[[^[\]]*\]/g, ''))) break;
    target.lastIndex = i + 1;
    const [whole, angle, address = '', double, single] = target.exec(text) ?? [];
    if (whole === undefined) continue;
    const url = opened(address.replace(/\\([^A-Za-z0-9\s])/g, '$1'));
    const hover = double ?? single ?? '';
    longest = { url, body, hover, isSuppressed: angle !== undefined, end: i + 1 + whole.length };
  }
  return longest;
}
