import { amazonShops, facebook, splitHost, on, type Site } from './host-match.ts';

/**
 * Sites that show one page under several addresses. Each rule changes `url` in place to the page's
 * canonical address. Hosts are without `www.`.
 */
type Rule = { sites: Site[]; rewrite(url: URL, path: string[]): void };

const youtubeVideo = new Set(['shorts', 'embed', 'live', 'v', 'e']);
const amazonProduct =
  /\/(?:dp|gp\/product|gp\/aw\/d|exec\/obidos\/asin|o\/asin|product)\/([a-z0-9]{10})(?=\/|$)/i;
const arxivPaper =
  /^\/(?:abs|pdf|html|format|ps|src)\/((?:[a-z-]+(?:\.[a-z]{2})?\/)?[\d.]+?)(?:v\d+)?(?:\.pdf)?\/?$/i;

const rules: Rule[] = [
  {
    sites: [on('@ m music gaming', 'youtube.com youtube-nocookie.com'), on('@', 'youtu.be')],
    rewrite(url, [first = '', second]) {
      const isShort = url.hostname === 'youtu.be';
      url.hostname = 'youtube.com';
      const video = isShort
        ? first
        : first === 'watch'
          ? (url.searchParams.get('v') ?? second)
          : youtubeVideo.has(first)
            ? second
            : undefined;
      if (video) become(url, '/watch', { v: video });
      else if (first === 'playlist') keepOnly(url, ['list']);
      else drop(url, ['feature', 'app', 'ab_channel', 'pp']);
    },
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
    rewrite(url, path) {
      url.hostname = 'x.com';
      const at = path.findIndex((part) => /^status(?:es)?$/.test(part));
      const id = at > 0 ? path[at + 1]?.match(/^\d+/)?.[0] : undefined;
      // The id alone identifies the post; the author is not needed.
      if (id) return become(url, `/i/status/${id}`);
      drop(url, ['s', 't', 'lang', 'cxt']);
      if (path.length === 1) url.pathname = `/${path[0]!.toLowerCase()}`;
    },
  },
  {
    sites: [amazonShops],
    rewrite(url, path) {
      url.hostname = url.hostname.replace(/^(?:smile|m)\./, '');
      const product = amazonProduct.exec(url.pathname)?.[1];
      if (product) return become(url, `/dp/${product.toUpperCase()}`);
      url.pathname = `/${path.filter((part) => !part.startsWith('ref=')).join('/')}`;
      drop(url, ['tag', 'ref', 'ref_', 'qid', 'sr', 'crid', 'sprefix', 'dib', 'dib_tag', 'psc']);
      drop(url, ['linkcode', 'linkid', 'camp', 'creative', 'ascsubtag', 'pf_rd_r', 'pf_rd_p']);
    },
  },
  {
    sites: [on('@ export ar5iv.labs', 'arxiv.org'), on('@', 'ar5iv.org')],
    rewrite(url) {
      url.hostname = 'arxiv.org';
      // All versions are one paper.
      const paper = arxivPaper.exec(url.pathname)?.[1];
      if (paper) become(url, `/abs/${paper.toLowerCase()}`);
    },
  },
  {
    sites: [on('@ old new np i m amp sh', 'reddit.com'), on('@', 'redd.it')],
    rewrite(url, path) {
      const isShort = url.hostname === 'redd.it';
      url.hostname = 'reddit.com';
      if (isShort && path.length === 1) return become(url, `/comments/${path[0]!.toLowerCase()}`);
      const at = path.indexOf('comments');
      const post = at >= 0 ? path[at + 1] : undefined;
      const comment = path[at + 3];
      if (post) {
        return become(url, `/comments/${[post, ...(comment ? ['_', comment] : [])].join('/')}`);
      }
      drop(url, ['context', 'rdt', 'share_id']);
      if (path.length === 2 && /^[ru]$/.test(path[0]!)) url.pathname = url.pathname.toLowerCase();
    },
  },
  {
    sites: [on('@', 'github.com')],
    rewrite(url, [owner, repository, ...rest]) {
      if (!owner) return;
      const name = repository?.toLowerCase().replace(/\.git$/, '');
      url.pathname = `/${[owner.toLowerCase(), ...(name ? [name, ...rest] : [])].join('/')}`;
      if (url.searchParams.get('tab') === 'readme-ov-file') drop(url, ['tab']);
    },
  },
  {
    sites: [
      on(/^[a-z.]*$/, 'stackexchange.com'),
      on(/^(?:[a-z]{2}|meta)?$/, 'stackoverflow.com superuser.com serverfault.com askubuntu.com'),
      on('@', 'mathoverflow.net'),
    ],
    rewrite(url, [kind, id, slug, answer]) {
      if (!id || !/^\d+$/.test(id)) return;
      if (kind === 'questions' && slug && answer && /^\d+$/.test(answer))
        return become(url, `/a/${answer}`);
      if (kind === 'questions' || kind === 'q') become(url, `/questions/${id}`);
      else if (kind === 'a') become(url, `/a/${id}`);
    },
  },
  {
    sites: [
      on(
        /^[a-z-]+(?:\.m)?$/,
        'wikipedia.org wiktionary.org wikiquote.org wikibooks.org wikivoyage.org',
      ),
    ],
    rewrite(url, [first, ...rest]) {
      url.hostname = url.hostname.replace('.m.', '.');
      // Each variant of written Chinese has its own address.
      if (first && rest.length > 0 && /^zh(?:-[a-z]+)?$/.test(first))
        url.pathname = `/wiki/${rest.join('/')}`;
      url.pathname = url.pathname.replaceAll('%28', '(').replaceAll('%29', ')');
      drop(url, ['useskin', 'wprov', 'variant']);
    },
  },
  {
    sites: [on('@ m', 'instagram.com'), on(/^[a-z0-9.-]*$/, 'ddinstagram.com kkinstagram.com')],
    rewrite(url, path) {
      url.hostname = 'instagram.com';
      const at = path.findIndex((part) => /^(?:p|reels?|tv)$/.test(part));
      const id = at >= 0 && at <= 1 ? path[at + 1] : undefined;
      if (id) become(url, `/p/${id}`);
      else drop(url, ['hl']);
    },
  },
  {
    sites: [facebook],
    rewrite(url) {
      url.hostname = 'facebook.com';
      drop(url, ['__tn__', '__cft__[0]', 'rdid', 'share_url', 'sfnsn', '_rdr', 'ref', 'locale']);
    },
  },
  {
    sites: [on('@ m', 'tiktok.com')],
    rewrite(url, [user, kind, id]) {
      url.hostname = 'tiktok.com';
      if (user?.startsWith('@') && kind === 'video' && id)
        become(url, `/${user.toLowerCase()}/video/${id}`);
    },
  },
  {
    sites: [on('open', 'spotify.com')],
    rewrite(url, path) {
      const rest = path[0]?.startsWith('intl-') ? path.slice(1) : path;
      become(url, `/${rest.join('/')}`);
    },
  },
  {
    sites: [on('@ player', 'vimeo.com')],
    rewrite(url, [first, second, ...rest]) {
      if (url.hostname === 'player.vimeo.com' && first === 'video' && second) {
        url.hostname = 'vimeo.com';
        become(url, `/${[second, ...rest].join('/')}`);
      }
    },
  },
  {
    sites: [on('store', 'steampowered.com')],
    rewrite(url, [kind, id]) {
      if (id && /^\d+$/.test(id) && /^(?:app|sub|bundle)$/.test(kind ?? ''))
        become(url, `/${kind}/${id}`);
    },
  },
  {
    sites: [on('@ dx', 'doi.org')],
    rewrite(url) {
      url.hostname = 'doi.org';
      become(url, url.pathname.toLowerCase());
    },
  },
  {
    sites: [on('mp.weixin', 'qq.com')],
    rewrite(url) {
      keepOnly(url, ['__biz', 'mid', 'idx', 'sn']);
    },
  },
  {
    sites: [on('@ m', 'bilibili.com')],
    rewrite(url, [kind, id]) {
      url.hostname = 'bilibili.com';
      if (kind === 'video' && id) {
        const part = url.searchParams.get('p');
        become(url, `/video/${id}`, part === null || part === '1' ? {} : { p: part });
      }
    },
  },
  {
    sites: [on(/^[a-z0-9-]*$/, 'medium.com')],
    rewrite(url) {
      drop(url, ['source', 'sk', 'gi']);
    },
  },
  {
    sites: [on('m', 'twitch.tv soundcloud.com weibo.com douban.com'), on('@ m', 'imdb.com')],
    rewrite(url) {
      url.hostname = url.hostname.replace(/^m\./, '');
      drop(url, ['ref_']);
    },
  },
];

/** Changes `url` to the page's canonical address if its site is known. */
export function applyKnownSite(url: URL): void {
  const host = splitHost(url.hostname);
  const rule = rules.find(({ sites }) => sites.some((site) => site(host)));
  rule?.rewrite(url, url.pathname.split('/').filter(Boolean));
}

/** Keeps only the host, and sets the path and the query that identify the page. */
function become(url: URL, path: string, query: Record<string, string> = {}): void {
  url.pathname = path;
  url.search = new URLSearchParams(query).toString();
  url.hash = '';
}

/** Does not use `URLSearchParams`, which would encode the remaining parameters again. */
function drop(url: URL, names: readonly string[]): void {
  keep(url, (name) => !names.includes(name.toLowerCase()));
}

function keepOnly(url: URL, names: readonly string[]): void {
  keep(url, (name) => names.includes(name.toLowerCase()));
}

function keep(url: URL, isKept: (name: string) => boolean): void {
  const parts = url.search.slice(1).split('&');
  url.search = parts.filter((part) => isKept(part.split('=')[0]!)).join('&');
}
