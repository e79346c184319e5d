import { memberSubject, readBlock } from '../records/blocks.ts';
import { isOptedOut } from '../records/opted-out.ts';
import { postsOf, votesOf } from '../ranking/members/of-member.ts';
import type { Snowflake } from '../ranking/snowflake.ts';
import type { App } from '../app.ts';

/** The pieces of a JSON file with a member's data in these guilds. Give it only to the member. */
export async function* memberExport(
  { ranking, store, clock }: Pick<App, 'ranking' | 'store' | 'clock'>,
  guilds: readonly Snowflake[],
  member: Snowflake,
): AsyncGenerator<string> {
  const made = new Date(clock.now()).toISOString();
  yield `{\n"member": "${member}",\n"made": "${made}",\n"servers": [`;
  let separator = '\n';
  for (const guild of guilds) {
    const [posts, votes, optedOut, block] = await Promise.all([
      postsOf(ranking, guild, member),
      votesOf(ranking, guild, member),
      isOptedOut(store, guild, member),
      readBlock(store, guild, memberSubject(member)),
    ]);
    if (posts.length + votes.length === 0 && !block && !optedOut) continue;
    const server = {
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
    };
    yield separator + JSON.stringify(server, null, 2);
    separator = ',\n';
  }
  yield '\n]\n}\n';
}
