import { guildKeys } from '../keys.ts';
import type { Ranking } from '../ranking.ts';
import { type Article, decodeArticle } from '../row.ts';
import type { Snowflake } from '../snowflake.ts';

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
  const { articles: rows, texts } = guildKeys(ranking.applicationId, guild);
  const reply = await ranking.redis.readPage(key, rows, texts, direction, start, stop);
  const [, total, mark, version] = reply;
  const articles: Article[] = [];
  for (let i = 4; i < reply.length; i += 3) {
    const [id, row, text] = reply.slice(i, i + 3) as (string | null)[];
    if (id && row && text) articles.push(decodeArticle(id, row, text, Number(mark)));
  }
  return { articles, total: Number(total), version: Number(version) };
}
