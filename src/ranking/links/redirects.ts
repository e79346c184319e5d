import { parseUrl } from '../../url.ts';

/** The target page of an AMP cache or of a redirect whose address contains it; null for others. */
export function withoutRedirect(url: URL): URL | null {
  const { hostname, pathname, searchParams } = url;
  const host = hostname.replace(/^www\./, '');
  // https://www.google.com/amp/s/news.example/story, https://a-b.cdn.ampproject.org/c/s/a.b/story
  const cache = /^google\.[a-z.]+$/.test(host)
    ? /^\/amp\/(s\/)?(.+)$/.exec(pathname)
    : host.endsWith('.cdn.ampproject.org')
      ? /^\/[a-z]{1,2}\/(s\/)?(.+)$/.exec(pathname)
      : null;
  if (cache?.[2]?.includes('.')) {
    return asPage(`${cache[1] ? 'https' : 'http'}://${cache[2]}${url.search}`);
  }
  const target = targetOf(host, pathname);
  return target === null ? null : asPage(searchParams.get(target) ?? '');
}

/** The parameter that contains a redirect's target; null if the address is not a redirect. */
function targetOf(host: string, path: string): string | null {
  if (/^google\.[a-z.]+$/.test(host) && path === '/url') return 'q';
  if (/^l[m]?\.(?:facebook|instagram)\.com$/.test(host)) return 'u';
  if (host === 'youtube.com' && path === '/redirect') return 'q';
  if (host === 'out.reddit.com') return 'url';
  if (host === 'duckduckgo.com' && path.startsWith('/l/')) return 'uddg';
  if (host === 'link.zhihu.com') return 'target';
  if (host === 'steamcommunity.com' && path.startsWith('/linkfilter')) return 'url';
  return null;
}

function asPage(text: string): URL | null {
  const url = parseUrl(text);
  const isPage = url !== null && /^https?:$/.test(url.protocol) && url.hostname.includes('.');
  return isPage && url.username === '' && url.password === '' ? url : null;
}
