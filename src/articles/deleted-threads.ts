import { deleteArticle } from '../ranking/articles/articles.ts';
import { listArticles } from '../ranking/lists/ranked.ts';
import type { Ranking } from '../ranking/ranking.ts';
import { type Snowflake, snowflakeTimeMs } from '../ranking/snowflake.ts';

const pageSize = 100;

/**
 * Deletes the articles whose messages were in a deleted thread. They are in the list of its parent and
 * not older than the thread. Bounded steps; idempotent.
 */
export async function removeThread(
  ranking: Ranking,
  { guild, thread, parent }: { guild: Snowflake; thread: Snowflake; parent: Snowflake },
): Promise<void> {
  const gone: Snowflake[] = [];
  for (let page = 1; ; page += 1) {
    const { articles } = await listArticles(ranking, {
      guild,
      group: parent,
      order: 'time-desc',
      page,
      pageSize,
    });
    gone.push(...articles.filter(({ channel }) => channel === thread).map(({ id }) => id));
    const oldest = articles.at(-1);
    if (!oldest || oldest.postedAtMs < snowflakeTimeMs(thread)) break;
  }
  // Delete after paging, because a deletion shifts the pages.
  for (const id of gone) await deleteArticle(ranking, guild, id);
}
