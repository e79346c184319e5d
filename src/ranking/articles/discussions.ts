import { readFields } from '../../redis/scan.ts';
import { guildKeys } from '../keys.ts';
import { countTold } from '../outcomes.ts';
import type { Ranking } from '../ranking.ts';
import type { Snowflake } from '../../runtime/snowflake.ts';

/** Article id to the number of messages in its discussion. Articles without messages are left out. */
export type Replies = ReadonlyMap<Snowflake, number>;

/** Stores the number of messages in an article's discussion, of which the bot's own quiet lines are none. */
export async function writeReplies(
  ranking: Ranking,
  guild: Snowflake,
  article: Snowflake,
  count: number,
): Promise<void> {
  const { replies } = guildKeys(ranking, guild);
  const [before, told] = await Promise.all([
    ranking.redis.hget(replies, article),
    countTold(ranking, guild, article),
  ]);
  const said = String(count - told);
  if ((before ?? '0') === said) return;
  await ranking.redis.hset(replies, article, said);
  ranking.changes.note(guild);
}

export async function readReplies(
  ranking: Ranking,
  guild: Snowflake,
  articles: readonly { id: Snowflake }[],
): Promise<Replies> {
  const { replies } = guildKeys(ranking, guild);
  const ids = articles.map(({ id }) => id);
  const counts = [...(await readFields(ranking.redis, replies, ids))];
  return new Map(
    counts.map(([id, count]) => [id, Number(count)] as const).filter(([, count]) => count > 0),
  );
}
