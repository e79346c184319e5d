import { whoMayVote } from '../../community/may-vote.ts';
import type { Watch } from '../seen-reactions.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';
import { opposite, setVote } from '../../ranking/ballots/votes.ts';
import type { Direction, Vote } from '../../ranking/row.ts';
import type { Report } from './report.ts';
import type { RecountNeeds } from '../recount-needs.ts';

/** The members who show each reaction on Discord. */
export type Reactors = Record<Direction, ReadonlySet<Snowflake>>;

type Repair = { member: Snowflake; vote: Vote; older: boolean; was: Vote };

/**
 * Returns the writes that make the ranking equal to Discord. `lastAdded`: which of both reactions a member
 * added last, if events told of both.
 */
export function difference(
  reactors: Reactors,
  known: ReadonlyMap<Snowflake, Voter>,
  lastAdded: (member: Snowflake) => Direction | null,
): Repair[] {
  const members = new Set([...known.keys(), ...reactors.up, ...reactors.down]);
  return [...members].flatMap((member) => {
    const voter = known.get(member);
    const [up, down] = [reactors.up.has(member), reactors.down.has(member)];
    const { vote, older } = voteOf(up, down, voter, up && down ? lastAdded(member) : null);
    const same = vote === (voter?.vote ?? 'none') && older === (voter?.older ?? false);
    return same ? [] : [{ member, vote, older, was: voter?.vote ?? 'none' }];
  });
}

/**
 * Lists do not show which of two reactions is newer. Events may have told it. Else, if the ranking knew
 * one of them, the other is newer. If it knew none, the member has no vote.
 */
function voteOf(
  up: boolean,
  down: boolean,
  known: Voter | undefined,
  lastAdded: Direction | null,
): { vote: Vote; older: boolean } {
  if (!up || !down) return { vote: up ? 'up' : down ? 'down' : 'none', older: false };
  if (lastAdded) return { vote: lastAdded, older: true };
  if (!known) return { vote: 'none', older: false };
  return { vote: known.older ? known.vote : opposite(known.vote), older: true };
}

const WRITTEN_AT_ONCE = 200;

type Repairs = {
  repairs: readonly Repair[];
  /** The reactions of every member that the ranking knows. */
  known: Map<Snowflake, Voter>;
  watch: Watch;
  /** Members of whom the lists say otherwise than an event of the last moments. */
  unsettled: ReadonlySet<Snowflake>;
  /** New votes wait, so that their reactions stay. */
  isWaiting: boolean;
  report: Report;
};

/**
 * Writes the repairs and updates `known`. If a member may not vote, the vote is left out and its
 * reaction is taken away, unless votes wait. Returns whether all repairs were written; if voting on the article is
 * stopped, none is.
 */
export async function writeRepairs(
  needs: RecountNeeds,
  guild: Snowflake,
  article: Article,
  { repairs, known, watch, unsettled, isWaiting, report }: Repairs,
): Promise<boolean> {
  const { id, channel, closesAtMs } = article;

  /** False if the ranking took no vote. */
  async function write(repair: Repair, isRefused: boolean): Promise<boolean> {
    const { member, was, vote: shown } = repair;
    const { vote, older } = isRefused ? withoutVote(repair) : repair;
    if (vote === 'none') known.delete(member);
    else known.set(member, { vote, older });
    // The live event counts.
    if (watch.members.has(member) || unsettled.has(member)) return true;
    // The last recount runs after the closing time, and its reactions still count, so the time is capped.
    const now = Math.min(needs.clock.now(), closesAtMs - 1);
    const outcome = await setVote(needs.ranking, { guild, article: id, member, vote, older }, now);
    if (isRefused && shown !== 'none' && !isWaiting) {
      needs.takenAwayReactions.takeAway({ guild, channel, article: id, member, direction: shown });
    }
    if (outcome.status !== 'counted') return outcome.status === 'unchanged';
    report[was === 'none' ? 'added' : vote === 'none' ? 'removed' : 'switched'] += 1;
    return true;
  }

  let complete = true;
  for (let i = 0; i < repairs.length; i += WRITTEN_AT_ONCE) {
    const some = repairs.slice(i, i + WRITTEN_AT_ONCE);
    const asking = some.filter((repair) => isNewVote(repair, known)).map(({ member }) => member);
    const voters = asking.length > 0 ? await whoMayVote(needs, guild, asking) : new Set();
    const refused = new Set(asking.filter((member) => !voters.has(member)));
    // No await between here and the writes, or a live vote may come in between.
    if (watch.isCleared) return false;
    const writes = some.map((repair) => write(repair, refused.has(repair.member)));
    complete = (await Promise.all(writes)).every(Boolean) && complete;
  }
  return complete;
}

/** Whether this is a new vote that the bot missed. Falling back to the older of two reactions is none. */
function isNewVote({ member, vote }: Repair, known: ReadonlyMap<Snowflake, Voter>): boolean {
  const before = known.get(member);
  return vote !== 'none' && vote !== before?.vote && before?.older !== true;
}

/** Keeps the previous vote if its reaction is still shown. */
function withoutVote({ older, was }: Repair): { vote: Vote; older: boolean } {
  return { vote: older ? was : 'none', older: false };
}
