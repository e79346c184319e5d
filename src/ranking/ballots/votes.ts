import { type GuildKeys, guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Direction, Vote } from '../row.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import type { CastReply, Reply } from '../scripts.ts';
import { type Snowflake, snowflakeTimeMs } from '../snowflake.ts';

/** What became of a vote. Everything but `counted` left the ranking as it was. */
export type VoteOutcome =
  | {
      status: 'counted';
      /** The member's vote from now on. */
      vote: Vote;
      /** The reaction that the member still shows besides the vote. */
      older: Direction | null;
      up: number;
      down: number;
    }
  | { status: 'unchanged' | 'closed' | 'locked' | 'unknown' | 'poster' };

/** The new tally after something happened to many votes at once. */
export type TallyOutcome =
  | { status: 'counted'; up: number; down: number }
  | { status: 'unchanged' | 'closed' | 'locked' | 'unknown' };

type Ballot = { guild: Snowflake; article: Snowflake; member: Snowflake };

/**
 * Votes up or down, switches, or retracts with `none`. One round trip; idempotent.
 * Voting ends at the closing time, one week after the post time, by the caller's `now` in ms.
 */
export async function castVote(
  ranking: Ranking,
  ballot: Ballot & { vote: Vote },
  now: number,
): Promise<VoteOutcome> {
  if (ballot.vote === 'none') return setVote(ranking, ballot, now);
  return cast(ranking, ballot, ballot.vote, castVotes, now);
}

/**
 * One reaction of a member was added or taken away, in the order in which Discord tells it.
 * The vote is the last added that is still shown.
 */
export async function showReaction(
  ranking: Ranking,
  reaction: Ballot & { direction: Direction; shown: boolean },
  now: number,
): Promise<VoteOutcome> {
  const { direction } = reaction;
  if (reaction.shown) return cast(ranking, reaction, direction, castShown, now);

  const { article, member } = reaction;
  const seconds = secondsIfOpen(article, now);
  const keys = guildKeys(ranking.applicationId, reaction.guild);
  if (seconds === null) return whenClosed(ranking, keys, article);
  const reply = await ranking.redis.retract(
    ...keys.ballots(article),
    article,
    member,
    signOf(direction),
    seconds,
  );
  return outcome(ranking, reaction, reply, reply[3] === 1 ? opposite(direction) : 'none', null);
}

/**
 * Makes what a member shows exactly this, whatever was known before.
 * `older`: the opposite of `vote` is shown as well.
 */
export async function setVote(
  ranking: Ranking,
  ballot: Ballot & { vote: Vote; older?: boolean },
  now: number,
): Promise<VoteOutcome> {
  const { article, member, vote } = ballot;
  const seconds = secondsIfOpen(article, now);
  const keys = guildKeys(ranking.applicationId, ballot.guild);
  if (seconds === null) return whenClosed(ranking, keys, article);
  const older = ballot.older === true && vote !== 'none' ? opposite(vote) : null;
  const reply = await ranking.redis.setVote(
    ...keys.ballots(article),
    article,
    member,
    vote,
    older ? '1' : '',
    seconds,
  );
  return outcome(ranking, ballot, reply, vote, older);
}

/** All reactions of an article went away at once, or all of one direction; the poster's vote stays. */
export async function clearReactions(
  ranking: Ranking,
  cleared: { guild: Snowflake; article: Snowflake; direction?: Direction },
  now: number,
): Promise<TallyOutcome> {
  const { article } = cleared;
  const seconds = secondsIfOpen(article, now);
  const keys = guildKeys(ranking.applicationId, cleared.guild);
  if (seconds === null) return whenClosed(ranking, keys, article);
  const [status, up, down] = await ranking.redis.clearReactions(
    ...keys.ballots(article),
    article,
    seconds,
    cleared.direction ?? 'all',
  );
  if (status !== 'counted')
    return { status: status as 'unchanged' | 'closed' | 'locked' | 'unknown' };
  ranking.changes.note(cleared.guild, article);
  return { status, up: Number(up), down: Number(down) };
}

