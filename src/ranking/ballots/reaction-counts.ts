import { type Article, readArticles } from '../articles/articles.ts';
import { readSet } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';
import { isTallyOfVoters, readVoters } from './voters.ts';

/** An article, and the number of members with each reaction in the ranking, without the poster. */
type ReactionCounts = {
  article: Article;
  up: number;
  down: number;
  /** Members with both reactions. */
  both: number;
  /** The voters are not the votes in the row, as `isTallyOfVoters` says. */
  broken: boolean;
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
  const { redis } = ranking;
  const [articles, both, sizes] = await Promise.all([
    readArticles(ranking, guild, ids),
    Promise.all(
      ids.map((id) => readSet(redis, keys.older(id)).then((set) => [...set], nullIfWrongType)),
    ),
    Promise.all(ids.map((id) => redis.scard(keys.voters(id)).catch(nullIfWrongType))),
  ]);
  return Promise.all(
    articles.map(async (article, i): Promise<ReactionCounts | null> => {
      if (!article) return null;
      // A vote between the reads makes the sizes differ as well.
      const isEqual = both[i] !== null && sizes[i] === article.up - 1 + article.down;
      const broken = !isEqual && !(await isTallyOfVoters(ranking, guild, article.id));
      const members = broken ? [] : (both[i] ?? []);
      const voters = members.length === 0 ? null : await readVoters(ranking, guild, article.id);
      const olderDown = members.filter((member) => voters?.get(member)?.vote === 'up').length;
      return {
        article,
        up: article.up - 1 + members.length - olderDown,
        down: article.down + olderDown,
        both: members.length,
        broken,
      };
    }),
  );
}

function nullIfWrongType(error: Error): null {
  if (error.message.startsWith('WRONGTYPE')) return null;
  throw error;
}
