import { parseUrl } from '../../runtime/url.ts';
import { on, type Site, splitHost } from './known-sites.ts';

type Way = { site: Site; path: RegExp };

/** Redirects that people copy; the target is the one address among the parameters. */
const redirects: Way[] = [
  { site: on(/^/, 'google.*'), path: /^\/+url$/ },
  { site: on('l lm', 'facebook.com instagram.com threads.com threads.net'), path: /^/ },
  { site: on('@ www m', 'youtube.com'), path: /^\/+redirect$/ },
  { site: on('out', 'reddit.com'), path: /^/ },
  { site: on('@ www', 'duckduckgo.com'), path: /^\/+l\/*$/ },
  { site: on('@ www', 'steamcommunity.com'), path: /^\/+linkfilter/ },
  { site: on('link', 'csdn.net juejin.cn zhihu.com'), path: /^/ },
  { site: on(/^[a-z0-9]+\.safelinks\.protection$/, 'outlook.com'), path: /^/ },
];

/** AMP caches: the page follows this path, without its scheme. */
const caches: Way[] = [
  // https://www.google.com/amp/s/news.example/story
  { site: on('@ www', 'google.*'), path: /^\/+amp\/+(?:s\/+)?/ },
  // https://a-b.cdn.ampproject.org/c/s/a.b/story
  { site: on(/^(?:[a-z0-9-]+\.)?cdn$/, 'ampproject.org'), path: /^\/+[a-z]{1,3}\/+(?:s\/+)?/ },
  // https://a-b.bing-amp.com/c/s/a.b/story
  { site: on(/^[a-z0-9-]*$/, 'bing-amp.com'), path: /^\/+[a-z]{1,3}\/+(?:s\/+)?/ },
];

/** Archives need no scheme before the page either. `r.jina.ai` and `12ft.io` show it as it is now. */
const archives: Way[] = [
  { site: on('web', 'archive.org'), path: /^/ },
  { site: on('@ www', 'archive.ph archive.today archive.is archive.li archive.md'), path: /^/ },
  { site: on('@ www', 'archive.fo archive.vn 12ft.io'), path: /^/ },
  { site: on('r', 'jina.ai'), path: /^/ },
];

/** Sites that spell the target in a way of their own. */
const spellings: { site: Site; targets(url: URL): string[] }[] = [
  // https://urldefense.proofpoint.com/v2/url?u=https-3A__news.example_story
  {
    site: on('urldefense', 'proofpoint.com'),
    targets: ({ search }) => [search.replaceAll('-', '%').replaceAll('_', '/')],
  },
  // https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9uZXdzLmV4YW1wbGUv
  {
    site: on('@ www cn', 'bing.com'),
    targets: ({ searchParams }) =>
      searchParams.getAll('u').map((u) => Buffer.from(u.slice(2), 'base64url').toString()),
  },
  // https://www-news-example.translate.goog/story: a dot is a dash, and a dash is two.
  {
    site: on(/^[a-z0-9-]+$/, 'translate.goog'),
    targets: ({ hostname, pathname }) => {
      const host = hostname.split('.')[0]!.replace(/--|-/g, (dash) => (dash === '-' ? '.' : '-'));
      return [`https://${host}${pathname}`];
    },
  },
];

/** The page to which the address of an AMP cache or of a known redirect leads; null for other addresses. */
export function redirectTarget(url: URL): URL | null {
  const cache = findWay(caches, url);
  if (cache)
    return page(`https://${unescapedOnce(url.pathname.replace(cache.path, ''))}${url.search}`);
  // Of a redirect that names several pages, only its site knows where it leads.
  const values = findWay(redirects, url) ? valuesOf(url.search).map(unescapedOnce) : [];
  const targets = values.flatMap((value) =>
    /^https?:\/\//i.test(value) ? (page(value) ?? []) : [],
  );
  return targets.length === 1 ? targets[0]! : null;
}

/** As they are written: a plus sign is one, since no address has a space. */
function valuesOf(search: string): string[] {
  return search
    .slice(1)
    .split('&')
    .map((parameter) => parameter.slice(parameter.indexOf('=') + 1));
}

/** What is escaped in the target stays escaped. */
function unescapedOnce(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * The addresses that an address contains. Any site can redirect, so each counts, wherever it stands and
 * however often it is escaped.
 */
export function containedPages(url: URL): URL[] {
  const { hostname, pathname, search, hash, searchParams } = url;
  const host = splitHost(hostname);
  const spelling = spellings.find(({ site }) => site(host));
  const texts = [pathname + search, hash, ...[...searchParams].flat()];
  const isCopy = findWay([...caches, ...archives], url) !== undefined;
  // The page's host is the first part with a dot.
  const bare = isCopy ? /(?<=\/)[^/.]+\..*/.exec(plain(pathname)) : null;
  return pagesIn([...texts, ...(spelling?.targets(url) ?? []), bare ? `https://${bare[0]}` : '']);
}

function findWay(ways: readonly Way[], { hostname, pathname }: URL): Way | undefined {
  const host = splitHost(hostname);
  return ways.find(({ site, path }) => site(host) && path.test(pathname));
}

/** No link of at most 1 000 characters contains a longer one, even if its escapes grow. */
const LONGEST_PAGE = 4000;

/** The first address in each text; addresses within these are found in turn. */
function pagesIn(texts: readonly string[]): URL[] {
  return texts.flatMap((text) => {
    const [found = ''] = /https?:\/.*/is.exec(plain(text)) ?? [];
    return page(found.slice(0, LONGEST_PAGE)) ?? [];
  });
}

/** Without user name and password, which do not change where a link leads. */
function page(text: string): URL | null {
  // Disqus writes a signature after a colon.
  const url = parseUrl(text) ?? parseUrl(text.replace(/:[\w-]*$/, ''));
  if (!url || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) return null;
  url.username = '';
  url.password = '';
  return url;
}

/** Without the escapes of ASCII characters, also where they are escaped again. */
function plain(text: string): string {
  return text.replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
