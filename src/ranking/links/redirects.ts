import { parseUrl } from '../../url.ts';
import { facebook, googleAny, googleSearch, splitHost, on, type Site } from './host-match.ts';

/** Sites that redirect, with the parameters that can contain the target. */
const redirects: { site: Site; path: RegExp; targets: string[] }[] = [
  {
    site: googleAny,
    path: /^\/+(?:url|scholar_url|imgres|aclk|translate|website)$/,
    targets: ['q', 'url', 'imgrefurl', 'imgurl', 'adurl', 'u'],
  },
  { site: on('@ www', 'googleadservices.com'), path: /^\/+pagead\/+aclk$/, targets: ['adurl'] },
  {
    site: on('l lm', 'facebook.com instagram.com threads.com threads.net messenger.com'),
    path: /^/,
    targets: ['u'],
  },
  { site: facebook, path: /^\/+(?:l\.php|flx\/+warn\/*)$/, targets: ['u'] },
  {
    site: on('@ www', 'linkedin.com'),
    path: /^\/+(?:redir\/+redirect|safety\/+go)\/*$/,
    targets: ['url'],
  },
  { site: on('@ m www away', 'vk.com vk.ru'), path: /^\/+away(?:\.php)?$/, targets: ['to'] },
  { site: on('t', 'umblr.com'), path: /^\/+redirect$/, targets: ['z'] },
  { site: on('@', 'medium.com'), path: /^\/+r\/*$/, targets: ['url'] },
  { site: on('@ www', 'slack-redir.net'), path: /^\/+link$/, targets: ['url'] },
  { site: on(/^[a-z0-9]+\.safelinks\.protection$/, 'outlook.com'), path: /^/, targets: ['url'] },
  { site: on('@ www', 'weibo.cn'), path: /^\/+sinaurl$/, targets: ['u', 'toasturl'] },
  { site: on('link', 'csdn.net juejin.cn zhihu.com'), path: /^/, targets: ['target'] },
  { site: on('@ www m', 'youtube.com'), path: /^\/+redirect$/, targets: ['q'] },
  { site: on('out', 'reddit.com'), path: /^/, targets: ['url'] },
  { site: on('@ www html lite', 'duckduckgo.com'), path: /^\/+l\/*$/, targets: ['uddg'] },
  { site: on('@ www', 'steamcommunity.com'), path: /^\/+linkfilter/, targets: ['url', 'u'] },
  { site: on('l', 'wl.co'), path: /^\/+l$/, targets: ['u'] },
  { site: on('@', 't.me telegram.me'), path: /^\/+iv$/, targets: ['url'] },
  { site: on('@', 'exit.sc gate.sc'), path: /^/, targets: ['url'] },
  { site: on('@ www', 'pinterest.com'), path: /^\/+offsite\/*$/, targets: ['url'] },
  { site: on('@ www', 'getpocket.com'), path: /^\/+redirect$/, targets: ['url'] },
  { site: on('@ www', 'douban.com'), path: /^\/+link2\/*$/, targets: ['url'] },
  { site: on('c.pc', 'qq.com'), path: /^/, targets: ['pfurl', 'url'] },
  { site: on('go', 'skimresources.com'), path: /^/, targets: ['url'] },
  { site: on('click', 'linksynergy.com'), path: /^/, targets: ['murl'] },
  { site: on('@ www', 'awin1.com'), path: /^\/+cread\.php$/, targets: ['ued'] },
];

/** AMP caches. The last part of the path is the target, and the part before it stands for https. */
const caches: { site: Site; path: RegExp }[] = [
  // https://www.google.com/amp/s/news.example/story
  { site: googleSearch, path: /^\/+amp\/+(s\/+)?(.+)$/ },
  // https://a-b.cdn.ampproject.org/c/s/a.b/story
  { site: on(/^(?:[a-z0-9-]+\.)?cdn$/, 'ampproject.org'), path: /^\/+[a-z]{1,3}\/+(s\/+)?(.+)$/ },
  // https://a-b.bing-amp.com/c/s/a.b/story
  { site: on(/^[a-z0-9-]*$/, 'bing-amp.com'), path: /^\/+[a-z]{1,3}\/+(s\/+)?(.+)$/ },
];

/** Sites that write the target in a way of their own. */
const others: { site: Site; targets(url: URL): string[] }[] = [
  // https://href.li/?https://news.example/story
  {
    site: on('@ www', 'href.li anonym.to anon.to nullrefer.com'),
    targets: ({ search }) => [search.slice(1), ...new URLSearchParams(search).keys()],
  },
  // https://urldefense.com/v3/__https://news.example/story__;!!abc
  {
    site: on('@ www', 'urldefense.com urldefense.us'),
    targets: ({ pathname, search }) => {
      const [, page = ''] = /^\/+v3\/+__(.*)$/.exec(`${pathname}${search}`) ?? [];
      // Mail programs can make one of the two slashes after the scheme.
      return [(page.split('__')[0] ?? '').replace(/^(https?:\/)(?!\/)/, '$1/')];
    },
  },
  // https://urldefense.proofpoint.com/v2/url?u=https-3A__news.example_story
  {
    site: on('urldefense', 'proofpoint.com'),
    targets: ({ searchParams }) =>
      searchParams.getAll('u').flatMap((u) => {
        const escaped = u.replaceAll('-', '%').replaceAll('_', '/');
        return [u, ...new URLSearchParams(escaped).keys()];
      }),
  },
  // https://disq.us/url?url=https%3A%2F%2Fnews.example%2Fstory%3Asignature
  {
    site: on('@', 'disq.us'),
    targets: ({ searchParams }) =>
      searchParams.getAll('url').map((page) => page.replace(/:[\w-]+$/, '')),
  },
  // https://r.search.yahoo.com/_ylt=A/RV=2/RU=https%3a%2f%2fnews.example%2fstory/RK=2
  {
    site: on(/(?:^|\.)search$/, 'yahoo.com'),
    targets: ({ pathname }) => {
      const [, page = ''] = /\/RU=([^/]+)/.exec(pathname) ?? [];
      return new URLSearchParams(`page=${page}`).getAll('page');
    },
  },
  // https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9uZXdzLmV4YW1wbGUv
  {
    site: on('@ www cn', 'bing.com'),
    targets: ({ pathname, searchParams }) =>
      /^\/+ck\/+a$/.test(pathname)
        ? searchParams.getAll('u').map((u) => Buffer.from(u.slice(2), 'base64url').toString())
        : [],
  },
  // https://www-news-example.translate.goog/story: a dot is a dash, and a dash is two.
  {
    site: on(/^[a-z0-9-]+$/, 'translate.goog'),
    targets: ({ hostname, pathname, search }) => {
      const host = hostname.split('.')[0]!.replace(/--|-/g, (dash) => (dash === '-' ? '.' : '-'));
      return [`https://${host}${pathname}${search}`];
    },
  },
  // https://twitter.com/#!/somebody
  {
    site: on('@ www m mobile', 'twitter.com x.com'),
    targets: ({ hash }) => (hash.startsWith('#!/') ? [`https://x.com${hash.slice(2)}`] : []),
  },
];

/** The pages that the address of an AMP cache or of a redirect contains; none for other addresses. */
export function redirectTargets(url: URL): URL[] {
  const { hostname, pathname, search, searchParams, hash } = url;
  const host = splitHost(hostname.replace(/\.$/, ''));
  const other = others.find(({ site }) => site(host));
  if (other) return pages(other.targets(url));
  const cache = caches.find(({ site, path }) => site(host) && path.test(pathname));
  const [, secure, page] = cache?.path.exec(pathname) ?? [];
  if (page?.includes('.')) {
    const target = page.replace(/^([^/%]+)%2f/i, '$1/');
    return pages([`${secure ? 'https' : 'http'}://${target}${search}${hash}`]);
  }
  const redirect = redirects.find(({ site, path }) => site(host) && path.test(pathname));
  return pages((redirect?.targets ?? []).flatMap((name) => searchParams.getAll(name)));
}

/** `r.jina.ai` and `12ft.io` show a page as it is now, the others as it was. */
const archives = [
  on('web', 'archive.org'),
  on('@ www', 'archive.ph archive.today archive.is archive.li archive.md archive.fo archive.vn'),
  on('r', 'jina.ai'),
  on('@ www', '12ft.io'),
];

/** The page of which an archive's page is a copy: https://web.archive.org/web/2020/https://news.example/ */
export function copiedPages({ hostname, pathname }: URL): URL[] {
  const host = splitHost(hostname.replace(/\.$/, ''));
  if (!archives.some((site) => site(host))) return [];
  const path = pathname.replace(/%(?:2f|3a)/gi, decodeURIComponent);
  // The page's host is the first part with a dot; archives need no scheme before it.
  const at = path.search(/(?<=\/)[^/.]+\./);
  return at < 0 ? [] : pages([`https://${path.slice(at)}`]);
}

/** Each page once, without user name and password, which do not change where a link leads. */
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
