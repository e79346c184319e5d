import { parse as parseHost } from 'tldts';
import { siteOfHost } from './other-names.ts';

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

/** A site that shows one page under several addresses. Addresses that no form names are left alone. */
type Rule = {
  /** Without the hosts of `other-names.ts`, which are already the site's own. */
  sites: Site[];
  /** The site's canonical host, for all its addresses; a pattern: this part of the host is left out. */
  host?: string | RegExp;
  /** Parameters, or parameters with their value, in lower case, that nowhere on the site tell pages apart. */
  drops?: string;
  /**
   * The whole path of a page, with its host before and its query behind, both as far as a form needs
   * them; and the page's canonical address, a path if the host stays.
   */
  pages?: [RegExp, (...found: string[]) => string][];
};

/** The end of a form whose query does not tell pages apart, and of one without a query. */
const QUERY = String.raw`\/?(?:\?.*)?$`;

/** A form: its host and path, and then any query. */
function form(path: RegExp): RegExp {
  return new RegExp(`^[^/]+${path.source}${QUERY}`, path.flags);
}

/** These have as many letters as a video's id. */
const VIDEO = /(?!videoseries|live_stream)([\w-]{11})(?![\w-])/.source;

/** The first rule that has the site applies. Each has links in `test/ranking/links/link-pairs.ts`. */
export const knownSites: readonly Rule[] = [
  {
    sites: [on('@ m', 'youtube.com youtube-nocookie.com'), on('@', 'youtu.be')],
    host: 'youtube.com',
    drops:
      'feature app ab_channel pp si embeds_referring_euri embeds_referring_origin source_ve_path',
    pages: [
      [new RegExp(`^youtu\\.be/${VIDEO}${QUERY}`), (_, video) => `/watch?v=${video}`],
      [
        new RegExp(`^[^/]+/watch/?\\?(?:.*&)?v=${VIDEO}(?:&.*)?$`),
        (_, video) => `/watch?v=${video}`,
      ],
      [
        form(new RegExp(`/(?:watch|shorts|embed|live|v|e)/${VIDEO}`)),
        (_, video) => `/watch?v=${video}`,
      ],
      [
        /^[^/]+\/(?:playlist|embed\/videoseries)\/?\?(?:.*&)?(list=[\w-]+)(?:&.*)?$/,
        (_, list) => `/playlist?${list}`,
      ],
    ],
  },
  {
    // Its other pages are its own.
    sites: [on('music gaming', 'youtube.com')],
    drops: 'feature si',
    pages: [
      [
        new RegExp(`^[^/]+/watch/?\\?(?:.*&)?v=${VIDEO}(?:&.*)?$`),
        (_, video) => `youtube.com/watch?v=${video}`,
      ],
      [
        /^[^/]+\/playlist\/?\?(?:.*&)?(list=[\w-]+)(?:&.*)?$/,
        (_, list) => `youtube.com/playlist?${list}`,
      ],
      [form(/\/channel\/(UC[\w-]{22})/), (_, channel) => `youtube.com/channel/${channel}`],
    ],
  },
  {
    sites: [on('@ m mobile', 'x.com')],
    host: 'x.com',
    drops: 's t cxt ref_src',
    pages: [
      // The id alone identifies the post; the author is not needed. Mirrors take a language too.
      [
        form(
          /\/(?:i\/web|\w{1,15})\/status(?:es)?\/(\d+)(?:\/(?:photo|video)\/\d+)?(?:\/[a-z]{2})?(?:\.(?:jpg|mp4))?/,
        ),
        (_, id) => `/i/status/${id}`,
      ],
      [
        /^[^/]+\/(?!search$|home$|explore$|i$)(\w{1,15})\/?(\?.*)?$/,
        (_, user, query = '') => `/${user.toLowerCase()}${query}`,
      ],
    ],
  },
  {
    sites: [on('@ smile m', 'amazon.*')],
    host: /^(?:smile|m)\./,
    drops:
      'tag ref ref_ qid sr crid sprefix dib dib_tag psc linkcode linkid camp creative creativeasin ascsubtag ' +
      'pf_rd_r pf_rd_p pd_rd_i pd_rd_r pd_rd_w pd_rd_wg',
    pages: [
      [
        form(
          /(?:\/-\/[a-z]{2})?(?:\/[^/?]+)?\/(?:dp|gp\/product|gp\/aw\/d|exec\/obidos\/asin|o\/asin|product)\/([a-z0-9]{10})(?:\/ref=[^/?]*|\/[\w-]+-2\d)?/i,
        ),
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
        form(
          /\/(?:abs|pdf|html|format|ps|src)\/(\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?\/\d{7})(?:v\d+)?(?:\.pdf)?/i,
        ),
        (_, paper) => `/abs/${paper.toLowerCase()}`,
      ],
    ],
  },
  {
    sites: [on('@ old new np i m amp sh', 'reddit.com'), on('@', 'redd.it')],
    host: 'reddit.com',
    drops: 'context rdt share_id',
    pages: [
      [/^redd\.it\/([a-z0-9]+)\/?(?:\?.*)?$/i, (_, post) => `/comments/${post.toLowerCase()}`],
      [form(/\/gallery\/([a-z0-9]+)/), (_, post) => `/comments/${post}`],
      [
        form(/(?:\/(?:r|u|user)\/[^/?]+)?\/comments\/([a-z0-9]+)(?:\/[^/?]+(?:\/([a-z0-9]+))?)?/),
        (_, post, comment) => `/comments/${post}${comment ? `/_/${comment}` : ''}`,
      ],
      [/^[^/]+(\/[ru]\/\w+)\/?(\?.*)?$/, (_, place, query = '') => place.toLowerCase() + query],
    ],
  },
  {
    sites: [on('@', 'github.com')],
    drops: 'tab=readme-ov-file',
    pages: [
      [
        /^[^/]+(\/[\w-]+(?:\/[\w.-]+?)?)(?:\.git)?((?:\/[^?]*)?)(\?.*)?$/,
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
      [form(/\/questions\/\d+\/[^/?]+\/(\d+)/), (_, answer) => `/a/${answer}`],
      [form(/\/questions\/(\d+)(?:\/[^/?]+)?/), (_, question) => `/questions/${question}`],
      // The number at the end is of the member who shared it.
      [form(/\/q\/(\d+)(?:\/\d+)?/), (_, question) => `/questions/${question}`],
      [form(/\/a\/(\d+)(?:\/\d+)?/), (_, answer) => `/a/${answer}`],
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
    pages: [
      // Each variant of written Chinese has its own address.
      [
        /^[^/]+\/(?:zh(?:-[a-z]+)?|wiki)\/([^?]+)(.*)$/,
        (_, title, query = '') => `/wiki/${title.replaceAll('%20', '_')}${query}`,
      ],
    ],
  },
  {
    sites: [on('@ m', 'instagram.com')],
    host: 'instagram.com',
    drops: 'hl',
    pages: [
      [
        form(/(?:\/[\w.]+)?\/(?:p|reels?|tv)\/(?!audio$|audio[/?]|videos)([\w-]{3,})/),
        (_, id) => `/p/${id}`,
      ],
    ],
  },
  {
    sites: [on(/^(?:www|m|mbasic|touch|web|[a-z]{2}-[a-z]{2})?$/, 'facebook.com')],
    host: 'facebook.com',
    drops: '__tn__ __cft__%5b0%5d __cft__[0] rdid share_url sfnsn _rdr ref locale',
  },
  {
    sites: [on('@ m', 'tiktok.com')],
    host: 'tiktok.com',
    pages: [
      // The id alone identifies the post.
      [form(/\/@[\w.]*\/(video|photo)\/(\d+)/), (_, kind, id) => `/${kind}/${id}`],
      [form(/\/(?:v|embed(?:\/v\d)?)\/(\d+)(?:\.html)?/), (_, id) => `/video/${id}`],
    ],
  },
  {
    sites: [on('@', 'threads.com')],
    drops: 'xmt slof igshid hl',
    pages: [
      [form(/\/(?:@[\w.]+\/post|t)\/([\w-]+)(?:\/(?:media|embed))?/), (_, id) => `/t/${id}`],
      [/^[^/]+(\/@[\w.]+)\/?(\?.*)?$/, (_, user, query = '') => user.toLowerCase() + query],
    ],
  },
  {
    sites: [on('@', 'bsky.app')],
    drops: 'ref_src ref_url',
    pages: [
      [
        /^[^/]+\/profile\/([^/?]+)(\/[^?]*)?(\?.*)?$/,
        (_, user, path = '', query = '') => `/profile/${user.toLowerCase()}${path}${query}`,
      ],
    ],
  },
  {
    sites: [on('@ touch', 'pixiv.net')],
    host: 'pixiv.net',
    pages: [
      [form(/(?:\/[a-z]{2})?\/(?:artworks|i)\/(\d+)(?:\/\d+)?/), (_, id) => `/artworks/${id}`],
      [
        /^[^/]+\/member_illust\.php\?(?:.*&)?illust_id=(\d+)(?:&.*)?$/,
        (_, id) => `/artworks/${id}`,
      ],
      [/^[^/]+\/(?:en|ja|ko|zh)(\/(?:users|novel|tags)\/.*)$/, (_, path) => path],
    ],
  },
  {
    sites: [on(/^[a-z0-9-]*$/, 'tumblr.com')],
    drops: 'source',
    pages: [
      [
        form(/\/(?:blog\/view\/)?(?!post\/)([\w-]+)\/(\d+)(?:\/[^/?]*)?/),
        (_, user, id) => `tumblr.com/${user}/${id}`,
      ],
      [
        new RegExp(`^([\\w-]+)\\.tumblr\\.com/post/(\\d+)(?:/[^/?]*)?${QUERY}`),
        (_, user, id) => `tumblr.com/${user}/${id}`,
      ],
    ],
  },
  {
    sites: [on('@ m clips', 'twitch.tv')],
    host: /^m\./,
    drops: 'tt_medium tt_content featured filter range sort',
    pages: [
      [new RegExp(`^clips\\.twitch\\.tv/([\\w-]+)${QUERY}`), (_, clip) => `twitch.tv/clip/${clip}`],
      [form(/\/(?:\w+\/)?clip\/([\w-]+)/), (_, clip) => `twitch.tv/clip/${clip}`],
    ],
  },
  {
    sites: [on('@ ptb canary', 'discord.com discordapp.com')],
    host: 'discord.com',
  },
  {
    // The same file, whose signature lasts a day.
    sites: [on('cdn', 'discordapp.com'), on('media', 'discordapp.net')],
    host: 'cdn.discordapp.com',
    drops: 'ex is hm format quality width height animated',
  },
  {
    sites: [on('@ smile m', 'amzn.com')],
    pages: [[form(/\/([a-z0-9]{10})/i), (_, product) => `amazon.com/dp/${product.toUpperCase()}`]],
  },
  {
    sites: [on('open', 'spotify.com')],
    drops: 'si nd context',
    pages: [
      [
        form(
          /(?:\/intl-[a-z-]+)?(?:\/embed)?(\/(?:track|album|artist|playlist|show|episode|user)\/\w+)/,
        ),
        (_, path) => path,
      ],
    ],
  },
  {
    sites: [on('player', 'vimeo.com')],
    pages: [[form(/\/video\/(\d+)/), (_, video) => `vimeo.com/${video}`]],
  },
  {
    sites: [on('store', 'steampowered.com')],
    drops: 'snr',
    pages: [[form(/(\/(?:app|sub|bundle)\/\d+)(?:\/[^/?]+)?/), (_, product) => product]],
  },
  {
    sites: [on('@ dx', 'doi.org')],
    host: 'doi.org',
    pages: [[form(/(\/10\.\d{4,9}(?:\.\d+)*\/[^?]+?)/), (_, doi) => doi.toLowerCase()]],
  },
  {
    sites: [on('mp.weixin', 'qq.com')],
    pages: [
      [
        /^[^/]+\/s\/?\?(?=.*__biz=)(?=.*mid=)(.*)$/,
        (_, query) => `/s?${only(query, '__biz mid idx sn')}`,
      ],
      [form(/\/s\/([\w-]+)/), (_, id) => `/s/${id}`],
    ],
  },
  {
    sites: [on('@ m', 'bilibili.com')],
    host: 'bilibili.com',
    drops: 'p=1',
    pages: [
      [
        /^[^/]+(\/video\/(?:BV\w{10}|av\d+))\/?\?(?:.*&)?(p=\d+)(?:&.*)?$/,
        (_, video, part) => `${video}?${part}`,
      ],
      [form(/(\/video\/(?:BV\w{10}|av\d+))/), (_, video) => video],
    ],
  },
  {
    sites: [on('@', 'b23.tv')],
    pages: [[form(/\/(BV\w{10}|av\d+)/), (_, video) => `bilibili.com/video/${video}`]],
  },
  {
    sites: [on('@', 'wikiwand.com')],
    pages: [
      [
        form(/\/([a-z]{2,3})\/(?:articles\/)?([^/?]+)/),
        (_, language, title) => `${language}.wikipedia.org/wiki/${title.replaceAll('%20', '_')}`,
      ],
    ],
  },
  {
    sites: [on('@', 'nico.ms')],
    pages: [[form(/\/(sm\d+)/), (_, video) => `nicovideo.jp/watch/${video}`]],
  },
  {
    sites: [on('@', 's.team')],
    pages: [[form(/\/a\/(\d+)/), (_, app) => `store.steampowered.com/app/${app}`]],
  },
  {
    // The name before the number is the owner's, which the number alone leads to.
    sites: [on('gist', 'github.com')],
    pages: [[form(/(?:\/[\w-]+)?\/([0-9a-f]{20,40})/), (_, gist) => `/${gist}`]],
  },
  {
    sites: [on('@', 'zhihu.com')],
    pages: [[form(/(?:\/question\/\d+)?(\/answer\/\d+)/), (_, answer) => answer]],
  },
  {
    sites: [on('@', 'qiita.com')],
    pages: [[form(/(?:\/[\w-]+)?(\/items\/[0-9a-f]{20})/), (_, item) => item]],
  },
  {
    sites: [on('@', 'ebay.*')],
    pages: [[form(/\/itm(?:\/[^/?]+)?\/(\d{9,})/), (_, item) => `/itm/${item}`]],
  },
  { sites: [on('play', 'google.com')], drops: 'hl gl pcampaignid referrer' },
  { sites: [on('docs drive', 'google.com')], drops: 'usp pli' },
  { sites: [on('maps.app', 'goo.gl')], drops: 'g_st' },
  { sites: [on(/^[a-z0-9-]*$/, 'medium.com')], drops: 'source sk gi' },
  {
    sites: [on('m', 'soundcloud.com weibo.com douban.com'), on('@ m', 'imdb.com')],
    host: /^m\./,
    drops: 'ref_',
  },
];

/** Parameters, in lower case, that tell a reader's way to a page on these sites, and are ids on others. */
export const ways: readonly [Site, string][] = [
  [on(/^/, 'linkedin.com'), 'trk trkcampaign trackingid refid lipi midtoken midsig trkemail'],
  [on(/^/, 'nytimes.com'), 'smid smtyp referringsource unlocked_article_code'],
  [on(/^/, 'washingtonpost.com'), 'pwapi_token itid'],
  [on(/^/, 'wsj.com barrons.com marketwatch.com'), 'st reflink mod'],
  [on(/^/, 'ft.com'), 'sharetype shareid accesstoken segmentid'],
  [on(/^/, 'bloomberg.com'), 'accesstoken leadsource'],
  [on(/^/, 'theatlantic.com'), 'gift'],
  [on(/^/, 'zeit.de'), 'freebie'],
  [on(/^/, 'lemonde.fr'), 'lmd_medium lmd_campaign lmd_creation lmd_source lmd_email_articles'],
  [on(/^/, 'nikkei.com'), 'n_cid unlock'],
  [on(/^/, 'haaretz.com'), 'gift'],
  [on(/^/, 'sueddeutsche.de'), 'reduced'],
  [on(/^/, 'asahi.com'), 'ptoken'],
  [on(/^/, 'uol.com.br'), 'pwgt giftid'],
  [on(/^/, 'substack.com'), 'r triedredirect showwelcomeonshare'],
  [on(/^/, 'theguardian.com'), 'cmp'],
  [on(/^/, 'microsoft.com msn.com xbox.com windows.com bbc.com bbc.co.uk'), 'ocid'],
  [on(/^/, 'bloomberg.com espn.com cnbc.com foxnews.com newsweek.com bbc.com'), 'cmpid s_cid'],
  [on(/^/, 'apple.com'), 'itscg itsct'],
  [on(/^/, 'spotify.com'), 'si'],
  [on(/^/, 'aliyun.com alibaba.com aliexpress.com taobao.com tmall.com csdn.net'), 'spm scm'],
  [on(/^/, 'bilibili.com'), 'share_from unique_k bbid from_source'],
  [
    on(/^/, 'xiaohongshu.com'),
    'xsec_source xsec_token apptime share_from_user_hidden author_share app_platform app_version',
  ],
  [on(/^/, 'pinterest.com'), 'epik'],
  [on(/^/, 'zhihu.com'), 'share_code wechatshare s_r'],
];

/** Changes `url` to the page's canonical address if its site is known. Its host is without `www.`. */
export function applyKnownSite(url: URL): void {
  url.hostname = siteOfHost(url.hostname);
  const host = splitHost(url.hostname);
  const ofWay = ways.filter(([site]) => site(host)).map(([, names]) => names);
  const rule = knownSites.find(({ sites }) => sites.some((site) => site(host)));
  const dropped = [...ofWay, rule?.drops ?? ''].join(' ').trim();
  if (dropped !== '') url.search = without(url.search.slice(1), dropped);
  if (!rule) return;
  const address = url.hostname + url.pathname + url.search;
  url.hostname =
    typeof rule.host === 'string' ? rule.host : url.hostname.replace(rule.host ?? '', '');
  const [pattern, canonical] = rule.pages?.find(([each]) => each.test(address)) ?? [];
  if (!pattern || !canonical) return;
  const page = address.replace(pattern, canonical);
  const [path = '', query = ''] = page.split('?', 2);
  const [moved = ''] = path.split('/', 1);
  if (moved !== '') url.hostname = moved;
  url.pathname = path.slice(moved.length);
  url.search = query;
  url.hash = '';
}

/** Does not use `URLSearchParams`, which would encode the remaining parameters again. */
function without(query: string, names: string): string {
  const isNamed = namedIn(names);
  const parts = query.split('&');
  return parts.filter((part) => !isNamed(part)).join('&');
}

function only(query: string, names: string): string {
  return query.split('&').filter(namedIn(names)).join('&');
}

function namedIn(names: string): (part: string) => boolean {
  const named = new Set(names.split(' '));
  return (part) => named.has(part.toLowerCase()) || named.has(part.split('=')[0]!.toLowerCase());
}
