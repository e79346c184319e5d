import type { Page } from '../ranking/lists/ranked.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { TopLists } from '../ranking/lists/top-lists.ts';
import { WEB_PAGE_SIZE, type View } from './view.ts';

/**
 * The articles of a view. A group must be one that @everyone may view.
 * Unlisted articles are left out once more, though no list of such a group should hold one.
 */
export async function articlesOf(lists: TopLists, guild: Snowflake, view: View): Promise<Page> {
  const { articles, total } = await lists.page({ guild, ...view, pageSize: WEB_PAGE_SIZE });
  return { articles: articles.filter(({ listed }) => listed), total };
}
