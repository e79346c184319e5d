import type { App } from '../../app.ts';
import { whoMayVote } from '../../eligibility/rules.ts';
import type { Notes } from '../../voting/concurrent-votes.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';
import { castVote, type VoteOutcome } from '../../ranking/ballots/votes.ts';
import type { Repair } from './difference.ts';
import type { Report } from '../report.ts';

/** Votes that are written side by side. */
const writtenAtOnce = 200;

type Work = {
  repairs: readonly Repair[];
  /** What everybody shows whom the ranking knows. */
  known: Map<Snowflake, Voter>;
  notes: Notes;
  report: Report;
};

/**
 * Writes the repairs and makes what is known of the votes the same. A vote that may not be given is
 * left out, and its reaction taken away. Whether all of it was written: on an article whose voting is
 * stopped nothing is.
 */
export async function writeRepairs(
  app: App,
  guild: Snowflake,
  article: Article,
  { repairs, known, notes, report }: Work,
): Promise<boolean> {
  let settled = true;
  for (let i = 0; i < repairs.length; i += writtenAtOnce) {
    const some = repairs.slice(i, i + writtenAtOnce);
    const asking = some.filter((repair) => isGiven(repair, known)).map(({ member }) => member);
    const voters = asking.length > 0 ? await whoMayVote(app, guild, asking) : new Set();
    const refused = new Set(asking.filter((member) => !voters.has(member)));
    // From here to the writes nothing may be awaited: a live vote would come in between.
    if (notes.cleared) return false;
    const todo = some
      .filter(({ member }) => !notes.members.has(member))
      .map((repair) => (refused.has(repair.member) ? withoutVote(repair) : repair));
    const statuses = await Promise.all(todo.map((repair) => write(app, guild, article, repair)));
    for (const [n, repair] of todo.entries()) {
      const status = statuses[n];
      if (status === 'counted') tell(report, repair);
      settled &&= status === 'counted' || status === 'unchanged';
    }
    for (const repair of some) {
      const { member, vote, older } = refused.has(repair.member) ? withoutVote(repair) : repair;
      if (vote === 'none') known.delete(member);
      else known.set(member, { vote, older });
    }
    for (const { member, vote } of some) {
      if (!refused.has(member) || vote === 'none' || notes.members.has(member)) continue;
      const { id, channel } = article;
      app.takenAwayReactions.take({ guild, channel, article: id, member, direction: vote });
    }
  }
  return settled;
}

/** Somebody gave this vote unheard. Falling back to the older of two reactions gives none. */
function isGiven({ member, vote }: Repair, known: ReadonlyMap<Snowflake, Voter>): boolean {
  const before = known.get(member);
  return vote !== 'none' && vote !== before?.vote && before?.older !== true;
}

/** The vote before stays where its reaction is still shown. */
function withoutVote(repair: Repair): Repair {
  return { ...repair, vote: repair.older ? repair.was : 'none', older: false };
}

/** In the last recount the voting time is over already, and what is shown still counts. */
async function write(
  { ranking, clock }: App,
  guild: Snowflake,
  { id, closesAtMs }: Article,
  { member, vote, older }: Repair,
): Promise<VoteOutcome['status']> {
  const now = Math.min(clock.now(), closesAtMs - 1);
  const { status } = await castVote(ranking, { guild, article: id, member, vote, older }, now);
  return status;
}

function tell(report: Report, { was, vote }: Repair): void {
  if (was === 'none') report.added += 1;
  else if (vote === 'none') report.removed += 1;
  else report.switched += 1;
}