/** `ballot`: the member, with a minus in front for down. */
type Cast = { article: Snowflake; ballot: string; direction: Direction };

function cast(
  ranking: Ranking,
  ballot: Ballot,
  direction: Direction,
  send: typeof castVotes,
  now: number,
): Promise<VoteOutcome> {
  const { guild, article, member } = ballot;
  if (secondsIfOpen(article, now) === null) {
    return whenClosed(ranking, guildKeys(ranking.applicationId, guild), article);
  }
  return ranking.gathering.add(ranking, guild, send, {
    article,
    ballot: direction === 'up' ? member : `-${member}`,
    direction,
  });
}

/** The opposite reactions are not shown. */
function castVotes(ranking: Ranking, guild: Snowflake, votes: readonly Cast[]) {
  return sendVotes(ranking, guild, votes, '');
}

/** The opposite reactions, where there are any, are still shown. */
function castShown(ranking: Ranking, guild: Snowflake, votes: readonly Cast[]) {
  return sendVotes(ranking, guild, votes, '1');
}

async function sendVotes(
  ranking: Ranking,
  guild: Snowflake,
  votes: readonly Cast[],
  stays: '' | '1',
): Promise<VoteOutcome[]> {
  const { castings } = guildKeys(ranking.applicationId, guild);
  const { redis } = ranking;
  if (votes.length === 1) {
    const vote = votes[0]!;
    const { article, ballot } = vote;
    const answer = await redis.castVote(...castings, stays, article, ballot);
    return [outcomeOfCast(ranking, guild, vote, answer)];
  }
  const given: string[] = [...castings, stays];
  for (const { article, ballot } of votes) given.push(article, ballot);
  const [, ...answers] = (await redis.castVotes(...given)) as CastReply[];
  return votes.map((vote, i) => outcomeOfCast(ranking, guild, vote, answers[i]!));
}

/** Where up stands in the integer for a counted vote; down and the older reaction stand below. */
const UP = 2 ** 27;

function outcomeOfCast(
  { changes }: Ranking,
  guild: Snowflake,
  { article, direction: vote }: Cast,
  answer: CastReply,
): VoteOutcome {
  if (typeof answer === 'string') return { status: answer };
  changes.note(guild, article);
  const older = answer % 2 === 1 ? opposite(vote) : null;
  const up = Math.floor(answer / UP);
  return { status: 'counted', vote, older, up, down: Math.floor((answer % UP) / 2) };
}

/** Post time in whole seconds; null from the closing time on. */
function secondsIfOpen(article: Snowflake, now: number): number | null {
  const postedAtMs = snowflakeTimeMs(article);
  return now < postedAtMs + VOTING_OPEN_MS ? Math.floor(postedAtMs / 1000) : null;
}

async function whenClosed(
  ranking: Ranking,
  keys: GuildKeys,
  article: Snowflake,
): Promise<{ status: 'closed' | 'unknown' }> {
  const known = await ranking.redis.hexists(keys.articles, article);
  return { status: known === 1 ? 'closed' : 'unknown' };
}

function outcome(
  { changes }: Ranking,
  { guild, article }: Ballot,
  reply: Reply,
  vote: Vote,
  older: Direction | null,
): VoteOutcome {
  const [status, up, down] = reply;
  if (status === 'counted') {
    changes.note(guild, article);
    return { status, vote, older, up: Number(up), down: Number(down) };
  }
  return { status: status as 'unchanged' | 'closed' | 'locked' | 'unknown' | 'poster' };
}

function signOf(direction: Direction): '' | '-' {
  return direction === 'up' ? '' : '-';
}

export function opposite(direction: Direction): Direction {
  return direction === 'up' ? 'down' : 'up';
}
