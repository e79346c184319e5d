import { listArticles, type Of, type RankedOrder } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

/** What goes through a list article by article, such as a search, reads at most this many. */
export const LOOKED_THROUGH = 10_000;

/** Articles that one step reads, so that no other client waits long. */
const STEP = 500;

/** The first `most` articles of a list, in steps, each once: a new article shifts the others meanwhile. */
export async function* walkList(
  ranking: Ranking,
  list: Of & { order: RankedOrder },
  most: number,
): AsyncGenerator<Article[]> {
  let before = new Set<Snowflake>();
  for (let page = 1; page <= Math.ceil(most / STEP); page += 1) {
    const { articles, total } = await listArticles(ranking, { ...list, page, pageSize: STEP });
    const known = before;
    yield articles.filter(({ id }) => !known.has(id));
    if (page * STEP >= total) return;
    before = new Set(articles.map(({ id }) => id));
  }
}

/** The articles of the guild or of a group posted since `sinceMs`, newest first; about `most` at most. */
export async function* walkNewest(
  ranking: Ranking,
  of: Of,
  sinceMs: number,
  most: number,
): AsyncGenerator<Article[]> {
  for await (const articles of walkList(ranking, { ...of, order: 'time' }, most)) {
    const within = articles.filter(({ postedAtMs }) => postedAtMs >= sinceMs);
    yield within;
    if (within.length < articles.length) return;
  }
}

/**
 * The first articles, in an order, among those posted in [fromMs, untilMs), about the newest `most`. The
 * work grows with the posts since then, not with the guild.
 */
export async function topPostedBetween(
  ranking: Ranking,
  period: Of & {
    fromMs: number;
    untilMs: number;
    most?: number;
    count: number;
    compare: (a: Article, b: Article) => number;
  },
): Promise<Article[]> {
  const { fromMs, untilMs, most = Infinity, count, compare } = period;
  let best: Article[] = [];
  for await (const articles of walkNewest(ranking, period, fromMs, most)) {
    const within = articles.filter(({ postedAtMs }) => postedAtMs < untilMs);
    best = [...best, ...within].sort(compare).slice(0, count);
  }
  return best;
}
