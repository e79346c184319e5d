import type { App } from '../app.ts';
import { eraseVotes } from '../ranking/ballots/of-member.ts';
import type { Snowflake } from '../runtime/snowflake.ts';

/** Retracts a member's votes, and their reactions, on articles whose voting is not over; removed ones too. */
export async function retractVotes(
  app: Pick<App, 'ranking' | 'messageUpdates' | 'takenAwayReactions'>,
  guild: Snowflake,
  member: Snowflake,
): Promise<void> {
  for (const { article, vote } of await eraseVotes(app.ranking, guild, member)) {
    const { id, channel } = article;
    app.takenAwayReactions.takeAway({ guild, channel, article: id, member, direction: vote });
    app.messageUpdates.note(guild, id);
  }
}
