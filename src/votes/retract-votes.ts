import { eraseVotes } from '../ranking/ballots/of-member.ts';
import type { Snowflake } from '../runtime/snowflake.ts';
import type { Ranking } from '../ranking/ranking.ts';
import type { TakenAwayReactions } from './events/taken-away-reactions.ts';

/** Retracts a member's votes, and their reactions, on articles whose voting is not over; removed ones too. */
export async function retractVotes(
  needs: {
    ranking: Ranking;
    takenAwayReactions: TakenAwayReactions;
  },
  guild: Snowflake,
  member: Snowflake,
): Promise<void> {
  for (const { article, vote } of await eraseVotes(needs.ranking, guild, member)) {
    const { id, channel } = article;
    needs.takenAwayReactions.takeAway({ guild, channel, article: id, member, direction: vote });
  }
}
