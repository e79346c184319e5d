import type { Redis } from 'ioredis';
import { guildKeys } from '../src/ranking/keys.ts';
import { openRanking, type Ranking } from '../src/ranking/ranking.ts';
import { readArticle } from '../src/ranking/articles/articles.ts';
import { readVoter } from '../src/ranking/ballots/voters.ts';
import { setVote } from '../src/ranking/ballots/votes.ts';
import { type Bench, fillGuild, fillTextbook, seconds } from './bench.ts';
import { guildId, memberId } from './material.ts';
import { APPLICATION } from './server.ts';
import type { Row } from './table.ts';
import * as textbook from './textbook.ts';

const PLACES = 2;
const ARTICLES = 200;

/** One member votes up and down from several connections at once; then the data is checked. */
export async function measureRaces(bench: Bench): Promise<Row[]> {
  const { server, clock } = bench;
  const connections = await Promise.all(Array.from({ length: PLACES }, () => server.connect()));
  const redis = server.control;
  const member = memberId(1);
  const guild = guildId(1);
  const rankings = connections.map((one) =>
    openRanking({ redis: one, applicationId: APPLICATION }),
  );
  const ranking = rankings[0]!;
  const ours = await fillGuild(bench, ranking, guild, ARTICLES);
  const theirs = await fillTextbook(bench, redis, ARTICLES);
  let wrong = 0;
  let textbookWrong = 0;
  for (const [i, article] of ours.entries()) {
    await Promise.all(
      rankings.map((one, place) =>
        setVote(one, { guild, article, member, vote: directionOf(i, place) }, clock.now()),
      ),
    );
    if (!(await balances(ranking, guild, article, member))) wrong++;
  }
  for (const [i, article] of theirs.entries()) {
    await Promise.all(
      connections.map((one, place) => {
        const ballot = { article, member, vote: directionOf(i, place) };
        return textbook.vote(one, ballot, seconds(clock));
      }),
    );
    if (!(await textbookBalances(redis, article, member))) textbookWrong++;
  }
  return [
    {
      what: `wrong tallies of ${ARTICLES}, one member voting from ${PLACES} places at once`,
      of: `textbook ${textbookWrong}`,
      result: wrong,
      unit: '',
      limits: { atLeast: 0, aim: 0 },
    },
  ];
}

function directionOf(article: number, place: number): 'up' | 'down' {
  return (article + place) % 2 === 0 ? 'up' : 'down';
}

/** Whether the tally, both rankings and the voter agree. */
async function balances(
  ranking: Ranking,
  guild: string,
  id: string,
  member: string,
): Promise<boolean> {
  const keys = guildKeys(ranking, guild);
  const article = await readArticle(ranking, guild, id);
  const voter = await readVoter(ranking, guild, id, member);
  if (article === null || voter === null) return false;
  const scores = await Promise.all([
    ranking.redis.zscore(keys.score, id),
    ranking.redis.zscore(keys.ofGroup('score', article.home), id),
  ]);
  return (
    article.up === (voter.vote === 'up' ? 2 : 1) &&
    article.down === (voter.vote === 'down' ? 1 : 0) &&
    scores.every((score) => Number(score) === article.score)
  );
}

async function textbookBalances(redis: Redis, article: string, member: string): Promise<boolean> {
  const vote = await redis.hget(textbook.votersOf(article), member);
  const votes = Number(await redis.hget(article, 'votes'));
  const score = Number(await redis.zscore('score:', article));
  const posted = Number(await redis.zscore('time:', article));
  return votes === (vote === 'up' ? 2 : 0) && score === posted + 432 * votes;
}
