import type { Page } from './ranked.ts';
import { readList } from './read-list.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** The conditions of a search; an article must meet all that are present. */
export type Query = {
  /** The title contains every word, in any case and width. */
  words?: string;
  /** The host of the link, or a domain above it. */
  host?: string;
  poster?: Snowflake;
  group?: Snowflake;
};

/** The matches among the newest 10 000 articles of the guild or of a group, newest first. */
export async function searchArticles(
  ranking: Ranking,
  search: { guild: Snowflake; query: Query; page: number; pageSize: number },
  now: number,
): Promise<Page> {
  const { guild, query, page, pageSize } = search;
  const { group = null } = query;
  const isMatch = matcher(query);
  const accept = (articles: readonly Article[]) => articles.filter(isMatch);
  const list = { guild, group, order: 'time' as const, page, pageSize, accept };
  return readList(ranking, list, now);
}

function matcher(query: Query): (article: Article) => boolean {
  const { poster } = query;
  const words = folded(query.words ?? '').split(/\s+/);
  const domain = query.host?.toLowerCase().replace(/^www\./, '');
  return (article) =>
    (poster === undefined || article.poster === poster) &&
    (domain === undefined || `.${hostWithoutWww(article.link)}`.endsWith(`.${domain}`)) &&
    words.every((word) => folded(article.title).includes(word));
}

/** Stored links are valid, so this does not throw. */
export function hostWithoutWww(link: string): string {
  return new URL(link).hostname.replace(/^www\./, '');
}

/** One form for texts that differ only in case, width, or composed characters. */
function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
