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
