import { parse as parseHost } from 'tldts';

/** A host, as its registrable domain and the labels before that. */
type Host = { domain: string | null; labels: string };

export function splitHost(name: string): Host {
  const { domain, subdomain } = parseHost(name, { validateHostname: false });
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
    if (domain === null || !named.has(domain)) return false;
    return typeof wanted === 'string' ? known.has(labels || '@') : wanted.test(labels);
  };
}

/** The domains of Google's search, as Google lists them. */
const searchEndings =
  'com ad ae com.af com.ag al am co.ao com.ar as at com.au az ba com.bd be bf bg com.bh bi bj com.bn ' +
  'com.bo com.br bs bt co.bw by com.bz ca cd cf cg ch ci co.ck cl cm cn com.co co.cr com.cu cv com.cy ' +
  'cz de dj dk dm com.do dz com.ec ee com.eg es com.et fi com.fj fm fr ga ge gg com.gh com.gi gl gm gr ' +
  'com.gt gy com.hk hn hr ht hu co.id ie co.il im co.in iq is it je com.jm jo co.jp co.ke com.kh ki kg ' +
  'co.kr com.kw kz la com.lb li lk co.ls lt lu lv com.ly co.ma md me mg mk ml com.mm mn com.mt mu mv mw ' +
  'com.mx com.my co.mz com.na com.ng com.ni ne nl no com.np nr nu co.nz com.om com.pa com.pe com.pg ' +
  'com.ph com.pk pl pn com.pr ps pt com.py com.qa ro ru rw com.sa com.sb sc se com.sg sh si sk com.sl sn ' +
  'so sm sr st com.sv td tg co.th com.tj tl tm tn to com.tr tt com.tw co.tz com.ua co.ug co.uk com.uy ' +
  'co.uz com.vc co.ve com.vn vu ws rs co.za co.zm co.zw cat';
const google = domainsOf('google', searchEndings);
export const googleSearch = on('@ www', google);
/** Any of Google's services: `images.google.com/url` redirects as `www.google.com/url` does. */
export const googleAny = on(/^/, google);

const amazonEndings =
  'com ca com.mx com.br co.uk de fr it es nl se pl com.be com.tr ae sa eg in co.jp com.au sg cn ie co.za';
export const amazonShops = on('@ smile m', domainsOf('amazon', amazonEndings));

function domainsOf(name: string, endings: string): string {
  return endings
    .split(' ')
    .map((ending) => `${name}.${ending}`)
    .join(' ');
}

/** Facebook's site for browsers, phones and languages. */
export const facebook = on(/^(?:www|m|mbasic|touch|web|[a-z]{2}-[a-z]{2})?$/, 'facebook.com');
