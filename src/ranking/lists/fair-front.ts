import { byScore, walkList } from './ranked.ts';
import type { Ranking } from '../ranking.ts';
import type { Article } from '../row.ts';
import { secondsOf, type Snowflake } from '../../runtime/snowflake.ts';

/** The order is made from this many articles, those with the highest scores. */
const CANDIDATES = 1000;

/** The number of articles that the front order keeps. */
const FRONT_SIZE = 200;

/** The guild's listed articles in the front order. */
export async function frontOf(ranking: Ranking, guild: Snowflake): Promise<Article[]> {
  const candidates: Article[] = [];
  for await (const articles of walkList(ranking, { guild, order: 'score' }, CANDIDATES)) {
    candidates.push(...articles);
  }
  return inFrontOrder(candidates);
}

/**
 * The first 200 of the articles in the front order, which is fair between their groups.
 *
 * A vote weighs weight × √(mean volume ÷ the group's volume), where a group's volume is the number of
 * up and down votes on its articles among these. Reddit's front page likewise divided each subreddit's
 * hotness by the subreddit's own best (`normalized_hot` of its published source). The square root
 * reduces the effect, so that quiet groups do not displace loud ones. In addition, no group takes more
 * than 7 of any 10 consecutive places while another has articles left. Nothing is lifted further than what
 * the guild's own score lifts furthest.
 */
export function inFrontOrder(all: readonly Article[]): Article[] {
  const articles = all.toSorted(byScore).slice(0, CANDIDATES);
  const volumes = new Map<Snowflake, number>();
  for (const { home, up, down } of articles) {
    volumes.set(home, (volumes.get(home) ?? 0) + up + down);
  }
  const mean = [...volumes.values()].reduce((sum, volume) => sum + volume, 0) / volumes.size;
  const mostGained = Math.max(...articles.map(({ id, score }) => score - secondsOf(id)));
  const fairScore = ({ id, home, score }: Article): number => {
    const factor = Math.sqrt(mean / Math.max(1, volumes.get(home)!));
    return secondsOf(id) + Math.min(mostGained, factor * (score - secondsOf(id)));
  };
  const scores = new Map(articles.map((article) => [article, fairScore(article)]));
  const sorted = articles.toSorted((a, b) => scores.get(b)! - scores.get(a)!);
  return spread(sorted, FRONT_SIZE);
}

const WINDOW = 10;
const MOST_OF_WINDOW = 7;

/** The first `most`, in their order, but with at most seven of ten in a row from one group while others are left. */
export function spread(articles: readonly Article[], most: number): Article[] {
  const left = [...articles];
  const spreadOut: Article[] = [];
  while (left.length > 0 && spreadOut.length < most) {
    const recent = spreadOut.slice(-(WINDOW - 1)).map(({ home }) => home);
    const full = recent.find(
      (home) => recent.filter((other) => other === home).length >= MOST_OF_WINDOW,
    );
    const fits = left.findIndex(({ home }) => home !== full);
    spreadOut.push(...left.splice(Math.max(0, fits), 1));
  }
  return spreadOut;
}
