import { guildKeys, type RankingName } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle } from '../row.ts';
import { type RankedOrder, rankingOf } from './orders.ts';
import { scaleOf } from '../rules.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';

/** A group's list; without a group the guild's list, which holds the listed articles. */
export type Of = { guild: Snowflake; group?: Snowflake | null };

export type Page = {
  articles: Article[];
  /** Articles in the whole list. */
  total: number;
};

/**
 * A page of the readable articles of a list, in one round trip; the cost does not grow with the guild.
 * A page beyond the end is empty. Ties are in the order of the ids. `votes`: the closed articles;
 * `interesting`: the guild's, newest first; both without a period. `version`: the guild's at that time.
 */
export async function listArticles(
  ranking: Ranking,
  list: Of & { order: RankedOrder | 'votes' | 'interesting'; page: number; pageSize: number },
): Promise<Page & { version: number }> {
  const { guild, order, page, pageSize } = list;
  const keys = guildKeys(ranking, guild);
  const { by, from: direction } =
    order === 'votes' || order === 'interesting'
      ? ({ by: order, from: 'desc' } as const)
      : rankingOf(order);
  const start = (page - 1) * pageSize;
  const range = [direction, start, start + pageSize - 1] as const;
  const key = keyOf(ranking, list, by);
  const reply = await scripts.readPage(ranking.redis, key, keys.articles, keys.texts, ...range);
  const [, total, mark, span, version] = reply;
  const scale = scaleOf(String(mark), String(span));
  const articles: Article[] = [];
  for (let i = 5; i < reply.length; i += 3) {
    const [id, row, text] = reply.slice(i, i + 3) as [Snowflake, string | null, string | null];
    const article = decodeArticle(id, row, text, scale);
    if (article) articles.push(article);
    else if (row || text) ranking.suspects.add(guild);
  }
  const standing = onlyStanding(ranking, list, articles);
  return { articles: standing, total: Number(total), version: Number(version) };
}

/**
 * The articles of a list that may stand in it now: a group's list holds its own articles, and like the
 * guild's lists those that everyone may view. Ask again of what was read earlier.
 */
export function onlyStanding(
  ranking: Ranking,
  { guild, group }: Of,
  articles: readonly Article[],
): Article[] {
  return articles.filter((article) => {
    article.listed &&= ranking.isListed(guild, article.home);
    return article.listed || article.home === group;
  });
}

function keyOf(ranking: Ranking, { guild, group }: Of, by: RankingName): string {
  const keys = guildKeys(ranking, guild);
  return group ? keys.ofGroup(by, group) : keys[by];
}

/** An article's position in a list, from 1, and their number; null if it is not in the list. */
export async function readPosition(
  ranking: Ranking,
  { order, ...of }: Of & { order: 'score' | 'time' },
  id: Snowflake,
): Promise<{ position: number; of: number } | null> {
  const key = keyOf(ranking, of, order);
  const [rank, count] = await Promise.all([
    ranking.redis.zrevrank(key, id),
    ranking.redis.zcard(key),
  ]);
  return rank === null ? null : { position: rank + 1, of: count };
}

/** The guild's newest 50 interesting articles, or those of them that are in the group. */
export async function newestInteresting(
  ranking: Ranking,
  { guild, group }: Of,
): Promise<Article[]> {
  const list = { guild, order: 'interesting', page: 1, pageSize: 50 } as const;
  const { articles } = await listArticles(ranking, list);
  return group ? articles.filter(({ groups }) => groups.includes(group)) : articles;
}

/** The listed interesting articles posted since `fromMs`, oldest first. */
export async function interestingSince(
  ranking: Ranking,
  guild: Snowflake,
  fromMs: number,
): Promise<Snowflake[]> {
  const { interesting } = guildKeys(ranking, guild);
  return ranking.redis.zrangebyscore(interesting, Math.floor(fromMs / 1000), '+inf');
}

/** What goes through a list article by article, such as a search, reads at most this many. */
export const LOOKED_THROUGH = 10_000;

/** Articles that one step reads, so that no other client waits long. */
const STEP = 500;

/**
 * The first `most` articles of a list, in steps, each once: a new article shifts the others meanwhile. Each
 * step, with what is done with its articles, is a turn among the walks of all guilds: do not walk in a walk.
 */
export async function* walkList(
  ranking: Ranking,
  list: Of & { order: RankedOrder },
  most: number,
): AsyncGenerator<Article[]> {
  const walk = ranking.turns.begin(list.guild);
  let before = new Set<Snowflake>();
  for (let page = 1; page <= Math.ceil(most / STEP); page += 1) {
    const end = await walk.step();
    try {
      const { articles, total } = await listArticles(ranking, { ...list, page, pageSize: STEP });
      const known = before;
      yield articles.filter(({ id }) => !known.has(id));
      if (page * STEP >= total) return;
      before = new Set(articles.map(({ id }) => id));
    } finally {
      end();
    }
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

/** Best first. */
export function byScore(a: Article, b: Article): number {
  return b.score - a.score || amongEquals(a, b);
}

/** Newest first. */
export function byTime(a: Article, b: Article): number {
  return b.postedAtMs - a.postedAtMs || amongEquals(a, b);
}

/** The greater id first, as in Redis in descending order. */
export function amongEquals(a: Article, b: Article): number {
  return a.id < b.id ? 1 : -1;
}
