import { readArticles } from '../ranking/articles/articles.ts';
import { readVotesOf } from '../ranking/ballots/voters.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { readPersonal, writeAsked } from './stored-personal.ts';

const MONTH_MS = 30 * DAY_MS;
/** What is asked for and what was voted on: some 2 kB each at most. */
const ASKED_AT_MOST = 30;
const FIRST_AT_MOST = 100;

/**
 * What came of a member's votes on what needed one when they were last shown it. `shown`: what needs one now. Only
 * a look notes it, so that a vote costs nothing.
 */
export async function firstVotes(
  { ranking, store, clock }: { ranking: Ranking; store: Store; clock: Clock },
  guild: Snowflake,
  member: Snowflake,
  shown: readonly Snowflake[],
): Promise<{ count: number; stars: number }> {
  const before = await readPersonal(store, guild, member);
  const votes = await readVotesOf(ranking, guild, member, before.asked);
  const isVoted = (_: Snowflake, at: number) => votes[at] !== 'none';
  const left = before.asked.filter((id, at) => !isVoted(id, at));
  const asked = [...new Set([...shown, ...left])].slice(0, ASKED_AT_MOST);
  const first = [...new Set([...before.asked.filter(isVoted), ...before.first])]
    .filter((id) => snowflakeTimeMs(id) > clock.now() - MONTH_MS)
    .slice(0, FIRST_AT_MOST);
  const isSame = asked.join() === before.asked.join() && first.join() === before.first.join();
  const [read] = await Promise.all([
    readArticles(ranking, guild, first),
    isSame ? null : writeAsked(store, guild, member, { asked, first }),
  ]);
  const articles = read.filter((one) => one !== null);
  return {
    count: articles.length,
    stars: articles.filter(({ interesting }) => interesting).length,
  };
}
