import type { Clock } from '../clock.ts';
import type { Article } from '../ranking/articles/articles.ts';
import { listFront } from '../ranking/lists/fair-front.ts';
import type { Page } from '../ranking/lists/ranked.ts';
import { listByVotes } from '../ranking/lists/by-votes.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import { PAGE_SIZE, type View } from './view.ts';

export type Lists = { ranking: Ranking; lists: TopLists; clock: Clock };

/**
 * The articles of a view. A group must be one that @everyone may view.
 * Unlisted articles are left out once more, though no list of such a group should hold one.
 */
export async function articlesOf(from: Lists, guild: Snowflake, view: View): Promise<Page> {
  const { articles, total } = await read(from, guild, view);
  return { articles: articles.filter(({ listed }: Article) => listed), total };
}

function read({ ranking, lists, clock }: Lists, guild: Snowflake, view: View): Promise<Page> {
  const { group, order, period, page } = view;
  const list = { guild, page, pageSize: PAGE_SIZE, ...(group === null ? {} : { group }) };
  switch (order) {
    case 'front':
      return listFront(ranking, list);
    case 'votes':
      return listByVotes(ranking, { ...list, period }, clock.now());
    case 'score':
    case 'time':
      return lists.page({ ...list, order: `${order}-desc` });
    default:
      return lists.page({ ...list, order });
  }
}
