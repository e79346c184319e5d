import { memberSubject, readBlock } from '../records/blocks.ts';
import { isOptedOut } from '../records/opted-out.ts';
import { postsOf, votesOf } from '../ranking/ballots/of-member.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { App } from '../app.ts';

/** A JSON file with a member's data in these guilds. Give it only to the member. */
export async function memberExport(
  { ranking, store, clock }: App,
  guilds: readonly Snowflake[],
  member: Snowflake,
): Promise<Buffer> {
  const servers = [];
  for (const guild of guilds) {
    const [posts, votes, optedOut, block] = await Promise.all([
      postsOf(ranking, guild, member),
      votesOf(ranking, guild, member),
      isOptedOut(store, guild, member),
      readBlock(store, guild, memberSubject(member)),
    ]);
    if (posts.length + votes.length === 0 && !block && !optedOut) continue;
    servers.push({
      server: guild,
      optedOut,
      ...(block
        ? { block: { posting: block.posting, voting: block.voting, reason: block.reason } }
        : {}),
      posts: posts.map(
        ({ id, title, link, comment, channel, groups, postedAtMs, up, down, closed }) => ({
          id,
          title,
          link,
          ...(comment ? { comment } : {}),
          channel,
          groups,
          posted: new Date(postedAtMs).toISOString(),
          up,
          down,
          closed,
        }),
      ),
      votes: votes.map(({ article, vote }) => ({ article: article.id, vote })),
    });
  }
  const file = { member, made: new Date(clock.now()).toISOString(), servers };
  return Buffer.from(`${JSON.stringify(file, null, 2)}\n`);
}
