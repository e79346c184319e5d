import { whoMayVote } from '../../eligibility/may-vote.ts';
import type { ConcurrentEvents } from '../../voting/concurrent-votes.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';
import { setVote, type VoteOutcome } from '../../ranking/ballots/votes.ts';
import type { Repair } from './difference.ts';
import type { Report } from './report.ts';
import type { App } from '../../app.ts';

const WRITTEN_AT_ONCE = 200;

type RepairParts = Pick<
  App,
  'client' | 'ranking' | 'rules' | 'messageUpdates' | 'takenAwayReactions' | 'clock' | 'stopping'
>;

type Repairs = {
  repairs: readonly Repair[];
  /** The reactions of every member that the ranking knows. */
  known: Map<Snowflake, Voter>;
  concurrent: ConcurrentEvents;
  report: Report;
};

/**
 * Writes the repairs and updates `known`. If a member may not vote, the vote is left out and its
 * reaction is taken away. Returns whether all repairs were written; if voting on the article is
 * stopped, none is.
 */
export async function writeRepairs(
  app: RepairParts,
  guild: Snowflake,
  article: Article,
  { repairs, known, concurrent, report }: Repairs,
): Promise<boolean> {
  let complete = true;
  for (let i = 0; i < repairs.length; i += WRITTEN_AT_ONCE) {
    const some = repairs.slice(i, i + WRITTEN_AT_ONCE);
    const asking = some.filter((repair) => isNewVote(repair, known)).map(({ member }) => member);
    const voters = asking.length > 0 ? await whoMayVote(app, guild, asking) : new Set();
    const refused = new Set(asking.filter((member) => !voters.has(member)));
    // No await between here and the writes, or a live vote may come in between.
    if (concurrent.cleared) return false;
    const todo = some
      .filter(({ member }) => !concurrent.members.has(member))
      .map((repair) => (refused.has(repair.member) ? withoutVote(repair) : repair));
    const outcomes = await Promise.all(todo.map((repair) => write(app, guild, article, repair)));
    for (const [n, repair] of todo.entries()) {
      const outcome = outcomes[n]!;
      complete &&= outcome.status === 'counted' || outcome.status === 'unchanged';
      if (outcome.status !== 'counted') continue;
      countRepair(report, repair);
      // Closing updates the message itself.
      const isOpen = app.clock.now() < article.closesAtMs;
      if (outcome.crossedMark && isOpen) app.messageUpdates.note(guild, article.id);
    }
    for (const repair of some) {
      const { member, vote, older } = refused.has(repair.member) ? withoutVote(repair) : repair;
      if (vote === 'none') known.delete(member);
      else known.set(member, { vote, older });
    }
    for (const { member, vote } of some) {
      if (!refused.has(member) || vote === 'none' || concurrent.members.has(member)) continue;
      const { id, channel } = article;
      app.takenAwayReactions.takeAway({ guild, channel, article: id, member, direction: vote });
    }
  }
  return complete;
}

/** Whether this is a new vote that the bot missed. Falling back to the older of two reactions is none. */
function isNewVote({ member, vote }: Repair, known: ReadonlyMap<Snowflake, Voter>): boolean {
  const before = known.get(member);
  return vote !== 'none' && vote !== before?.vote && before?.older !== true;
}

/** Keeps the previous vote if its reaction is still shown. */
function withoutVote(repair: Repair): Repair {
  return { ...repair, vote: repair.older ? repair.was : 'none', older: false };
}

/** The last recount runs after the closing time, and its reactions still count, so the time is capped. */
function write(
  { ranking, clock }: Pick<App, 'ranking' | 'clock'>,
  guild: Snowflake,
  { id, closesAtMs }: Article,
  { member, vote, older }: Repair,
): Promise<VoteOutcome> {
  const now = Math.min(clock.now(), closesAtMs - 1);
  return setVote(ranking, { guild, article: id, member, vote, older }, now);
}

function countRepair(report: Report, { was, vote }: Repair): void {
  if (was === 'none') report.added += 1;
  else if (vote === 'none') report.removed += 1;
  else report.switched += 1;
}
