import { guildKeys } from './keys.ts';
import type { Ranking } from './ranking.ts';
import { DEFAULT_MARK } from './rules.ts';
import type { Snowflake } from './snowflake.ts';

/** The guild's interesting mark: up votes from which an article is interesting. */
export async function readMark(ranking: Ranking, guild: Snowflake): Promise<number> {
  const { articles } = guildKeys(ranking.applicationId, guild);
  return Number((await ranking.redis.hget(articles, 'mark')) ?? DEFAULT_MARK);
}
