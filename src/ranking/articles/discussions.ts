import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/** Article id to the number of messages in its discussion. Articles without messages are left out. */
export type Comments = ReadonlyMap<Snowflake, number>;

/** Stores the number of messages in an article's discussion. */
export async function writeComments(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  count: number,
): Promise<void> {
  const { comments } = guildKeys(ranking.applicationId, guild);
  const before = await ranking.redis.hget(comments, article);
  if ((before ?? '0') === String(count)) return;
  await ranking.redis.hset(comments, article, String(count));
  ranking.changes.note(guild, article);
}

/** One round trip. */
export async function readComments(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly { id: Snowflake }[],
): Promise<Comments> {
  if (articles.length === 0) return new Map();
  const { comments } = guildKeys(ranking.applicationId, guild);
  const counts = await ranking.redis.hmget(comments, ...articles.map(({ id }) => id));
  return new Map(
    articles.flatMap(({ id }, at): [Snowflake, number][] => {
      const count = Number(counts[at] ?? 0);
      return count > 0 ? [[id, count]] : [];
    }),
  );
}
