import { listArticles } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** Rows that one step reads on the server. */
const STEP = 500;

/** The articles of the guild or of a group posted since `sinceMs`, newest first, in steps; about `most` at most. */
export async function* walkNewest(
  ranking: Ranking,
  { guild, group }: { guild: Snowflake; group?: Snowflake },
  sinceMs: number,
  most: number,
): AsyncGenerator<Article[]> {
  const of = { guild, ...(group === undefined ? {} : { group }), order: 'time-desc' as const };
  for (let page = 1; page <= Math.ceil(most / STEP); page += 1) {
    const { articles, total } = await listArticles(ranking, { ...of, page, pageSize: STEP });
    const within = articles.filter(({ postedAtMs }) => postedAtMs >= sinceMs);
    yield within;
    if (within.length < articles.length || page * STEP >= total) return;
  }
}
