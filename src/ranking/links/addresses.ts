import { parseUrl } from '../../runtime/url.ts';
import { siteForm } from './canonical.ts';
import { on, type Site, splitHost } from './known-sites.ts';
import { isBelowPublicSuffix } from './parse.ts';
import { caches, findWay, redirects, type Way } from './redirects.ts';

/** Archives, proxies and caches in whose path the page stands, with or without a scheme. */
const archives: Way[] = [
  { site: on('@ www', 'archive.org'), path: /^\/+(?:web|save)\b/ },
  { site: on('web web-beta wayback', 'archive.org'), path: /^/ },
  { site: on('@ www', 'archive.ph archive.today archive.is archive.li archive.md'), path: /^/ },
  { site: on('@ www', 'archive.fo archive.vn ghostarchive.org megalodon.jp'), path: /^/ },
  { site: on('@ www', 'arquivo.pt'), path: /^\/+(?:wayback|noframe)/i },
  { site: on('webarchive', 'nationalarchives.gov.uk loc.gov nla.gov.au'), path: /^/ },
  { site: on('@ www', 'webarchive.org.uk vefsafn.is'), path: /^/ },
  { site: on('wayback', 'archive-it.org'), path: /^/ },
  { site: on('swap', 'stanford.edu'), path: /^/ },
  { site: on('timetravel', 'mementoweb.org'), path: /^/ },
  // These show it as it is now.
  { site: on('@ www', '12ft.io 1ft.io freedium.cfd outline.com corsproxy.io smry.ai'), path: /^/ },
  { site: on('@ www', 'removepaywall.com removepaywalls.com leiaisso.net txtify.it'), path: /^/ },
  { site: on('cors-anywhere', 'herokuapp.com'), path: /^/ },
  { site: on('proxy', 'cors.sh'), path: /^/ },
  { site: on('thingproxy', 'freeboard.io'), path: /^/ },
  { site: on('@ www', 'crossorigin.me'), path: /^/ },
  // Pictures of pages.
  { site: on('image', 'thum.io'), path: /^/ },
  { site: on('s s0', 'wordpress.com wp.com'), path: /^\/+mshots/ },
  { site: on('r s', 'jina.ai'), path: /^/ },
  // https://ipfs.io/ipns/news.example/story, at any gateway.
  { site: () => true, path: /^\/+ipns\// },
  { site: on('@ www', 'steamcommunity.com'), path: /^\/+linkfilter/ },
  // These hide where a reader comes from: https://href.li/?news.example/story
  { site: on('jump', 'megabbs.info 5ch.net 2ch.net'), path: /^/ },
  { site: on('@ www', 'href.li anonym.to anon.to nullrefer.com dereferer.me'), path: /^/ },
  { site: on('@ www', 'deviantart.com'), path: /^\/+users\/+outgoing/ },
  { site: on('@ www', 'pixiv.net'), path: /^\/+jump/ },
  { site: on('@ www', 'pinktower.com'), path: /^/ },
  // Affiliates': https://www.anrdoezrs.net/links/1/type/dlg/news.example/story
  { site: on('@ www', 'anrdoezrs.net dpbolvw.net jdoqocy.com kqzyfj.com tkqlhce.com'), path: /^/ },
  // WordPress's cache of pictures: https://i0.wp.com/news.example/picture.jpg
  { site: on('i0 i1 i2 i3', 'wp.com'), path: /^/ },
  // Discord's: https://images-ext-1.discordapp.net/external/hash/https/news.example/picture.jpg
  { site: on(/^(?:images-ext-\d+|media)$/, 'discordapp.net'), path: /^\/+external/ },
  // Postmark's: https://click.pstmrk.it/3s/news.example%2Fstory/id
  { site: on('click track', 'pstmrk.it'), path: /^/ },
  // https://translated.turbopages.org/proxy_u/en-ru.ru.1/https/news.example/story
  { site: on(/^/, 'turbopages.org'), path: /^/ },
  { site: on('@ www', 'yandex.com yandex.ru'), path: /^\/+turbo/ },
  { site: on('@ www', 'bing.com'), path: /^\/+amp/ },
  { site: on('news', 'google.com'), path: /^\/+amp/ },
  { site: on(/^(?:[a-z0-9-]+\.)?amp$/, 'cloudflare.com'), path: /^/ },
];

/** Translators, proxies and caches that take the page as a parameter, with or without a scheme. */
const proxies: Way[] = [
  { site: on('translate', 'google.*'), path: /^/ },
  { site: on('@ www', 'google.*'), path: /^\/+translate/ },
  { site: on(/^/, 'googleusercontent.com'), path: /^/ },
  { site: on('docs', 'google.com'), path: /^\/+g?view/ },
  { site: on('view.officeapps', 'live.com'), path: /^/ },
  { site: on(/^/, 'translatetheweb.com microsofttranslator.com'), path: /^/ },
  { site: on('@ www', 'bing.com'), path: /^\/+translator/ },
  { site: on('cc', 'bingj.com'), path: /^/ },
  { site: on('translate', 'yandex.com yandex.ru baidu.com sogou.com'), path: /^/ },
  { site: on('@ www', 'yandex.com yandex.ru'), path: /^\/+(?:turbo|clck)/ },
  { site: on('hghltd', 'yandex.net'), path: /^/ },
  { site: on('fanyi', 'baidu.com'), path: /^/ },
  { site: on('papago', 'naver.net naver.com'), path: /^/ },
  { site: on('@ www', '12ft.io 1ft.io corsproxy.io smry.ai wsrv.nl'), path: /^/ },
  { site: on('@ www', 'removepaywall.com removepaywalls.com printfriendly.com'), path: /^/ },
  { site: on('images', 'weserv.nl'), path: /^/ },
  { site: on('api', 'allorigins.win codetabs.com'), path: /^/ },
  { site: on('external-content proxy', 'duckduckgo.com'), path: /^\/+iu/ },
  { site: on('@ www m away', 'vk.com vk.ru'), path: /^\/+away/ },
  // These put a scheme before what has none.
  { site: on('@ www', 'disq.us slack-redir.net exit.sc cachedview.com'), path: /^/ },
  { site: on('jsonp', 'afeld.me'), path: /^/ },
  { site: on('@ www', 't.me telegram.me'), path: /^\/+iv\b/ },
  { site: on('@ www', 'w3.org'), path: /^\/+services\/+html2txt/ },
  { site: on('@ www', 'pixiv.net'), path: /^\/+jump/ },
  { site: on('@ www', 'weibo.cn'), path: /^\/+sinaurl/ },
  { site: on('@ www', 'douban.com'), path: /^\/+link2/ },
  { site: on('c.pc', 'qq.com'), path: /^/ },
  { site: on('web', 'archive.org'), path: /^/ },
  { site: on('@ www', 'archive.org'), path: /^\/+wayback/ },
  { site: on('@ www', 'archive.ph archive.today archive.is archive.li archive.md'), path: /^/ },
  { site: on('@ www', 'archive.fo archive.vn ghostarchive.org'), path: /^/ },
];

/**
 * Redirects besides the known ones, whose one purpose is to lead elsewhere. Whether one of them follows a target
 * without a scheme or refuses it, nobody has another reason to give it one.
 */
const otherRedirects: Way[] = [
  { site: on('@ www', 'google.*'), path: /^\/+(?:url|interstitial)\b/ },
  { site: on('scholar', 'google.*'), path: /^\/+scholar_url/ },
  { site: on('@ www', 'googleadservices.com'), path: /^/ },
  { site: on(/^/, 'doubleclick.net'), path: /^/ },
  { site: on('@ www m', 'facebook.com'), path: /^\/+(?:l|flx\/warn)\b/ },
  { site: on('@ www', 'linkedin.com'), path: /^\/+(?:redir|safety|slink)\b/ },
  { site: on('@ www', 'getpocket.com'), path: /^\/+redirect/ },
  { site: on('go', 'skimresources.com'), path: /^/ },
  { site: on('redirect', 'viglink.com'), path: /^/ },
  { site: on('@ www', 'shareasale.com awin1.com prf.hn'), path: /^/ },
  { site: on('click', 'linksynergy.com'), path: /^/ },
  { site: on('@ www', 'anrdoezrs.net dpbolvw.net jdoqocy.com kqzyfj.com tkqlhce.com'), path: /^/ },
  { site: on('@ www blog', 'csdn.net'), path: /^\/+redirect/ },
  { site: on('@ www', 'jianshu.com'), path: /^\/+go/ },
  { site: on('@ www', 'sspai.com gitee.com'), path: /^\/+link$/ },
  { site: on('jump jump2', 'bdimg.com'), path: /^/ },
  { site: on('tieba', 'baidu.com'), path: /^\/+mo\/+q\/+checkurl/ },
  { site: on('ref', 'gamer.com.tw'), path: /^/ },
  { site: on('@ www', 'nowtice.net'), path: /^\/+jump/ },
];

/** Sites that spell the target in a way of their own. */
const spellings: { site: Site; targets(url: URL): string[] }[] = [
  // https://urldefense.proofpoint.com/v2/url?u=https-3A__news.example_story
  {
    site: on('urldefense', 'proofpoint.com'),
    targets: ({ search }) => [search.replaceAll('-', '%').replaceAll('_', '/')],
  },
  { site: on('@ www', 'urldefense.com urldefense.us'), targets: withSignsPutBack },
  // https://www-news-example.translate.goog/story: a dot is a dash, and a dash is two.
  {
    site: on(/^[a-z0-9-]+$/, 'translate.goog'),
    targets: ({ hostname, pathname, searchParams }) => {
      const name = `${searchParams.get('_x_tr_hp') ?? ''}${hostname.split('.', 1)[0]}`;
      const host = name.replace(/^1-/, '').replace(/\b-\b/g, '.').replaceAll('--', '-');
      // The zero stands for the beginning of a name in punycode.
      return [host, host.replace(/^0\./, 'xn--')].map((each) => `https://${each}${pathname}`);
    },
  },
  // https://news-example.ipns.dweb.link/story, at any gateway of IPFS.
  {
    site: ({ labels }) => labels.includes('ipns'),
    targets: ({ hostname, pathname }) => {
      const [name = ''] = hostname.split('.ipns.', 1);
      const host = name.includes('.') ? name : name.replace(/\b-\b/g, '.').replaceAll('--', '-');
      return [`https://${host}${pathname}`];
    },
  },
];

/** How many signs `**A`, `**B` and so on stand for, from two on. */
const RUNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** https://urldefense.com/v3/__https:**Anews.example*story__;Ly8v!!key: the signs stand in Base64 behind. */
function withSignsPutBack({ href }: URL): string[] {
  const from = href.indexOf('__') + 2;
  const to = href.indexOf('__;', from);
  if (to < 0) return [];
  const [encoded = ''] = href.slice(to + 3).split('!', 1);
  const signs = Array.from(Buffer.from(encoded, 'base64url').toString());
  const putBack = (_: string, run?: string) =>
    signs.splice(0, run === undefined ? 1 : RUNS.indexOf(run) + 2).join('');
  return [href.slice(from, to).replace(/\*(?:\*([\w-]))?/g, putBack)];
}

/** `http:` and `https:` in Base64, behind so many bytes of a group of three, and what makes that group whole. */
const IN_BASE64: [begins: RegExp, before: string][] = [
  [/aHR0c(?:D[op]|HM6)[\w+-]*([\w+/-]*)/g, ''],
  [/(?<=[GWm2])h0dH(?:A6|BzO[il])[\w+-]*([\w+/-]*)/g, 'AG'],
  [/odHRw(?:O[il]|cz[op])[\w+-]*([\w+/-]*)/g, 'AAB'],
];

/**
 * The targets that trackers, Bing and Google's news write in Base64, by themselves or within JSON, and what
 * follows them.
 */
function targetsInBase64(text: string): string[] {
  return IN_BASE64.flatMap(([begins, before]) =>
    [...text.matchAll(begins)].flatMap(([whole, behind = '']) =>
      // A slash is a sign of Base64, and ends a part of a path.
      [...new Set([whole.slice(0, whole.length - behind.length), whole])].map((encoded) =>
        Buffer.from(before + encoded, 'base64').toString(),
      ),
    ),
  );
}

/**
 * The addresses at which a link is looked at, those that it contains among them. An honest link has a
 * handful. The work for each is bounded, so that no link costs more than it is long.
 */
export const ADDRESSES_AT_MOST = 100;
/** A host and the path that a block can name are shorter. */
const LOOKED_AT = 300;
/** A part that is written in another spelling is a text of its own, in which addresses can stand. */
const TEXTS_AT_MOST = 8;

/**
 * Every address that a link can have on its way: as it was given, those that it contains, such as the
 * target of a redirect or the page that an archive copied, and each of these under the site's own host
 * and in the form of its site. Any site can redirect, so each address counts, wherever it stands and
 * however often it is escaped, in each spelling that browsers follow: `https://host`, `https:host`,
 * `//host`, and with backslashes. Null for a link with too many to judge. `onLook` is called for each
 * address that is looked at, which is what a link costs.
 */
export function addressesOf(link: URL, onLook: () => void = () => {}): Set<string> | null {
  const addresses = new Set<string>();
  const texts = new Set([link.href]);
  let looked = 0;
  for (const text of texts) {
    const plainText = plain(text);
    // Positions are visited once each, so that addresses within addresses do not multiply.
    const starts = new Set(startsIn(plainText));
    for (const target of targetsInBase64(plainText)) texts.add(target);
    for (const start of starts) {
      looked += 1;
      onLook();
      if (looked > ADDRESSES_AT_MOST) return null;
      // Of the link itself it is known what is escaped and where it ends.
      const isLink = text === link.href && start === 0;
      const written = isLink ? plainText : plainText.slice(start, start + LOOKED_AT);
      const whole = isLink ? link : page(`https://${withoutScheme(written)}`);
      for (const url of isLink ? [link] : pagesAt(written)) addForms(addresses, url);
      if (whole === null) continue;
      for (const at of startsOfCopies(whole, written)) starts.add(start + at);
      for (const target of targetsOf(whole)) texts.add(target);
      if (texts.size > TEXTS_AT_MOST) return null;
    }
  }
  return addresses;
}

function addForms(addresses: Set<string>, url: URL): void {
  if (addresses.has(url.href)) return;
  addresses.add(url.href);
  const form = siteForm(url);
  // The form of the site can leave a part out that is judged, such as the author of a post.
  const moved = new URL(url);
  moved.hostname = form.hostname;
  addresses.add(moved.href);
  addresses.add(form.href);
}

function targetsOf(url: URL): string[] {
  const host = splitHost(url.hostname);
  return spellings.find(({ site }) => site(host))?.targets(url) ?? [];
}

/** After a scheme, with any number of slashes, or at the beginning of a value with two of them. */
const beginnings = /https?:|(?<=[=?#&][\0- +]{0,8})[\\/]{2}/gi;

function* startsIn(text: string): Generator<number> {
  for (const { index } of text.matchAll(beginnings)) yield index;
}

/** Of parameters; prf.hn's is a part of the path. */
const valuesBegin = /[?&][^?=&#]*=(?:cache:(?:[\w-]*:)?|ssl:)?|\/destination:/g;

/**
 * Where the page stands in the address of a cache, an archive, a translator, a proxy or a redirect, if it has no
 * scheme there: the first part of the path with a dot, or a value with one.
 */
function startsOfCopies(url: URL, written: string): number[] {
  // Both are looked for in the text, behind the host.
  const after = /^(?:https?:)?[\\/]*[^\\/?#]*/i.exec(written)![0].length;
  const rest = written.slice(after);
  const starts: number[] = [];
  if (findWay([...caches, ...archives], url) !== undefined) {
    for (const { index, 0: part } of rest.matchAll(/(?<=[\\/?])[^\\/?#&=]+/g)) {
      if (!leadsSomewhere(part)) continue;
      starts.push(after + index);
      break;
    }
  }
  if (findWay([...proxies, ...redirects, ...otherRedirects], url) !== undefined) {
    // webcache's `q=cache:key:host/path` stands behind colons, and weserv's `url=ssl:host/path`.
    for (const { index, 0: name } of rest.matchAll(valuesBegin)) {
      starts.push(after + index + name.length);
    }
  }
  return starts;
}

/** Whether a part of a path is a host, such as `news.example:80`, and no `en-ru.ru.1` or `index.html`. */
function leadsSomewhere(part: string): boolean {
  const host = part.includes('.')
    ? page(`https://${part}`)?.hostname.replace(/\.$/, '')
    : undefined;
  return host !== undefined && isBelowPublicSuffix(host);
}

/** The address at the beginning of a text without its query, and cut where a value would end. */
function pagesAt(text: string): URL[] {
  const bare = withoutScheme(text);
  const [path = ''] = /^[^?#\s]*/.exec(bare) ?? [];
  const [value = ''] = path.split('&', 1);
  // Some sites part values by other signs, which no host has.
  const [host = ''] = value.replace(/^['"([{]+/, '').split(/[;,'"(){}[\]|$!*]/, 1);
  return [...new Set([path, value, host])].flatMap((each) => page(`https://${each}`) ?? []);
}

function withoutScheme(text: string): string {
  return text.replace(/^(?:https?:)?[\\/]*/i, '');
}

/** Without user name and password, which do not change where a link leads. */
function page(text: string): URL | null {
  // Disqus writes a signature after a colon.
  const url = parseUrl(text) ?? parseUrl(text.replace(/:[\w-]*$/, ''));
  if (!url || !url.hostname.includes('.')) return null;
  url.username = '';
  url.password = '';
  return url;
}

/** Without the escapes of ASCII characters, also where they are escaped again, and as browsers read it. */
function plain(text: string): string {
  return text
    .replace(/%(?:25)*([0-7][0-9a-f])/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/[\t\n\r]/g, '');
}
