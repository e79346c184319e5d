import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../snowflake.ts';

/** Article id to the number of messages in its discussion. Articles without messages are left out. */
export type Replies = ReadonlyMap<Snowflake, number>;

/** Stores the number of messages in an article's discussion. */
export async function writeReplies(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  count: number,
): Promise<void> {
  const { replies } = guildKeys(ranking, guild);
  const before = await ranking.redis.hget(replies, article);
  if ((before ?? '0') === String(count)) return;
  await ranking.redis.hset(replies, article, String(count));
  ranking.changes.note(guild);
}

/** One round trip. */
export async function readReplies(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly { id: Snowflake }[],
): Promise<Replies> {
  if (articles.length === 0) return new Map();
  const { replies } = guildKeys(ranking, guild);
  const counts = await ranking.redis.hmget(replies, ...articles.map(({ id }) => id));
  return new Map(
    articles.flatMap(({ id }, at): [Snowflake, number][] => {
      const count = Number(counts[at] ?? 0);
      return count > 0 ? [[id, count]] : [];
    }),
  );
}
