import { nullIfWrongType } from '../../redis/errors.ts';
import { readSet, scanHash } from '../../redis/scan.ts';
import { type Article, readArticles } from '../articles/articles.ts';
import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Direction, Vote } from '../row.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

export type Voter = {
  vote: Direction;
  /** The opposite reaction is shown as well, and is the older one. */
  older: boolean;
};

/**
 * The voters of an article, without the poster. They are stored for an open article, or for one that
 * was removed while open. In bounded steps: a vote meanwhile may be found or not.
 */
export async function readVoters(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
): Promise<Map<Snowflake, Voter>> {
  const keys = guildKeys(ranking, guild);
  const [votes, showsBoth] = await Promise.all([
    readSet(ranking.redis, keys.voters(article)),
    readSet(ranking.redis, keys.older(article)),
  ]);
  return new Map(
    [...votes].map((signed) => {
      const down = signed.startsWith('-');
      const member = down ? signed.slice(1) : signed;
      return [member, { vote: down ? 'down' : 'up', older: showsBoth.has(member) }];
    }),
  );
}

/** One member's votes on articles, in the order of `articles`. */
export async function readVotesOf(
  ranking: Ranking,
  guild: Snowflake,
  member: Snowflake,
  articles: readonly Snowflake[],
): Promise<Vote[]> {
  const keys = guildKeys(ranking, guild);
  return Promise.all(
    articles.map(async (article) => {
      const [up, down] = await ranking.redis.smismember(keys.voters(article), member, `-${member}`);
      return up === 1 ? 'up' : down === 1 ? 'down' : 'none';
    }),
  );
}

/** One member's vote on an open article, null for none. */
export async function readVoter(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  member: Snowflake,
): Promise<Voter | null> {
  const keys = guildKeys(ranking, guild);
  const [[vote], older] = await Promise.all([
    readVotesOf(ranking, guild, member, [article]),
    ranking.redis.sismember(keys.older(article), member),
  ]);
  if (vote === undefined || vote === 'none') return null;
  return { vote, older: older === 1 };
}

/** The same in `change-vote.include.lua`. */
const VOTERS_KEPT_SECONDS = 5 * 7 * 86_400;
/** Articles of one step. */
const STEP = 500;

/** Has the voters swept that earlier versions stored without an end. */
export async function sweepVotersLater(ranking: Ranking, guild: Snowflake): Promise<void> {
  const keys = guildKeys(ranking, guild);
  const ids = [...(await readSet(ranking.redis, keys.open))];
  for await (const [id] of scanHash(ranking.redis, keys.removed)) ids.push(id);
  for (let i = 0; i < ids.length; i += STEP) {
    const sets = ids.slice(i, i + STEP).flatMap((id) => [keys.voters(id), keys.older(id)]);
    await Promise.all(sets.map((key) => ranking.redis.expire(key, VOTERS_KEPT_SECONDS)));
  }
}

export type ReactionCounts = {
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
