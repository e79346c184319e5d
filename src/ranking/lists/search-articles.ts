import type { Article } from '../row.ts';
import { siteHost } from '../links/canonical.ts';
import { containsWords, folded, withoutAccents } from './fold.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { parseUrl } from '../../runtime/url.ts';

/** The conditions of a search; an article must meet all that are present. */
export type Query = {
  /** The title contains every word, as `fold.ts` compares them. */
  words?: string;
  /** The host of the link, a domain above it, or another name of its site: `twitter.com` for `x.com`. */
  host?: string;
  poster?: Snowflake;
  group?: Snowflake;
};

/** Accepts the matches of a search, for `readList`. */
export function matching(query: Query): (articles: readonly Article[]) => Article[] {
  const { poster } = query;
  const words = folded(query.words ?? '').split(/\s+/);
  const isWanted = isOfSite(query.host);
  const isMatch = (article: Article): boolean => {
    if (poster !== undefined && article.poster !== poster) return false;
    return isWanted(article.link) && containsWords(article.title, words);
  };
  return (articles) => articles.filter(isMatch);
}

/** Whether a link is of a site, which has each of its names. Hosts are looked at once each. */
function isOfSite(wanted?: string): (link: string) => boolean {
  const domain = wanted?.toLowerCase().replace(/^www\./, '');
  if (domain === undefined) return () => true;
  const siteNames = new Map<string, string>();
  const siteName = (host: string): string => {
    const known = siteNames.get(host) ?? siteHost(new URL(`https://${host}/`));
    siteNames.set(host, known);
    return known;
  };
  const site = parseUrl(`https://${domain}/`) === null ? domain : siteName(domain);
  return (link) => {
    const host = hostWithoutWww(link);
    return `.${host}`.endsWith(`.${domain}`) || `.${siteName(host)}`.endsWith(`.${site}`);
  };
}

/** Whether an article's title has every word of a search as a whole word: "Rust", and not "Trust". */
export function hasWholeWords({ words = '' }: Query): (article: Article) => boolean {
  const patterns = folded(words)
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word) => {
      const literal = word.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
      return new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, 'u');
    });
  return ({ title }) => {
    const whole = folded(title);
    const bare = withoutAccents(whole);
    return patterns.every((pattern) => pattern.test(whole) || pattern.test(bare));
  };
}

/** Stored links are valid, so this does not throw. */
export function hostWithoutWww(link: string): string {
  return new URL(link).hostname.replace(/^www\./, '');
}
