import { readArticles } from '../ranking/articles/articles.ts';
import { readVoters, readVotesOf } from '../ranking/ballots/voters.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { Store } from '../redis/store.ts';
import { type Clock, DAY_MS } from '../runtime/clock.ts';
import { type Snowflake, snowflakeTimeMs } from '../runtime/snowflake.ts';
import { readPersonal, writeAsked, writeEarly } from './stored-personal.ts';

const MONTH_MS = 30 * DAY_MS;

/**
 * What came of a member's votes on what needed one when they were shown it. `shown`: what they are shown now. The
 * votes are noted at a look and when the voting is over (`noteEarlyVotes`), so that a vote costs nothing.
 */
export async function firstVotes(
  { ranking, store, clock }: { ranking: Ranking; store: Store; clock: Clock },
  guild: Snowflake,
  member: Snowflake,
  shown: readonly Snowflake[],
): Promise<{ count: number; stars: number }> {
  const { asked, early } = await readPersonal(store, guild, member);
  const noted = [...asked, ...early];
  const votes = new Map(
    (await readVotesOf(ranking, guild, member, noted)).map((vote, at) => [noted[at]!, vote]),
  );
  const hasVote = (id: Snowflake) => votes.get(id) !== 'none';
  const voted = asked.filter(hasVote);
  const first = [...new Set([...voted, ...early])].filter(
    (id) => snowflakeTimeMs(id) > clock.now() - MONTH_MS,
  );
  const isSame = voted.length === 0 && shown.every((id, at) => id === asked[at]);
  const [read] = await Promise.all([
    readArticles(ranking, guild, first),
    isSame ? null : writeAsked(store, guild, member, { shown, voted }),
  ]);
  // A vote is taken back until the voting is over; then nobody's is stored any more.
  const articles = read
    .filter((one) => one !== null)
    .filter(({ id, closed }) => closed || hasVote(id));
  return {
    count: articles.length,
    stars: articles.filter(({ interesting }) => interesting).length,
  };
}

/** Members whose notes are written in one step. */
const STEP = 500;

/**
 * Before the votes on an article are frozen and its voters deleted: notes who of them had been shown it because it
 * needed a vote. Else only who looks again within the week would ever hear of it.
 */
export async function noteEarlyVotes(
  { ranking, store }: { ranking: Ranking; store: Store },
  guild: Snowflake,
  article: Snowflake,
): Promise<void> {
  const members = [...(await readVoters(ranking, guild, article)).keys()];
  for (let from = 0; from < members.length; from += STEP) {
    await writeEarly(store, guild, members.slice(from, from + STEP), article);
  }
}
