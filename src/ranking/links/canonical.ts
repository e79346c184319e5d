import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse as parseHost } from 'tldts';
import { plainFragment } from './fragment.ts';
import { applyKnownSite, on, splitHost } from './known-sites.ts';
import { oneSpellingOfPath, oneSpellingOfQuery } from './percent.ts';
import { redirectTarget } from './redirects.ts';

/** The files with the rules of this one. */
export const RULE_FILES = [
  'canonical',
  'fragment',
  'known-sites',
  'other-names',
  'percent',
  'redirects',
];

/**
 * The version of the rules by which links are compared: it changes with every change of their files, and
 * `articles/reindex.ts` then re-indexes the links of other versions.
 */
export const LINK_RULES_VERSION = hash(
  'sha256',
  RULE_FILES.map((name) => readFileSync(new URL(`./${name}.ts`, import.meta.url), 'utf8')).join(
    '\0',
  ),
).slice(0, 16);

/** One rule can make another one apply, and redirects can be nested as deep as a link is long. */
const ROUNDS = 64;

/**
 * The form in which links are compared: two links with the same canonical form lead to the same page.
 * It always has `https`, no `www.`, no default port, no fragment unless that selects a page, no
 * tracking parameters, a sorted query, one spelling of escaped characters, no slash at the end, and
 * one address for pages of known sites with several. Use it only to compare links, never to open one.
 * The canonical form of a canonical form is itself.
 */
export function canonicalLink(original: URL): string {
  return wholly((url) => simplified(redirectTarget(url) ?? url), original).href;
}

/** The host of the site at an address: `x.com` for `fxtwitter.com`, the host itself for most. */
export function siteHost(url: URL): string {
  return siteForm(url).hostname;
}

/** An address in the form of its site, though it leads to another page. */
export function siteForm(url: URL): URL {
  return wholly(simplified, url);
}

/** Changes a link until nothing changes any more. */
function wholly(change: (url: URL) => URL, original: URL): URL {
  let url = original;
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = url.href;
    url = change(url);
    if (url.href === before) break;
  }
  return url;
}

function simplified(original: URL): URL {
  const url = new URL(original);
  // WHATWG lets a special scheme change to another one, and then removes a port that is its default.
  url.protocol = 'https:';
  url.hostname = plainHost(url.hostname);
  url.hash = plainFragment(url.hash, url.hostname);
  url.pathname = plainPath(url.pathname);
  url.search = plainQuery(url.search);
  if (!codeHosts(splitHost(url.hostname))) withoutAmp(url);
  applyKnownSite(url);
  return url;
}

/** Without a dot at the end, and without www if the rest is still a host name. */
function plainHost(hostname: string): string {
  const name = hostname.replace(/\.$/, '');
  const rest = name.replace(/^www\d?\./, '');
  return rest !== name && isName(rest) ? rest : name;
}

/** Whether it is not an ending under which anybody can have a site: `amp.github.io` is somebody's. */
function isName(host: string): boolean {
  if (host.endsWith('.example')) return true;
  return parseHost(host, { allowPrivateDomains: true }).domain !== null;
}

function plainPath(path: string): string {
  const plain = oneSpellingOfPath(path)
    .replace(/;jsessionid=[^/;]*/gi, '')
    .replace(/\/index\.(?:html?|php)$/i, '/');
  return trimEnd(plain, (character) => character === '/') || '/';
}

/**
 * The text without such characters at its end. `/[.,]+$/` is quadratic: it tries again
 * from every such character.
 */
function trimEnd(text: string, isTrimmed: (character: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isTrimmed(text[end - 1]!)) end -= 1;
  return text.slice(0, end);
}

/** Sorted by name. Parameters with the same name keep their order, since it can have a meaning. */
function plainQuery(search: string): string {
  const parameters = search
    // The setter takes a question mark away, so each round would take one more.
    .replace(/^\?+/, '')
    .split('&')
    .map((parameter) => oneSpellingOfQuery(parameter.replaceAll('+', '%20')).replace(/=$/, ''))
    .filter((parameter) => parameter !== '')
    .map((parameter) => ({ parameter, name: parameter.split('=')[0]! }))
    .filter(
      ({ parameter, name }) => !ampParameter.test(parameter) && tellsPagesApart(parameter, name),
    );
  return parameters
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map(({ parameter }) => parameter)
    .join('&');
}

