import { parseUrl } from '../../url.ts';
import { googleSearch, hostOf, on, type Site } from './host-match.ts';

/** Each names the parameter that contains the target. */
const redirects: { site: Site; path: RegExp; target: string }[] = [
  { site: googleSearch, path: /^\/url$/, target: 'q' },
  { site: on('l lm', 'facebook.com instagram.com'), path: /^/, target: 'u' },
  { site: on('@ www', 'youtube.com'), path: /^\/redirect$/, target: 'q' },
  { site: on('out', 'reddit.com'), path: /^/, target: 'url' },
  { site: on('@ www', 'duckduckgo.com'), path: /^\/l\//, target: 'uddg' },
  { site: on('link', 'zhihu.com'), path: /^/, target: 'target' },
  { site: on('@ www', 'steamcommunity.com'), path: /^\/linkfilter/, target: 'url' },
];
/** Each names where the path contains the target. */
const caches: { site: Site; path: RegExp }[] = [
  // https://www.google.com/amp/s/news.example/story
  { site: googleSearch, path: /^\/amp\/(s\/)?(.+)$/ },
  // https://a-b.cdn.ampproject.org/c/s/a.b/story
  { site: on(/^[a-z0-9-]+\.cdn$/, 'ampproject.org'), path: /^\/[a-z]{1,2}\/(s\/)?(.+)$/ },
];

/** The target page of an AMP cache or of a redirect whose address contains it; null for others. */
export function withoutRedirect({ hostname, pathname, search, searchParams }: URL): URL | null {
  const host = hostOf(hostname.replace(/\.$/, ''));
  const cache = caches.find(({ site, path }) => site(host) && path.test(pathname));
  const [, secure, page] = cache?.path.exec(pathname) ?? [];
  if (page?.includes('.')) return asPage(`${secure ? 'https' : 'http'}://${page}${search}`);
  const redirect = redirects.find(({ site, path }) => site(host) && path.test(pathname));
  return redirect ? asPage(searchParams.get(redirect.target) ?? '') : null;
}

function asPage(text: string): URL | null {
  const url = parseUrl(text);
  const isPage = url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.');
  return isPage && url.username === '' && url.password === '' ? url : null;
}
