import { type GuildKeys, guildKeys } from './keys.ts';
import type { Ranking } from './ranking.ts';
import type { Direction, Vote } from './row.ts';
import { VOTING_OPEN_MS, weightOf } from './rules.ts';
import type { Reply } from './scripts.ts';
import { type Snowflake, snowflakeTimeMs } from './snowflake.ts';

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
      score: number;
    }
  | { status: 'unchanged' | 'closed' | 'locked' | 'unknown' | 'poster' };

/** The new tally after something happened to many votes at once. */
export type TallyOutcome =
  | { status: 'counted'; up: number; down: number; score: number }
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
  const reply = await ranking.redis.takeBack(
    ...keys.ballots(article),
    keys.uncounted(article),
    article,
    member,
    signOf(direction),
    seconds,
  );
  return outcome(ranking, reaction, reply, reply[4] === 1 ? opposite(direction) : 'none', null);
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
    keys.uncounted(article),
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
  const [status, up, down, score] = await ranking.redis.clearReactions(
    ...keys.ballots(article),
    keys.uncounted(article),
    article,
    seconds,
    cleared.direction ?? 'all',
  );
  if (status !== 'counted')
    return { status: status as 'unchanged' | 'closed' | 'locked' | 'unknown' };
  ranking.changes.note(cleared.guild, article);
  return { status, up: Number(up), down: Number(down), score: Number(score) };
}

type Cast = { article: Snowflake; seconds: number; member: Snowflake; direction: Direction };

async function cast(
  ranking: Ranking,
  ballot: Ballot,
  direction: Direction,
  send: typeof castVotes,
  now: number,
): Promise<VoteOutcome> {
  const { guild, article, member } = ballot;
  const seconds = secondsIfOpen(article, now);
  if (seconds === null) {
    return whenClosed(ranking, guildKeys(ranking.applicationId, guild), article);
  }
  return ranking.gathering.add(ranking, guild, send, { article, seconds, member, direction });
}

/** The opposite reactions are not shown. */
function castVotes(ranking: Ranking, guild: Snowflake, votes: readonly Cast[]) {
  return sendVotes(ranking, guild, votes, '');
}

/** The opposite reactions, where there are any, are still shown. */
function castShown(ranking: Ranking, guild: Snowflake, votes: readonly Cast[]) {
  return sendVotes(ranking, guild, votes, '1');
}

/** What the script returns for each vote. */
type Counted = [status: string, up: number, down: number, older: number];
const WORDS = 4;

async function sendVotes(
  ranking: Ranking,
  guild: Snowflake,
  votes: readonly Cast[],
  stays: '' | '1',
): Promise<VoteOutcome[]> {
  const keys = guildKeys(ranking.applicationId, guild);
  const given: (string | number)[] = [];
  for (const { article, seconds, member, direction } of votes) {
    given.push(article, seconds, member, signOf(direction));
  }
  const script = votes.length === 1 ? 'castVote' : 'castVotes';
  const [, mark, ...replies] = await ranking.redis[script](...keys.castings, stays, ...given);
  const weight = weightOf(Number(mark));
  return votes.map(({ article, seconds, direction: vote }, i) => {
    const [status, up, down, older] = replies.slice(i * WORDS, (i + 1) * WORDS) as Counted;
    if (status !== 'counted') return { status } as VoteOutcome;
    ranking.changes.note(guild, article);
    const score = seconds + weight * (up - down);
    return { status, vote, older: older === 1 ? opposite(vote) : null, up, down, score };
  });
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
  const [status, up, down, score] = reply;
  if (status === 'counted') {
    changes.note(guild, article);
    return { status, vote, older, up: Number(up), down: Number(down), score: Number(score) };
  }
  return { status: status as 'unchanged' | 'closed' | 'locked' | 'unknown' | 'poster' };
}

function signOf(direction: Direction): '' | '-' {
  return direction === 'up' ? '' : '-';
}

export function opposite(direction: Direction): Direction {
  return direction === 'up' ? 'down' : 'up';
}
