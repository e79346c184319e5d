import type { Digest, Run } from '../digest-settings.ts';
import { type Article, readArticles } from '../../ranking/articles/articles.ts';
import { byNetVotes } from '../../ranking/lists/by-votes.ts';
import { inFrontOrder } from '../../ranking/lists/fair-front.ts';
import { byScore, byTime, topPostedBetween, walkNewest } from '../../ranking/lists/ranked.ts';
import { withoutImported } from '../../articles/imported.ts';
import type { TimeRange } from '../schedule/due.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** The number of articles that are considered. An article below them has no chance in any selection. */
const MOST_CANDIDATES = 500;

/** By what the candidates of each selection are the first: the fair mix and ★ choose among the best by score. */
const CANDIDATES_BY = {
  score: byScore,
  votes: byNetVotes,
  front: byScore,
  interesting: byScore,
} satisfies Record<Digest['selection'], (a: Article, b: Article) => number>;

/** What was posted in a digest's window. The votes are those of others than the posters. */
export type DaySum = { articles: number; posters: number; votes: number };

/**
 * Returns the articles of a digest that were posted in a period, those with the most votes or the best
 * score first, whichever the digest selects by. It includes only articles that everyone may see,
 * wherever the digest is posted, and none that an import made. An article of a private or age-restricted
 * channel appears only in a digest in that channel.
 */
export async function articlesPostedIn(
  ranking: Ranking,
  guild: Snowflake,
  digest: Digest,
  { fromMs, untilMs }: TimeRange,
): Promise<Article[]> {
  const compare = CANDIDATES_BY[digest.selection];
  const sources = digest.groups.length > 0 ? digest.groups : [null];
  const lists = await Promise.all(
    sources.map((group) =>
      topPostedBetween(ranking, { guild, group, fromMs, untilMs, compare, count: MOST_CANDIDATES }),
    ),
  );
  const found = new Map(lists.flat().map((article) => [article.id, article]));
  // What was imported was posted before the digest's community had a digest: members have seen it.
  const news = await withoutImported(ranking, guild, [...found.values()]);
  return news.filter((article) => isWanted(article, digest)).sort(compare);
}

/** Adds up all articles of such a list, however many there are. In bounded steps. */
export async function sumOfDay(
  ranking: Ranking,
  guild: Snowflake,
  digest: Digest,
  { fromMs, untilMs }: TimeRange,
): Promise<DaySum> {
  const counted = new Set<Snowflake>();
  const posters = new Set<Snowflake>();
  let votes = 0;
  for (const group of digest.groups.length > 0 ? digest.groups : [null]) {
    for await (const step of walkNewest(ranking, { guild, group }, fromMs, Infinity)) {
      for (const article of step) {
        const { id, poster, up, down, postedAtMs } = article;
        const isOf = postedAtMs < untilMs && isWanted(article, digest);
        if (!isOf || counted.has(id)) continue;
        counted.add(id);
        posters.add(poster);
        votes += up - 1 + down;
      }
    }
  }
  return { articles: counted.size, posters: posters.size, votes };
}

/** Whether somebody besides its poster voted for an article, and at least as many for it as against it. */
function isVotedFor({ up, down }: Article): boolean {
  return up > 1 && up >= down;
}

/** Chooses the articles of an edition from candidates, in the order of such a list. */
export function chooseArticles(
  candidates: readonly Article[],
  { count, selection }: Pick<Digest, 'count' | 'selection'>,
  qualifies: (article: Article) => boolean = isVotedFor,
): Article[] {
  const qualified = candidates.filter(qualifies);
  const ordered = {
    votes: () => qualified.toSorted(byNetVotes),
    score: () => qualified.toSorted(byScore),
    front: () => inFrontOrder(qualified),
    interesting: () => qualified.filter(({ interesting }) => interesting).toSorted(byTime),
  };
  return ordered[selection]().slice(0, count);
}

export function netVotes({ up, down }: Pick<Article, 'up' | 'down'>): number {
  return up - down;
}

/** An older article, and how many of its net votes came since the last edition: never more than it has. */
export type Rising = { article: Article; gained: number };

/**
 * Returns older articles that gained at least `least` net votes since the last edition, the largest
 * gain first. The last edition's run holds the net votes that they had then.
 */
export async function stillRising(
  ranking: Ranking,
  guild: Snowflake,
  digest: Digest,
  { run, fromMs, least }: { run: Run; fromMs: number; least: number },
): Promise<Rising[]> {
  const before = run.netVotes;
  const articles = await readArticles(ranking, guild, Object.keys(before));
  return (
    articles
      .filter((article) => article !== null)
      .filter((article) => article.postedAtMs < fromMs && isWanted(article, digest))
      // From below zero, only what it has now counts: up to zero, it made up for the votes against it.
      .map((article) => ({
        article,
        gained: netVotes(article) - Math.max(0, before[article.id] ?? 0),
      }))
      .filter(({ gained }) => gained >= least)
      .sort((a, b) => b.gained - a.gained)
  );
}

/** The number of older articles that are searched for a member's earlier posts. */
const MOST_LOOKED_THROUGH = 10_000;

/** Returns the articles, posted since a time, whose posters have none among the newest articles before it. */
export async function firstPosts(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly Article[],
  fromMs: number,
): Promise<Article[]> {
  const oldestFirst = articles.toSorted((a, b) => a.postedAtMs - b.postedAtMs);
  const firsts = new Map<string, Article>();
  for (const article of oldestFirst) {
    if (!firsts.has(article.poster)) firsts.set(article.poster, article);
  }
  for await (const step of walkNewest(ranking, { guild }, 0, MOST_LOOKED_THROUGH)) {
    if (firsts.size === 0) break;
    for (const { poster, postedAtMs } of step) if (postedAtMs < fromMs) firsts.delete(poster);
  }
  return [...firsts.values()];
}

/** Whether a digest may name the article. */
export function isWanted(article: Article, { channel, groups }: Digest): boolean {
  if (!article.listed && article.home !== channel) return false;
  return groups.length === 0 || article.groups.some((group) => groups.includes(group));
}
