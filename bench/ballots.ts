import type { Direction } from '../src/ranking/row.ts';
import { memberId } from './material.ts';

export type Ballot<Article> = { article: Article; member: string; vote: Direction };

/** A switch changes the vote this many votes earlier, which is certainly no longer in flight. */
const BACK = 1001;
const MEMBERS = Array.from({ length: 100_000 }, (_, n) => memberId(n));

/** Another one for each vote on an article, and for each of the votes that come after each other. */
function memberOf(n: number, articles: number): string {
  const [round, article] = [Math.floor(n / articles), n % articles];
  return MEMBERS[(round * 977 + article * 61) % MEMBERS.length]!;
}

/**
 * An endless sequence of votes over some articles: three of four are up, and every tenth switches an
 * earlier vote. With `fresh` there are no switches.
 */
export function startBallots<Article>(
  articles: readonly Article[],
  { fresh = false }: { fresh?: boolean } = {},
): () => Ballot<Article> {
  let n = 0;
  return () => {
    const current = n++;
    const switches = !fresh && current > BACK && current % 10 === 9;
    const first = switches ? current - BACK : current;
    const up = (first % 4 !== 3) !== switches;
    return {
      article: articles[first % articles.length]!,
      member: memberOf(first, articles.length),
      vote: up ? 'up' : 'down',
    };
  };
}
