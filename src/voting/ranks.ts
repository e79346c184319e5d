import { guildKeys } from './keys.ts';
import type { Ranking } from './ranking.ts';
import { type Article, decodeRow } from './row.ts';
import type { Snowflake } from './snowflake.ts';

export type Ranks = {
  articles: Article[];
  /** How many articles the whole ranking has. */
  total: number;
  /** How often the guild's changes had been told when this was read. */
  version: number;
};

/** The articles at some ranks, from 0, of one of a guild's rankings: one round trip. */
export async function readRanks(
  ranking: Ranking,
  guild: Snowflake,
  key: string,
  direction: 'desc' | 'asc',
  start: number,
  stop: number,
): Promise<Ranks> {
  const { articles: rows } = guildKeys(ranking.applicationId, guild);
  const reply = await ranking.redis.listPageBuffer(key, rows, direction, start, stop);
  const [, total, mark, version] = reply;
  const articles: Article[] = [];
  for (let i = 4; i < reply.length; i += 2) {
    const row = reply[i + 1];
    if (row) articles.push(decodeRow(String(reply[i]), row as Buffer, Number(mark)));
  }
  return { articles, total, version: Number(version) };
}
