import type { App } from '../../app.ts';
import { discountInRecord } from '../../eligibility/rules.ts';
import type { Notes } from '../../voting/concurrent-votes.ts';
import type { Article } from '../../ranking/articles/articles.ts';
import type { Snowflake } from '../../ranking/snowflake.ts';
import { type Discount, setUncounted, type Uncounted } from '../../ranking/ballots/uncounted.ts';
import type { Voter } from '../../ranking/ballots/voters.ts';
import { setVote, type VoteOutcome } from '../../ranking/ballots/votes.ts';
import type { Repair } from './difference.ts';
import type { Report } from '../report.ts';

/** Votes that are written side by side. */
const writtenAtOnce = 200;

export type Known = {
  /** What everybody shows whom the ranking knows. */
  votes: Map<Snowflake, Voter>;
  /** Those among them whose votes do not count. */
  uncounted: Map<Snowflake, Uncounted>;
};

type Work = { repairs: readonly Repair[]; known: Known; notes: Notes; report: Report };

/**
 * Writes the repairs and makes what is known of the votes that count the same. Whether all of it
 * was written: on an article whose voting is stopped nothing is.
 */
export async function writeRepairs(
  app: App,
  guild: Snowflake,
  article: Article,
  { repairs, known: { votes, uncounted }, notes, report }: Work,
): Promise<boolean> {
  let counted = false;
  let settled = true;
  for (let i = 0; i < repairs.length; i += writtenAtOnce) {
    const some = repairs.slice(i, i + writtenAtOnce);
    const discounts = await Promise.all(
      some.map(({ member }) => discountInRecord(app, guild, member, uncounted.get(member))),
    );
    // From here to the writes nothing may be awaited: a live vote would come in between.
    if (notes.cleared) return false;
    const written = await Promise.all(
      some.map((repair, n) =>
        notes.members.has(repair.member)
          ? Promise.resolve(null)
          : write(app, guild, article, repair, discounts[n] ?? null),
      ),
    );
    for (const [n, repair] of some.entries()) {
      const status = written[n];
      if (status === 'counted') tell(report, repair);
      counted ||= status === 'counted';
      settled &&= status === 'counted' || status === 'unchanged';
      const { member, vote, older } = repair;
      if (vote === 'none' || discounts[n]) votes.delete(member);
      else votes.set(member, { vote, older });
      uncounted.delete(member);
    }
  }
  if (counted) app.messageUpdates.note(guild, article.id);
  // Those that do not count are part of what Discord's counts are above ours.
  for (const member of uncounted.keys()) votes.delete(member);
  return settled;
}

/** In the last recount the voting time is over already, and what is shown still counts. */
async function write(
  { ranking, clock }: App,
  guild: Snowflake,
  { id, closesAtMs }: Article,
  { member, vote, older }: Repair,
  discount: Discount | null,
): Promise<VoteOutcome['status']> {
  const now = Math.min(clock.now(), closesAtMs - 1);
  const ballot = { guild, article: id, member, vote, older };
  const { status } = discount
    ? await setUncounted(ranking, { ...ballot, ...discount }, now)
    : await setVote(ranking, ballot, now);
  return status;
}

function tell(report: Report, { was, vote }: Repair): void {
  if (was === 'none') report.added += 1;
  else if (vote === 'none') report.removed += 1;
  else report.switched += 1;
}
