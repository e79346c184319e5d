import { parse as parseHost } from 'tldts';

/** A host, as its registrable domain and the labels before that. */
type Host = { domain: string | null; labels: string };

/** `google.*`: under the endings of countries, as most of a company's domains are. */
const COUNTRY_ENDING = /^([a-z0-9-]+)\.(?:com|cat|(?:com?\.)?[a-z]{2})$/;

export function splitHost(name: string): Host {
  const { domain, subdomain } = parseHost(name.replace(/\.$/, ''), { validateHostname: false });
  return { domain, labels: subdomain ?? '' };
}

/**
 * Whether a host is one of a site's. So `google.attacker.example` is not Google's, and
 * `minstagram.com` is not Instagram's.
 */
export type Site = (host: Host) => boolean;

/** `wanted`: the labels that count, separated by spaces, `@` for none; or what they look like. */
export function on(wanted: string | RegExp, domains: string): Site {
  const named = new Set(domains.split(' '));
  const known = new Set(typeof wanted === 'string' ? wanted.split(' ') : []);
  return ({ domain, labels }) => {
    if (domain === null) return false;
    if (!named.has(domain) && !named.has(domain.replace(COUNTRY_ENDING, '$1.*'))) return false;
    return typeof wanted === 'string' ? known.has(labels || '@') : wanted.test(labels);
  };
}

/** A site that shows one page under several addresses. */
type Rule = {
  sites: Site[];
  /** The site's canonical host; a pattern: this part of the host is left out. */
  host?: string | RegExp;
  /** Parameters, or parameters with their value, that do not tell pages apart; `keeps`: all others. */
  drops?: string;
  keeps?: string;
  /** Host, path and query of a page, without what is dropped, and its canonical path and query. */
  pages?: [RegExp, (...found: string[]) => string][];
};

