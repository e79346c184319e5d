import type { Digest } from '../digest-settings.ts';
import {
  articlesNamedIn,
  type DaySum,
  type Edition,
  factsIn,
} from '../../editions/stored-editions.ts';
import { withoutImported } from '../../articles/imported.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import { byNetVotes } from '../../ranking/lists/by-votes.ts';
import { inFrontOrder } from '../../ranking/lists/fair-front.ts';
import { byScore, byTime, walkNewest } from '../../ranking/lists/ranked.ts';
import { VOTING_OPEN_MS } from '../../ranking/rules.ts';
import type { TimeRange } from '../schedule/due.ts';
import type { Ranking } from '../../ranking/ranking.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import { isSpoiler } from '../../text/clean.ts';

/** The number of articles that are considered. An article below them has no chance in any selection. */
const MOST_CANDIDATES = 500;
/** The lines of the best of a week. */
export const WEEK_LENGTH = 3;

/** By what the candidates of each selection are the first: the fair mix and ★ choose among the best by score. */
const CANDIDATES_BY = {
  score: byScore,
  votes: byNetVotes,
  front: byScore,
  interesting: byScore,
} satisfies Record<Digest['selection'], (a: Article, b: Article) => number>;

/** What earlier editions of a digest showed. */
export type ShownBefore = {
  /** What was in the list of one: no other edition lists it. */
  listed: ReadonlySet<Snowflake>;
  /** What was in the list or in a section of one. */
  named: ReadonlySet<Snowflake>;
  /** The net votes that each had when an edition showed it last. */
  net: ReadonlyMap<Snowflake, number>;
};

/** Adds up what editions showed, the oldest first. */
export function shownBefore(editions: readonly Edition[]): ShownBefore {
  const net = new Map<Snowflake, number>();
  for (const edition of editions) {
    for (const shown of factsIn(edition)) net.set(shown.id, shown.net);
  }
  return {
    listed: new Set(editions.flatMap(({ articles }) => articles.map(({ id }) => id))),
    named: new Set(editions.flatMap(articlesNamedIn)),
    net,
  };
}

/** Since when an article of an edition can have been posted: it is in voting, or of the edition's own time. */
export function candidatesSinceMs({ fromMs, untilMs }: TimeRange): number {
  return Math.min(fromMs, untilMs - VOTING_OPEN_MS);
}

export type Candidates = {
  /** What no edition listed, the first by the digest's selection, whatever their votes. */
  articles: Article[];
  /** What an edition listed and is still in voting. */
  listed: Article[];
  /** The best by net votes of what was posted in the last week. */
  week: Article[];
  /** All of the window, however many there are; null: nothing was posted. */
  day: DaySum | null;
};

/**
 * Reads what an edition can show. It includes only articles that everyone may see, wherever the digest is posted;
 * an article of a private or age-restricted channel appears only in a digest in that channel. In bounded steps,
 * whose number grows with what is in voting, not with the guild.
 */
export async function readCandidates(
  ranking: Ranking,
  guild: Snowflake,
  digest: Digest,
  {
    period,
    before,
    accept = () => true,
  }: {
    period: TimeRange;
    before: ShownBefore;
    /** Whether an article may be promoted, whatever its votes. */
    accept?: (article: Article) => boolean;
  },
): Promise<Candidates> {
  const { fromMs, untilMs } = period;
  const votingMs = untilMs - VOTING_OPEN_MS;
  const compare = CANDIDATES_BY[digest.selection];
  const seen = new Set<Snowflake>();
  const posters = new Set<Snowflake>();
  const listed: Article[] = [];
  let articles: Article[] = [];
  let week: Article[] = [];
  let posted = 0;
  let votes = 0;
  for (const group of digest.groups.length > 0 ? digest.groups : [null]) {
    const sinceMs = candidatesSinceMs(period);
    for await (const step of walkNewest(ranking, { guild, group }, sinceMs, Infinity)) {
      const news = step.filter(
        (one) => one.postedAtMs < untilMs && isWanted(one, digest) && !seen.has(one.id),
      );
      for (const one of news) {
        const { id, poster, up, down, postedAtMs } = one;
        seen.add(id);
        if (postedAtMs < fromMs) continue;
        posted += 1;
        posters.add(poster);
        votes += up - 1 + down;
      }
      const accepted = news.filter((one) => !isBacked(one) || accept(one));
      const inVoting = accepted.filter(({ postedAtMs }) => postedAtMs >= votingMs);
      listed.push(...inVoting.filter(({ id }) => before.listed.has(id)));
      const unlisted = accepted.filter(({ id }) => !before.listed.has(id));
      articles = [...articles, ...unlisted].sort(compare).slice(0, MOST_CANDIDATES);
      week = [...week, ...inVoting.filter(isBacked)].sort(byNetVotes).slice(0, WEEK_LENGTH);
    }
  }
  // What was imported was posted before the community had a digest: members have seen what is no longer voted on.
  const old = articles.filter(({ postedAtMs }) => postedAtMs < votingMs);
  const news = new Set(await withoutImported(ranking, guild, old));
  return {
    articles: articles.filter((one) => one.postedAtMs >= votingMs || news.has(one)),
    listed,
    week,
    day: posted === 0 ? null : { articles: posted, posters: posters.size, votes },
  };
}

