import type { Article } from '../row.ts';
import { containsWords, folded, withoutAccents } from './fold.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** The conditions of a search; an article must meet all that are present. */
export type Query = {
  /** The title contains every word, as `fold.ts` compares them. */
  words?: string;
  /** The host of the link, or a domain above it. */
  host?: string;
  poster?: Snowflake;
  group?: Snowflake;
};

/** Accepts the matches of a search, for `readList`. */
export function matching(query: Query): (articles: readonly Article[]) => Article[] {
  const { poster } = query;
  const words = folded(query.words ?? '').split(/\s+/);
  const domain = query.host?.toLowerCase().replace(/^www\./, '');
  const isMatch = (article: Article): boolean => {
    if (poster !== undefined && article.poster !== poster) return false;
    const isOf = (site: string) => `.${hostWithoutWww(article.link)}`.endsWith(`.${site}`);
    if (domain !== undefined && !isOf(domain)) return false;
    return containsWords(article.title, words);
  };
  return (articles) => articles.filter(isMatch);
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