const clicks =
  'fbclid gclid gclsrc dclid gbraid wbraid msclkid yclid ysclid twclid ttclid li_fat_id rb_clickid ' +
  'irclickid irgwc cjevent zanpid wickedid dicbo tblci srsltid _openstat gad_source gad_campaignid';
const campaigns =
  'mc_cid mc_eid _hsenc _hsmi __hssc __hstc __hsfp hsctatracking mkt_tok vero_id vero_conv ' +
  'oly_anon_id oly_enc_id ml_subscriber ml_subscriber_hash nr_email_referer ' +
  'ns_campaign ns_mchannel ns_source ns_linkname ns_fee at_medium at_campaign at_custom1 ' +
  'at_custom2 at_custom3 at_custom4 wt_mc wtrid sr_share soc_src soc_trk';
const sharing =
  '_ga _gl _gac _branch_match_id _branch_referrer igshid igsh ref_src ref_url guccounter ' +
  '__twitter_impression guce_referrer guce_referrer_sig usqp amp_js_v amp_gsa amp_ct mibextid ' +
  'spm_id_from from_spmid vd_source share_source share_medium share_plat share_tag ' +
  'share_session_id share_times xhsshare shareredid phpsessid';

/** Parameters that identify the reader's source, not the page, on every site. In lower case. */
const everywhere = new Set([clicks, campaigns, sharing].join(' ').split(' '));

const ampParameter = /^(?:amp(?:=(?:1|true)?)?|output(?:type)?=amp)$/i;
/** Campaigns of tools that any site can use: `pk_campaign` is one, and `pk_id` an id. */
const campaign =
  /^(?:utm_.*|(?:mtm|matomo|pk|piwik)_(?:campaign|cpn|kwd|keyword|source|medium|content|cid|group|placement)|itm_(?:campaign|source|medium|content|term|channel)|hsa_(?:acc|cam|grp|ad|src|tgt|kw|mt|net|ver|la|ol))$/;
/** Names that have other meanings, with values that only a click or a share has. */
const clicked =
  /^(?:awc=\d+_\d{10}_[0-9a-f]+|epik=dj0y[\w-]+|spm=[\w-]+(?:\.[\w-]+)+|gift=(?=.*\d)[\w.~%-]{20,})$/i;
/** What a subscriber gives away, on any newspaper's site. It stays in the link that is shown. */
const gift = /^(?:gift_?(?:token|code|article_?code|key|id)|share_?token|unlocked_article_code)$/;

/** Whether a query parameter is part of a page's identity. */
function tellsPagesApart(parameter: string, name: string): boolean {
  const lower = name.toLowerCase();
  return !(
    everywhere.has(lower) ||
    campaign.test(lower) ||
    gift.test(lower) ||
    clicked.test(parameter)
  );
}

/** Packages and repositories on these hosts can have the name amp. */
const codeHosts = on(
  '@',
  'github.com gitlab.com codeberg.org npmjs.com npmjs.org nuget.org pypi.org crates.io docs.rs',
);

/**
 * Removes the marks of an AMP page: amp.news.example, …/a-title-of-words/amp, …/story.amp.html.
 * After fewer than four words, a last segment `amp` can be a name itself, as in a wiki or a dictionary.
 */
function withoutAmp(url: URL): void {
  const host = url.hostname.replace(/^amp\./, '');
  if (host !== url.hostname && isName(host)) url.hostname = host;
  url.pathname = url.pathname
    .replace(/(\/[^/-]+-[^/-]+-[^/-]+-[^/]+)\/amp$/, '$1')
    .replace(/\.amp(?:\.html?)?$/, (ending) => (ending.includes('.htm') ? '.html' : ''));
}