/** Whether more members are for an article than against it, besides its poster. Nothing else is promoted. */
export function isBacked({ up, down }: Article): boolean {
  return up - 1 > down;
}

/** Chooses the articles of an edition from candidates, in the order of such a list. */
export function chooseArticles(
  candidates: readonly Article[],
  { count, selection }: Pick<Digest, 'count' | 'selection'>,
): Article[] {
  const ordered = {
    votes: () => candidates.toSorted(byNetVotes),
    score: () => candidates.toSorted(byScore),
    front: () => inFrontOrder(candidates),
    interesting: () => candidates.filter(({ interesting }) => interesting).toSorted(byTime),
  };
  return ordered[selection]().slice(0, count);
}

/** With the best that hides nothing before all others: a spoiler leads only where nothing else is there. */
export function bestOpenFirst(articles: readonly Article[]): Article[] {
  const lead = articles.find(({ title }) => !isSpoiler(title)) ?? articles[0];
  if (lead === undefined) return [];
  return [lead, ...articles.filter((article) => article !== lead)];
}

export function netVotes({ up, down }: Pick<Article, 'up' | 'down'>): number {
  return up - down;
}

/** An article that an edition listed, and how many of its net votes came since one showed it last. */
export type Rising = { article: Article; gained: number };

/** Those that gained at least `least` net votes since an edition showed them, the largest gain first. */
export function stillRising(
  listed: readonly Article[],
  before: ShownBefore,
  least: number,
): Rising[] {
  return (
    listed
      .filter(isBacked)
      // From below zero, only what it has now counts: up to zero, it made up for the votes against it.
      .map((article) => {
        const shown = Math.max(0, before.net.get(article.id) ?? netVotes(article));
        return { article, gained: netVotes(article) - shown };
      })
      .filter(({ gained }) => gained >= least)
      .sort((a, b) => b.gained - a.gained)
  );
}

/** The number of articles that are searched for a member's earlier posts. */
const MOST_LOOKED_THROUGH = 10_000;

/**
 * Returns those of the articles before which their poster has posted nothing, among the newest. Of a member of whom
 * something was imported, nobody knows what came before.
 */
export async function firstPosts(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly Article[],
): Promise<Article[]> {
  const firsts = new Map<Snowflake, Article>();
  for (const article of articles.toSorted((a, b) => a.postedAtMs - b.postedAtMs)) {
    if (!firsts.has(article.poster)) firsts.set(article.poster, article);
  }
  // The guild's list lacks what was posted in a channel that not everybody views.
  const hidden = articles.filter(({ listed }) => !listed).map(({ home }) => home);
  for (const group of [null, ...new Set(hidden)]) {
    if (firsts.size === 0) break;
    for await (const step of walkNewest(ranking, { guild, group }, 0, MOST_LOOKED_THROUGH)) {
      for (const { poster, postedAtMs } of step) {
        if (postedAtMs < (firsts.get(poster)?.postedAtMs ?? 0)) firsts.delete(poster);
      }
      if (firsts.size === 0) break;
    }
  }
  return withoutImported(ranking, guild, [...firsts.values()]);
}

/** Whether a digest may name an article of the channels that it is of. */
function isWanted({ listed, home }: Article, { channel }: Digest): boolean {
  return listed || home === channel;
}
