import { readArticles } from '../articles/articles.ts';
import { openArticles } from '../articles/closing.ts';
import { LOOKED_THROUGH } from './filter.ts';
import type { Page } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';
import { readVotesOf } from '../ballots/voters.ts';

/** Rows that one step reads on the server. */
const STEP = 500;

/**
 * The articles on which a member can vote and has not voted, best score first: the guild's listed
 * articles or those of a group, among the newest 10 000 open ones.
 */
export async function listUnvoted(
  ranking: Ranking,
  list: {
    guild: Snowflake;
    group?: Snowflake;
    member: Snowflake;
    page: number;
    pageSize: number;
  },
  now: number,
): Promise<Page> {
  const { guild, group, member, page, pageSize } = list;
  const ids = (await openArticles(ranking, guild)).slice(0, LOOKED_THROUGH);
  const unvoted: Article[] = [];
  for (let i = 0; i < ids.length; i += STEP) {
    const read = await readArticles(ranking, guild, ids.slice(i, i + STEP));
    const votable = read.flatMap((article) =>
      article && isVotable(article, member, now) && isIn(article, group) ? [article] : [],
    );
    const votableIds = votable.map(({ id }) => id);
    const votes = await readVotesOf(ranking, guild, member, votableIds);
    unvoted.push(...votable.filter((_, n) => votes[n] === 'none'));
  }
  unvoted.sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1));
  return {
    articles: unvoted.slice((page - 1) * pageSize, page * pageSize),
    total: unvoted.length,
  };
}

function isVotable(article: Article, member: Snowflake, now: number): boolean {
  const { closed, locked, poster, closesAtMs } = article;
  return !closed && !locked && poster !== member && now < closesAtMs;
}

function isIn(article: Article, group: Snowflake | undefined): boolean {
  if (group === undefined) return article.listed;
  return article.home === group || (article.listed && article.groups.includes(group));
}
