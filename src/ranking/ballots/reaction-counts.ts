import { type Article, readArticles } from '../articles/articles.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';
import { isTallyOfVoters } from './voters.ts';

type ReactionCounts = {
  article: Article;
  /** Members with both reactions: one vote, though Discord counts them twice. */
  both: number;
  /** The voters are not the votes in the row, as `isTallyOfVoters` says. */
  broken: boolean;
};

/** What to compare Discord's counts with. In the order of `ids`, null for an unknown article. */
export async function readReactionCounts(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<(ReactionCounts | null)[]> {
  const keys = guildKeys(ranking.applicationId, guild);
  const size = (key: string): Promise<number | null> =>
    ranking.redis.scard(key).catch(nullIfWrongType);
  const [articles, both, sizes] = await Promise.all([
    readArticles(ranking, guild, ids),
    Promise.all(ids.map((id) => size(keys.older(id)))),
    Promise.all(ids.map((id) => size(keys.voters(id)))),
  ]);
  return Promise.all(
    articles.map(async (article, i): Promise<ReactionCounts | null> => {
      if (!article) return null;
      // A vote between the reads makes the sizes differ as well.
      const isEqual = both[i] !== null && sizes[i] === article.up - 1 + article.down;
      const broken = !isEqual && !(await isTallyOfVoters(ranking, guild, article.id));
      return { article, both: both[i] ?? 0, broken };
    }),
  );
}

function nullIfWrongType(error: Error): null {
  if (error.message.startsWith('WRONGTYPE')) return null;
  throw error;
}