const rules: Rule[] = [
  {
    sites: [on('@ m music gaming', 'youtube.com youtube-nocookie.com'), on('@', 'youtu.be')],
    host: 'youtube.com',
    drops: 'feature app ab_channel pp',
    pages: [
      [/^youtu\.be\/([^/?]+).*/, (_, video) => `/watch?v=${video}`],
      [/^[^/]+\/watch\b.*[?&]v=([^&]+).*/, (_, video) => `/watch?v=${video}`],
      [/^[^/]+\/(?:watch|shorts|embed|live|v|e)\/([^/?]+).*/, (_, video) => `/watch?v=${video}`],
      [/^[^/]+\/playlist\?(?:.*&)?(list=[^&]+).*/, (_, list) => `/playlist?${list}`],
    ],
  },
  {
    sites: [
      on('@ m mobile', 'twitter.com x.com'),
      // Mirrors have any labels: `d.fxtwitter.com`.
      on(
        /^[a-z0-9.-]*$/,
        'vxtwitter.com fxtwitter.com fixupx.com fixvx.com twittpr.com xcancel.com nitter.net',
      ),
    ],
    host: 'x.com',
    drops: 's t lang cxt',
    pages: [
      // The id alone identifies the post; the author is not needed.
      [/^[^/]+\/[^?]+?\/status(?:es)?\/(\d+).*/, (_, id) => `/i/status/${id}`],
      [/^[^/]+(\/[^/?]+)(\?.*)?$/, (_, user, query = '') => user.toLowerCase() + query],
    ],
  },
  {
    sites: [on('@ smile m', 'amazon.*')],
    host: /^(?:smile|m)\./,
    drops:
      'tag ref ref_ qid sr crid sprefix dib dib_tag psc linkcode linkid camp creative ascsubtag ' +
      'pf_rd_r pf_rd_p',
    pages: [
      [
        /^[^?]*?\/(?:dp|gp\/product|gp\/aw\/d|exec\/obidos\/asin|o\/asin|product)\/([a-z0-9]{10})(?=[/?]|$).*/i,
        (_, product) => `/dp/${product.toUpperCase()}`,
      ],
      [/^[^/]+(\/[^?]*)?\/ref=[^/?]*(.*)/, (_, before = '', after = '') => before + after],
    ],
  },
  {
    sites: [on('@ export ar5iv.labs', 'arxiv.org'), on('@', 'ar5iv.org')],
    host: 'arxiv.org',
    pages: [
      // All versions are one paper.
      [
        /^[^/]+\/(?:abs|pdf|html|format|ps|src)\/((?:[a-z-]+(?:\.[a-z]{2})?\/)?[\d.]+?)(?:v\d+)?(?:\.pdf)?(?:\?.*)?$/i,
        (_, paper) => `/abs/${paper.toLowerCase()}`,
      ],
    ],
  },
  {
    sites: [on('@ old new np i m amp sh', 'reddit.com'), on('@', 'redd.it')],
    host: 'reddit.com',
    drops: 'context rdt share_id',
    pages: [
      [/^redd\.it\/([^/?]+)(?:\?.*)?$/, (_, post) => `/comments/${post.toLowerCase()}`],
      [
        /^[^/]+\/(?:[^?]*?\/)?comments\/([^/?]+)(?:\/[^/?]+\/([^/?]+))?.*/,
        (_, post, comment) => `/comments/${post}${comment ? `/_/${comment}` : ''}`,
      ],
      [/^[^/]+(\/[ru]\/[^/?]+)(\?.*)?$/, (_, place, query = '') => place.toLowerCase() + query],
    ],
  },
  {
    sites: [on('@', 'github.com')],
    drops: 'tab=readme-ov-file',
    pages: [
      [
        /^[^/]+(\/[^/?]+(?:\/[^/?]+?)?)(?:\.git)?(\/[^?]*)?(\?.*)?$/,
        (_, repository, path = '', query = '') => repository.toLowerCase() + path + query,
      ],
    ],
  },
  {
    sites: [
      on(/^[a-z.]*$/, 'stackexchange.com'),
      on(/^(?:[a-z]{2}|meta)?$/, 'stackoverflow.com superuser.com serverfault.com askubuntu.com'),
      on('@', 'mathoverflow.net'),
    ],
    pages: [
      [/^[^/]+\/questions\/\d+\/[^/?]+\/(\d+)(?![^/?]).*/, (_, answer) => `/a/${answer}`],
      [/^[^/]+\/q(?:uestions)?\/(\d+)(?![^/?]).*/, (_, question) => `/questions/${question}`],
      [/^[^/]+\/a\/(\d+)(?![^/?]).*/, (_, answer) => `/a/${answer}`],
    ],
  },
  {
    sites: [
      on(
        /^[a-z-]+(?:\.m)?$/,
        'wikipedia.org wiktionary.org wikiquote.org wikibooks.org wikivoyage.org',
      ),
    ],
    host: /(?<=\.)m\./,
    drops: 'useskin wprov variant',
    // Each variant of written Chinese has its own address.
    pages: [[/^[^/]+\/zh(?:-[a-z]+)?\/(.+)/, (_, title) => `/wiki/${title}`]],
  },
  {
    sites: [on('@ m', 'instagram.com'), on(/^[a-z0-9.-]*$/, 'ddinstagram.com kkinstagram.com')],
    host: 'instagram.com',
    drops: 'hl',
    pages: [[/^[^/]+(?:\/[^/?]+)?\/(?:p|reels?|tv)\/([^/?]+).*/, (_, id) => `/p/${id}`]],
  },
  {
    sites: [on(/^(?:www|m|mbasic|touch|web|[a-z]{2}-[a-z]{2})?$/, 'facebook.com')],
    host: 'facebook.com',
    drops: '__tn__ __cft__[0] rdid share_url sfnsn _rdr ref locale',
  },
  {
    sites: [on('@ m', 'tiktok.com')],
    host: 'tiktok.com',
    pages: [
      [
        /^[^/]+\/(@[^/?]+)\/video\/([^/?]+).*/,
        (_, user, video) => `/${user.toLowerCase()}/video/${video}`,
      ],
    ],
  },
  {
    sites: [on('open', 'spotify.com')],
    pages: [[/^[^/]+(?:\/intl-[^/?]+)?(\/[^?]*).*/, (_, path) => path]],
  },
  {
    sites: [on('@ player', 'vimeo.com')],
    host: 'vimeo.com',
    pages: [[/^player\.[^/]+\/video(\/[^?]+).*/, (_, video) => video]],
  },
  {
    sites: [on('store', 'steampowered.com')],
    pages: [[/^[^/]+(\/(?:app|sub|bundle)\/\d+)(?![^/?]).*/, (_, product) => product]],
  },
  {
    sites: [on('@ dx', 'doi.org')],
    host: 'doi.org',
    pages: [[/^[^/]+(\/[^?]*).*/, (_, doi) => doi.toLowerCase()]],
  },
  { sites: [on('mp.weixin', 'qq.com')], keeps: '__biz mid idx sn' },
  {
    sites: [on('@ m', 'bilibili.com')],
    host: 'bilibili.com',
    drops: 'p=1',
    pages: [
      [
        /^[^/]+(\/video\/[^/?]+)(?:\/[^?]*)?\?(?:.*&)?(p=[^&]+).*/,
        (_, video, part) => `${video}?${part}`,
      ],
      [/^[^/]+(\/video\/[^/?]+).*/, (_, video) => video],
    ],
  },
  { sites: [on(/^[a-z0-9-]*$/, 'medium.com')], drops: 'source sk gi' },
  {
    sites: [on('m', 'twitch.tv soundcloud.com weibo.com douban.com'), on('@ m', 'imdb.com')],
    host: /^m\./,
    drops: 'ref_',
  },
];

/** Changes `url` to the page's canonical address if its site is known. Its host is without `www.`. */
export function applyKnownSite(url: URL): void {
  const host = splitHost(url.hostname);
  const rule = rules.find(({ sites }) => sites.some((site) => site(host)));
  if (!rule) return;
  url.search = withoutDropped(url.search, rule);
  const address = url.hostname + url.pathname + url.search;
  url.hostname =
    typeof rule.host === 'string' ? rule.host : url.hostname.replace(rule.host ?? '', '');
  const [pattern, canonical] = rule.pages?.find(([each]) => each.test(address)) ?? [];
  if (!pattern || !canonical) return;
  const [path = '', query = ''] = address.replace(pattern, canonical).split('?', 2);
  url.pathname = path;
  url.search = query;
  url.hash = '';
}

/** Does not use `URLSearchParams`, which would encode the remaining parameters again. */
function withoutDropped(search: string, { drops = '', keeps }: Rule): string {
  const named = new Set((keeps ?? drops).split(' '));
  const isNamed = (part: string): boolean =>
    named.has(part.toLowerCase()) || named.has(part.split('=')[0]!.toLowerCase());
  const parts = search.slice(1).split('&');
  return parts.filter((part) => isNamed(part) === (keeps !== undefined)).join('&');
}
