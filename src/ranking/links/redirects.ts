import { parseUrl } from '../../url.ts';
import { facebook, googleSearch, splitHost, on, type Site } from './host-match.ts';

/** Each names the parameters that can contain the target. */
const redirects: { site: Site; path: RegExp; targets: string[] }[] = [
  { site: googleSearch, path: /^\/+url$/, targets: ['q', 'url'] },
  { site: on('l lm', 'facebook.com instagram.com'), path: /^/, targets: ['u'] },
  { site: facebook, path: /^\/+l\.php$/, targets: ['u'] },
  { site: on('@ www m', 'youtube.com'), path: /^\/+redirect$/, targets: ['q'] },
  { site: on('out', 'reddit.com'), path: /^/, targets: ['url'] },
  { site: on('@ www html lite', 'duckduckgo.com'), path: /^\/+l\/*$/, targets: ['uddg'] },
  { site: on('link', 'zhihu.com'), path: /^/, targets: ['target'] },
  { site: on('@ www', 'steamcommunity.com'), path: /^\/+linkfilter/, targets: ['url', 'u'] },
];
/** Each names where the path contains the target. */
const caches: { site: Site; path: RegExp }[] = [
  // https://www.google.com/amp/s/news.example/story
  { site: googleSearch, path: /^\/+amp\/+(s\/+)?(.+)$/ },
  // https://a-b.cdn.ampproject.org/c/s/a.b/story
  { site: on(/^(?:[a-z0-9-]+\.)?cdn$/, 'ampproject.org'), path: /^\/+[a-z]{1,3}\/+(s\/+)?(.+)$/ },
  // https://a-b.bing-amp.com/c/s/a.b/story
  { site: on(/^[a-z0-9-]*$/, 'bing-amp.com'), path: /^\/+[a-z]{1,3}\/+(s\/+)?(.+)$/ },
];

/** The pages that the address of an AMP cache or of a redirect contains; none for other addresses. */
export function redirectTargets({ hostname, pathname, search, searchParams }: URL): URL[] {
  const host = splitHost(hostname.replace(/\.$/, ''));
  const cache = caches.find(({ site, path }) => site(host) && path.test(pathname));
  const [, secure, page] = cache?.path.exec(pathname) ?? [];
  if (page?.includes('.')) return pages([`${secure ? 'https' : 'http'}://${page}${search}`]);
  const redirect = redirects.find(({ site, path }) => site(host) && path.test(pathname));
  return pages((redirect?.targets ?? []).flatMap((name) => searchParams.getAll(name)));
}

/** Each page once. Who logs in does not matter for where a link leads. */
function pages(texts: string[]): URL[] {
  const found = new Map<string, URL>();
  for (const text of texts) {
    const url = parseUrl(text);
    if (!url || !/^https?:$/.test(url.protocol) || !url.hostname.includes('.')) continue;
    url.username = '';
    url.password = '';
    found.set(url.href, url);
  }
  return [...found.values()];
}
