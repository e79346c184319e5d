import type { Direction } from '../src/voting/row.ts';
import { memberId } from './material.ts';

export type Ballot<Article> = { article: Article; member: string; vote: Direction };

/** A switch goes back so many votes, further than any that may still be in flight. */
const BACK = 1001;
const MEMBERS = Array.from({ length: 100_000 }, (_, n) => memberId(n));

/**
 * An endless row of votes over some articles: three of four up, and every tenth switches a vote
 * that was cast before. With `fresh` there are no switches.
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
      member: MEMBERS[Math.floor(first / articles.length) % MEMBERS.length]!,
      vote: up ? 'up' : 'down',
    };
  };
}
