import { opposite } from '../../ranking/ballots/votes.ts';
import type { Direction, Vote } from '../../ranking/row.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';

/** The members who show each reaction on Discord. */
export type Reactors = Record<Direction, ReadonlySet<Snowflake>>;

export type Repair = { member: Snowflake; vote: Vote; older: boolean; was: Vote };

/** Returns the writes that make the ranking equal to Discord. */
export function difference(reactors: Reactors, known: ReadonlyMap<Snowflake, Voter>): Repair[] {
  const members = new Set([...known.keys(), ...reactors.up, ...reactors.down]);
  return [...members].flatMap((member) => {
    const voter = known.get(member);
    const { vote, older } = voteOf(reactors.up.has(member), reactors.down.has(member), voter);
    const same = vote === (voter?.vote ?? 'none') && older === (voter?.older ?? false);
    return same ? [] : [{ member, vote, older, was: voter?.vote ?? 'none' }];
  });
}

/**
 * Lists do not show which of two reactions is newer. If the ranking knew one of them, the other is
 * newer. If it knew none, the member has no vote.
 */
function voteOf(
  up: boolean,
  down: boolean,
  known: Voter | undefined,
): { vote: Vote; older: boolean } {
  if (!up || !down) return { vote: up ? 'up' : down ? 'down' : 'none', older: false };
  if (!known) return { vote: 'none', older: false };
  return { vote: known.older ? known.vote : opposite(known.vote), older: true };
}
