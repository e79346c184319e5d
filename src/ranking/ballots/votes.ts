import { changeArticle } from '../articles/edit.ts';
import type { Ranking } from '../ranking.ts';
import type { Direction, Vote } from '../row.ts';
import { VOTING_OPEN_MS } from '../rules.ts';
import { type Snowflake, snowflakeTimeMs } from '../../runtime/snowflake.ts';
import { scripts } from '../scripts.ts';

/**
 * The result of a vote. Only `counted` changed the ranking. After the closing time every id is `closed`,
 * also one of no article.
 */
export type VoteOutcome =
  | {
      status: 'counted';
      up: number;
      down: number;
      /** The member's new vote. */
      vote: Vote;
      /** The reaction that the member still shows besides the vote. */
      older: Direction | null;
      /** The vote made the article interesting, or ended that. */
      crossedMark: boolean;
    }
  | { status: 'unchanged'; up: number; down: number }
  | { status: 'repeated' | 'poster' | 'closed' | 'locked' | 'unknown' };

type Ballot = { guild: Snowflake; article: Snowflake; member: Snowflake };

/**
 * Sets a member's vote and replaces any earlier state; `none` retracts it.
 * `older`: the opposite reaction is shown as well. One round trip; idempotent.
 * Voting ends at the closing time, one week after the post time; `now` is in ms.
 */
export function setVote(
  ranking: Ranking,
  ballot: Ballot & { vote: Vote; older?: boolean },
  now: number,
): Promise<VoteOutcome> {
  const { vote, older } = ballot;
  const change = older === true && vote !== 'none' ? 'set-newer' : 'set';
  return cast(ranking, ballot, change, vote, now);
}

/**
 * Records one added or removed reaction of a member. Call it in the order of Discord's events.
 * The vote is the last added reaction that is still shown.
 */
export function recordReaction(
  ranking: Ranking,
  reaction: Ballot & { direction: Direction; shown: boolean },
  now: number,
): Promise<VoteOutcome> {
  const { direction, shown } = reaction;
  return cast(ranking, reaction, shown ? 'show' : 'hide', direction, now);
}

/** Clears all reactions of an article; the poster's vote stays. One round trip. */
export async function clearReactions(
  ranking: Ranking,
  { guild, article }: Omit<Ballot, 'member'>,
  now: number,
): Promise<{ status: 'counted' | 'unchanged' | 'closed' | 'locked' | 'unknown' }> {
  if (isOver(article, now)) return { status: 'closed' };
  return changeArticle(ranking, guild, article, scripts.clearReactions, 'counted');
}

async function cast(
  ranking: Ranking,
  { guild, article, member }: Ballot,
  change: 'show' | 'hide' | 'set' | 'set-newer',
  wanted: Vote,
  now: number,
): Promise<VoteOutcome> {
  if (isOver(article, now)) return { status: 'closed' };
  const ballot = [article, member, change, wanted];
  const reply = await ranking.batch
    .add(guild, scripts.castVotes, ballot)
    .catch((error: unknown) => {
      ranking.onPlanned(guild, 0);
      throw error;
    });
  const [status, up, down, vote, older, crossed] = reply.split(' ');
  const tally = { up: Number(up), down: Number(down) };
  if (status === 'unchanged') return { status, ...tally };
  if (status !== 'counted') return { status } as VoteOutcome;
  ranking.changes.note(guild);
  if (crossed === '1') ranking.onPlanned(guild, 0);
  return {
    status,
    ...tally,
    vote: vote as Vote,
    older: older === 'none' ? null : (older as Direction),
    crossedMark: crossed === '1',
  };
}

function isOver(article: Snowflake, now: number): boolean {
  return now >= snowflakeTimeMs(article) + VOTING_OPEN_MS;
}

export function opposite(direction: Direction): Direction {
  return direction === 'up' ? 'down' : 'up';
}
