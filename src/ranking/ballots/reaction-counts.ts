import { type Article, readArticles } from '../articles/articles.ts';
import { readSet } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';
import { readVoters } from './voters.ts';

/** An article, and the number of members with each reaction in the ranking, without the poster. */
export type ReactionCounts = {
  article: Article;
  up: number;
  down: number;
  /** Members with both reactions. */
  both: number;
};

/**
 * The reaction counts to compare with Discord's: a member with both reactions has one vote but counts
 * twice. In the order of `ids`, null for an unknown article. Two round trips at most.
 */
export async function readReactionCounts(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<(ReactionCounts | null)[]> {
  const keys = guildKeys(ranking.applicationId, guild);
  const [articles, both] = await Promise.all([
    readArticles(ranking, guild, ids),
    Promise.all(ids.map((id) => readSet(ranking.redis, keys.older(id)).then((set) => [...set]))),
  ]);
  return Promise.all(
    articles.map(async (article, i): Promise<ReactionCounts | null> => {
      if (!article) return null;
      const members = both[i] ?? [];
      const voters = members.length === 0 ? null : await readVoters(ranking, guild, article.id);
      const olderDown = members.filter((member) => voters?.get(member)?.vote === 'up').length;
      return {
        article,
        up: article.up - 1 + members.length - olderDown,
        down: article.down + olderDown,
        both: members.length,
      };
    }),
  );
}
