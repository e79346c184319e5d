import { on, type Site, splitHost } from './known-sites.ts';
import { oneSpelling } from './percent.ts';

/** Sites whose pages have a name in the fragment, though it looks like the id of an element. */
export const namedPages: Site[] = [
  on(/^/, 'tiddlywiki.com tiddlyhost.com tiddlyspot.com regexper.com matrix.to'),
  on('gchq', 'github.io'),
];

const LONGEST_ID = 200;

/** An element's id: a name without the signs of paths, lists and assignments. */
const id = /^[\p{L}\p{M}\p{N}_.~-][\p{L}\p{M}\p{N}_.~:,'’()&+@% -]*$/u;
/** No word is so long: it is the state of an application, such as a text to compile. */
const state = /(?=[A-Za-z+]{0,39}\d)[A-Za-z0-9+]{40}/;

/** Names whose value is a place within the page, or where the reader came from. */
const placed =
  /^(?:utm_\w+|mtm_\w+|pk_campaign|xtor|ref|from|source|at_\w+|page|zoom|view|nameddest|t|time|heading|bookmark|toolbar|navpanes|gid=0$|line|lines|ls)(?:=|$)/i;

/**
 * The fragment of a link, or nothing where it does not tell pages apart: the id of an element, a text
 * fragment, tracking. The host is a site's of `namedPages`, or any other. Single-page applications distinguish their pages by it.
 */
export function plainFragment(hash: string, hostname: string): string {
  // After :~: stands a directive to the browser, such as a text to mark.
  const [fragment = ''] = hash.slice(1).split(':~:', 1);
  const host = splitHost(hostname);
  if (fragment !== '' && namedPages.some((site) => site(host))) return `#${oneSpelling(fragment)}`;
  const [before = '', ...query] = fragment.split('?');
  const name = query.length === 1 && isPlace(query[0]!) ? before : fragment;
  return ['', '!', '/'].includes(name) || isPlace(name) ? '' : `#${name}`;
}

function isPlace(name: string): boolean {
  if (name.includes('=')) {
    return !/[/!?]/.test(name) && name.split('&').every((part) => placed.test(part));
  }
  const text = decoded(name);
  return text.length <= LONGEST_ID && id.test(text) && !state.test(text);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
