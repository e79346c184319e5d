import { type Article, readArticles } from '../articles/articles.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';
import { nullIfWrongType } from '../../redis/errors.ts';

type ReactionCounts = {
  article: Article;
  /** Members with both reactions: one vote, though Discord counts them twice. */
  both: number;
  /** There are more or fewer voters than votes in the row: damage, or a vote between the reads. */
  broken: boolean;
};

/** What to compare Discord's counts with. In the order of `ids`, null for an unknown article. */
export async function readReactionCounts(
  ranking: Ranking,
  guild: Snowflake,
  ids: readonly Snowflake[],
): Promise<(ReactionCounts | null)[]> {
  const keys = guildKeys(ranking, guild);
  const size = (key: string): Promise<number | null> =>
    ranking.redis.scard(key).catch(nullIfWrongType);
  const [articles, both, sizes] = await Promise.all([
    readArticles(ranking, guild, ids),
    Promise.all(ids.map((id) => size(keys.older(id)))),
    Promise.all(ids.map((id) => size(keys.voters(id)))),
  ]);
  return articles.map((article, i) => {
    if (!article) return null;
    const broken = both[i] === null || sizes[i] !== article.up - 1 + article.down;
    return { article, both: both[i] ?? 0, broken };
  });
}
