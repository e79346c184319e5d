import { type LinkRefusal, parseLink } from './parse.ts';
import { trimEnd } from './trim-end.ts';

type FoundLink =
  | { status: 'found'; href: string }
  /** The text has links, but none can be posted; the reason is that of the first link. */
  | { status: 'refused'; reason: LinkRefusal }
  | { status: 'none' };

const links = /https?:\/\/[^\s<>\\|`"]+/gi;
const PUNCTUATION = `.,;:!?'"*，。；：！？、）」』】`;
const TEXT_AT_MOST = 10_000;
const LINKS_AT_MOST = 20;

/**
 * The first link in a message that can be posted. Links to Discord itself, such as to a message, are
 * skipped.
 */
export function findLink(text: string): FoundLink {
  let refused: FoundLink = { status: 'none' };
  for (const [written] of [...text.slice(0, TEXT_AT_MOST).matchAll(links)].slice(
    0,
    LINKS_AT_MOST,
  )) {
    const parsed = parseLink(withoutPunctuation(written));
    if (parsed.status === 'refused') {
      if (refused.status === 'none') refused = parsed;
    } else if (!/^(?:[a-z]+\.)?discord(?:app)?\.com$/.test(parsed.host)) {
      return { status: 'found', href: parsed.href };
    }
  }
  return refused;
}

/** Without punctuation or bold type after a link in a sentence, or a bracket that the link did not open. */
function withoutPunctuation(link: string): string {
  let end = trimEnd(link, (character) => PUNCTUATION.includes(character));
  let unopened = end.split(')').length - end.split('(').length;
  for (; unopened > 0 && end.endsWith(')'); unopened -= 1) {
    end = trimEnd(end.slice(0, -1), (character) => PUNCTUATION.includes(character));
  }
  return end;
}
