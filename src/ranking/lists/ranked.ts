import { guildKeys, type RankingName } from '../keys.ts';
import { askedOnce } from '../../runtime/asked-once.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle } from '../row.ts';
import { type RankedOrder, rankingOf } from './orders.ts';
import { decodeChannelScale, SCALE_FIELDS, scaleOf, scoreOf } from '../rules.ts';
import { readChannelScale } from './channel-scales.ts';
import { secondsOf, type Snowflake } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';

/** A group's list; without a group the guild's list, which holds the listed articles. */
export type Of = { guild: Snowflake; group?: Snowflake | null };

/** Of a group with its own scale, the newest so many are in the order of it: more than votes can lift. */
const HEAD = 200;

export type Page = {
  articles: Article[];
  /** Articles in the whole list. */
  total: number;
};

/**
 * A page of the readable articles of a list, in one round trip; the cost does not grow with the guild.
 * A page beyond the end is empty. Ties are in the order of the ids. A group that has its own scale is in the
 * order of it: its newest 200, and those before them by time. `votes`: the closed articles;
 * `interesting`: the guild's, newest first; both without a period. `version`: the guild's at that time.
 */
export async function listArticles(
  ranking: Ranking,
  list: Of & { order: RankedOrder | 'votes' | 'interesting'; page: number; pageSize: number },
): Promise<Page & { version: number }> {
  const { guild, group, order, page, pageSize } = list;
  const keys = guildKeys(ranking, guild);
  const { by, from: direction } =
    order === 'votes' || order === 'interesting'
      ? ({ by: order, from: 'desc' } as const)
      : rankingOf(order);
  const start = (page - 1) * pageSize;
  const range = [direction, start, start + pageSize - 1] as const;
  const [key, times] = [keyOf(ranking, list, by), keyOf(ranking, list, 'time')];
  const head = by === 'score' ? HEAD : 0;
  ranking.reads.note(guild);
  const reply = await scripts.readPage(
    ranking.redis,
    key,
    keys.articles,
    keys.texts,
    keys.channelScales,
    times,
    ...range,
    group ?? '',
    head,
  );
  const [, total, version, ...rest] = reply;
  const scale = scaleOf(rest.splice(0, SCALE_FIELDS.length).map(String));
  const own = decodeChannelScale(rest.shift());
  const [ofHead, skipped, count] = rest.splice(0, 3).map(Number) as [number, number, number];
  const entries: (Article | null)[] = [];
  for (let i = 0; i < rest.length; i += 3) {
    const [id, row, text] = rest.slice(i, i + 3) as [Snowflake, string | null, string | null];
    const article = decodeArticle(id, row, text, scale);
    if (article && own) article.score = scoreOf(article, secondsOf(id), own);
    if (!article && (row || text)) ranking.onDamaged(guild);
    entries.push(article);
  }
  const sorted = [...sortedHead(entries.slice(0, ofHead)), ...entries.slice(ofHead)];
  const shown = sorted.slice(skipped, skipped + count).filter((article) => article !== null);
  if (own && head > 0 && direction === 'asc') shown.reverse();
  const standing = onlyStanding(ranking, list, shown);
  return { articles: standing, total: Number(total), version: Number(version) };
}

/** How many articles the guild's list has. */
export async function countListed(ranking: Ranking, guild: Snowflake): Promise<number> {
  const list = { guild, order: 'score', page: 1, pageSize: 1 } as const;
  return (await listArticles(ranking, list)).total;
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
  const isListed = askedOnce((home: Snowflake) => ranking.isListed(guild, home));
  return articles.filter((article) => {
    article.listed &&= isListed(article.home);
    return article.listed || article.home === group;
  });
}

/** What cannot be read comes last, so that each rank is on one page. */
function sortedHead(head: readonly (Article | null)[]): (Article | null)[] {
  return head.toSorted((a, b) => (a && b ? byScore(a, b) : Number(!a) - Number(!b)));
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
  const own = order === 'score' && (await readChannelScale(ranking, of));
  const key = keyOf(ranking, of, own ? 'time' : order);
  const [rank, count] = await Promise.all([
    ranking.redis.zrevrank(key, id),
    ranking.redis.zcard(key),
  ]);
  if (rank === null) return null;
  if (!own || rank >= HEAD) return { position: rank + 1, of: count };
  const { articles } = await listArticles(ranking, { ...of, order, page: 1, pageSize: HEAD });
  const at = articles.findIndex((article) => article.id === id);
  return at < 0 ? null : { position: at + 1, of: count };
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
 * The first `most` articles of a list, or those after the first `skipped`, in steps, each once: a new article shifts the others meanwhile. Each
 * step, with what is done with its articles, is a turn among the walks of all guilds: do not walk in a walk.
 */
export async function* walkList(
  ranking: Ranking,
  list: Of & { order: RankedOrder },
  most: number,
  skipped = 0,
): AsyncGenerator<Article[]> {
  const walk = ranking.turns.begin(list.guild);
  let before = new Set<Snowflake>();
  const [first, count] = [Math.floor(skipped / STEP) + 1, Math.ceil(most / STEP)];
  for (let page = first; page < first + count; page += 1) {
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
 * The articles of the guild or of a group posted in [fromMs, untilMs), about the newest `most` of them, newest first. The work
 * grows with them, and not with what was posted since.
 */
export async function* walkPosted(
  ranking: Ranking,
  { fromMs, untilMs, ...of }: Of & { fromMs: number; untilMs: number },
  most: number,
): AsyncGenerator<Article[]> {
  const time = keyOf(ranking, of, 'time');
  const newer = await ranking.redis.zcount(time, Math.ceil(untilMs / 1000), '+inf');
  const list = { ...of, order: 'time' } as const;
  for await (const articles of walkList(ranking, list, most, newer)) {
    yield articles.filter(({ postedAtMs: at }) => at >= fromMs && at < untilMs);
    if (articles.some(({ postedAtMs }) => postedAtMs < fromMs)) return;
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
