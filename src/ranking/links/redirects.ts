import { parseUrl } from '../../runtime/url.ts';
import { on, type Site, splitHost } from './known-sites.ts';

export type Way = { site: Site; path: RegExp };

/** Redirects that people copy; the target is the one address among the parameters. */
export const redirects: Way[] = [
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
export const caches: Way[] = [
  // https://www.google.com/amp/s/news.example/story
  { site: on('@ www', 'google.*'), path: /^\/+amp\/+(?:s\/+)?/ },
  // https://a-b.cdn.ampproject.org/c/s/a.b/story
  { site: on(/^(?:[a-z0-9-]+\.)?cdn$/, 'ampproject.org'), path: /^\/+[a-z]{1,3}\/+(?:s\/+)?/ },
  // https://a-b.bing-amp.com/c/s/a.b/story
  { site: on(/^[a-z0-9-]*$/, 'bing-amp.com'), path: /^\/+[a-z]{1,3}\/+(?:s\/+)?/ },
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

export function findWay(ways: readonly Way[], { hostname, pathname }: URL): Way | undefined {
  const host = splitHost(hostname);
  return ways.find(({ site, path }) => site(host) && path.test(pathname));
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
